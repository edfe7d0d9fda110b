package blob

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// syncsAtOnce is how many files are synced at the same time, so that the file system writes several by one commit of
// its journal.
const syncsAtOnce = 16

// folder is a storage folder. The file under a key is always whole. It lasts through a power cut once sync was called
// for it.
type folder struct {
	*os.Root

	fsync  func(*os.File) error        // os.File.Sync; another function in tests
	rename func(from, to string) error // os.Root.Rename; another function in tests
}

// writeBeside writes a file under a temporary name in the folder of key, and returns that name. If lasting is true, it
// syncs the content to the disk. It leaves no file after an error.
func (f folder) writeBeside(key string, r io.Reader, lasting bool) (temporary string, err error) {
	if err := f.MkdirAll(path.Dir(key), dirMode); err != nil {
		return "", err
	}
	temporary = key + "." + strings.ToLower(rand.Text()) + ".tmp"
	file, err := f.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return "", err
	}
	// A part of a form comes in pieces of 4 KB, each of which would be a system call. The plain io.Writer hides the
	// file's ReadFrom.
	w := bufio.NewWriterSize(struct{ io.Writer }{file}, copyBuffer)
	if _, err = w.ReadFrom(r); err == nil {
		err = w.Flush()
	}
	if err == nil && lasting {
		err = f.fsync(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = f.Remove(temporary)
	}
	return temporary, err
}

// put stores each content under its key. The content is synced to the disk; it lasts through a power cut once the names
// are synced, too.
func (f folder) put(ctx context.Context, contents map[string][]byte) error {
	return putEach(ctx, contents, syncsAtOnce, func(ctx context.Context, key string, content []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f.store(key, bytes.NewReader(content), true)
	})
}

// write stores what r returns under key, replacing an earlier file. It does not last through a power cut yet.
func (f folder) write(_ context.Context, key, _ string, r io.Reader) error {
	return f.store(key, r, false)
}

// store stores what r returns under key, replacing an earlier file. If lasting is true, the content is synced to the
// disk, but not its name. Until the file is whole it is under incoming/, whose sweep removes what a killed process
// leaves there.
func (f folder) store(key string, r io.Reader, lasting bool) error {
	temporary, err := f.writeBeside(incomingPrefix+path.Base(key), r, lasting)
	if err != nil {
		return err
	}
	err = f.MkdirAll(path.Dir(key), dirMode)
	if err == nil {
		err = f.rename(temporary, key)
	}
	if errors.Is(err, syscall.EXDEV) {
		err = f.moveAcross(temporary, key, lasting)
	}
	if err != nil {
		_ = f.Remove(temporary)
	}
	return err
}

// moveAcross moves a temporary file to a key on another file system, which is mounted below the storage folder, and
// syncs the content to the disk if lasting is true. After an error the temporary file is left.
func (f folder) moveAcross(temporary, key string, lasting bool) error {
	source, err := f.Open(temporary)
	if err != nil {
		return err
	}
	defer source.Close()
	beside, err := f.writeBeside(key, source, lasting)
	if err != nil {
		return err
	}
	if err := f.rename(beside, key); err != nil {
		_ = f.Remove(beside)
		return err
	}
	return f.Remove(temporary)
}

// keep links all files and then syncs them together, not one after the other. A power cut before the end does no harm,
// since no row of the database names the files yet.
func (f folder) keep(_ context.Context, files []Pair) error {
	var names []string
	for _, file := range files {
		if err := f.link(file.From, file.To); err != nil {
			return fmt.Errorf("keep %s: %w", file.From, err)
		}
		names = append(names, file.To, file.From)
	}
	return f.sync(names...)
}

// link makes the file under from available under to as well, and sets its time to now, so that no sweep takes it for
// abandoned. If the file system has no hard links, it copies the file. A file that exists under to stays: a key is
// never used for two contents.
func (f folder) link(from, to string) error {
	found, err := f.Stat(from)
	if err == nil && found.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return err
	}
	now := time.Now()
	if err := f.Chtimes(from, now, now); err != nil {
		return err
	}
	if err := f.MkdirAll(path.Dir(to), dirMode); err != nil {
		return err
	}
	err = f.Link(from, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case hasNoLinks(err):
		return f.copy(from, to)
	}
	return err
}

func hasNoLinks(err error) bool {
	refusals := []error{syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS, syscall.EXDEV, syscall.EMLINK}
	return slices.ContainsFunc(refusals, func(refusal error) bool { return errors.Is(err, refusal) })
}

func (f folder) copy(from, to string) error {
	source, err := f.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	return f.write(context.Background(), to, "", source)
}

// sync makes files, and the names that lead to them, last through a power cut: it returns once the disk has the files
// and every folder above them.
func (f folder) sync(keys ...string) error {
	names := slices.Clone(keys)
	for _, key := range keys {
		names = append(names, foldersOf(key)...)
	}
	return f.syncEach(names)
}

func (f folder) syncNames(keys []string) error {
	var folders []string
	for _, key := range keys {
		folders = append(folders, foldersOf(key)...)
	}
	return f.syncEach(folders)
}

func (f folder) syncEach(names []string) error {
	slices.Sort(names)
	var group errgroup.Group
	group.SetLimit(syncsAtOnce)
	for _, name := range slices.Compact(names) {
		group.Go(func() error {
			file, err := f.Open(name)
			if err != nil {
				return err
			}
			if err := errors.Join(f.fsync(file), file.Close()); err != nil {
				return fmt.Errorf("sync %s: %w", name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// foldersOf returns every folder above a key, the storage folder itself, ".", included.
func foldersOf(key string) []string {
	var names []string
	for key != "." {
		key = path.Dir(key)
		names = append(names, key)
	}
	return names
}
