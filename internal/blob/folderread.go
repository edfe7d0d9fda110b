package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"
)

func (f folder) open(_ context.Context, key string) (*Object, error) {
	found, err := f.stat(key)
	if err != nil {
		return nil, err
	}
	file, err := f.Open(key)
	if err != nil {
		return nil, err
	}
	media, err := sniff(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the beginning: %w", err), file.Close())
	}
	return &Object{ReadSeekCloser: file, Size: found.Size(), ModTime: found.ModTime(), MediaType: media}, nil
}

// sniff returns the media type of a file by its content, since a folder stores none, and seeks back to its beginning.
func sniff(r io.ReadSeeker) (string, error) {
	head, err := io.ReadAll(io.LimitReader(r, sniffLen))
	if err != nil {
		return "", err
	}
	_, err = r.Seek(0, io.SeekStart)
	return mediaType(head), err
}

func (f folder) written(_ context.Context, key string) (time.Time, error) {
	found, err := f.stat(key)
	if err != nil {
		return time.Time{}, err
	}
	return found.ModTime(), nil
}

// stat returns the information on a file. If the key is that of a folder, the error is fs.ErrNotExist.
func (f folder) stat(key string) (fs.FileInfo, error) {
	found, err := f.Stat(key)
	if err == nil && found.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: key, Err: fs.ErrNotExist}
	}
	return found, err
}

func (f folder) remove(_ context.Context, key string) error {
	if _, err := f.stat(key); err != nil {
		return err
	}
	return f.Remove(key)
}

// list yields the files below prefix, also those that were written in part; none if there is no such folder. It leaves
// out files that are deleted meanwhile. An error is yielded as the last element.
func (f folder) list(ctx context.Context, prefix string) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		err := fs.WalkDir(f.FS(), strings.TrimSuffix(prefix, "/"), func(name string, entry fs.DirEntry, err error) error {
			file, err := listEntry(ctx, name, entry, err)
			if errors.Is(err, fs.ErrNotExist) || err == nil && file.key == "" {
				return nil
			}
			if !yield(file, err) || err != nil {
				return fs.SkipAll
			}
			return nil
		})
		_ = err // each was yielded
	}
}

// listEntry returns the file of an entry; its key is empty for a folder. err is the error with which fs.WalkDir reached
// the entry: listEntry returns it, joined with that of ctx.
func listEntry(ctx context.Context, name string, entry fs.DirEntry, err error) (listed, error) {
	if err := errors.Join(err, ctx.Err()); err != nil || entry.IsDir() {
		return listed{}, err
	}
	found, err := entry.Info()
	if err != nil {
		return listed{}, err
	}
	return listed{key: name, written: found.ModTime()}, nil
}

// isGone reports whether the folder no longer exists at the path at which it was opened.
func (f folder) isGone() bool {
	opened, err := f.Stat(".")
	if err != nil {
		return true
	}
	now, err := os.Stat(f.Name())
	return err != nil || !os.SameFile(opened, now)
}

// probe writes a small file, reads it and removes it. It does not sync the file: a disk that is full or cannot be
// written fails before that.
func (f folder) probe(context.Context) error {
	if f.isGone() {
		return fmt.Errorf("the storage folder %s is not there any more: mount it again", f.Name())
	}
	temporary, err := f.writeBeside(probeKey(), bytes.NewReader(make([]byte, probeSize)), false)
	if err != nil {
		return err
	}
	_, err = f.ReadFile(temporary)
	if removed := f.Remove(temporary); err == nil {
		err = removed
	}
	return err
}
