package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
	cloudblob "gocloud.dev/blob"

	"dealflow/internal/fault"
)

const (
	sniffLen   = 4096     // as much of the beginning as mimetype looks at
	copyBuffer = 64 << 10 // bytes in memory for one file on its way to a folder
	s3PartSize = 5 << 20  // the least that S3 allows; S3 needs whole parts in memory
	s3Parts    = 2        // parts of one file under way at once
)

// Written says what Write stored.
type Written struct {
	Size      int64  // bytes
	SHA256    string // of the content, 64 lower-case hexadecimal digits
	MediaType string // found in the content, without parameters, such as "application/pdf"
}

// Write stores what r gives under key, replacing what stood there, and reads r to its end in memory that does not grow with
// the size. More than limit bytes is a fault of the kind TooLarge. After any error, a canceled ctx and a failing r
// included, nothing new is kept, and an error of r itself can be found with errors.Is.
func (s *Store) Write(ctx context.Context, key string, r io.Reader, limit int64) (Written, error) {
	if err := checkKey(key); err != nil {
		return Written{}, err
	}
	src := &meter{ctx: ctx, r: r, left: limit, hash: sha256.New()}
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(src, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Written{}, fmt.Errorf("read what to store: %w", err)
	}
	media := mediaType(head[:n])
	if err := s.upload(ctx, key, media, io.MultiReader(bytes.NewReader(head[:n]), src)); err != nil {
		return Written{}, fmt.Errorf("store %s: %w", key, err)
	}
	return Written{Size: limit - src.left, SHA256: hex.EncodeToString(src.hash.Sum(nil)), MediaType: media}, nil
}

// Put stores content that is in memory under key, replacing what stood there. Once it returns, the file and its name last through a power cut.
func (s *Store) Put(ctx context.Context, key string, content []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if s.root == nil {
		if err := s.bucket.WriteAll(ctx, key, content, nil); err != nil {
			return fmt.Errorf("store %s: %w", key, err)
		}
		return nil
	}
	temporary := key + "." + strings.ToLower(rand.Text()) + ".tmp"
	if err := s.root.MkdirAll(path.Dir(key), dirMode); err != nil {
		return fmt.Errorf("make the folder of %s: %w", key, err)
	}
	if err := s.writeSynced(temporary, content); err != nil {
		_ = s.root.Remove(temporary)
		return fmt.Errorf("store %s: %w", key, err)
	}
	return s.rename(temporary, key)
}

func (s *Store) writeSynced(name string, content []byte) error {
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// upload cancels the writer's own context before it closes a failed writer: closing alone would keep the half.
func (s *Store) upload(ctx context.Context, key, media string, r io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File
	w, err := s.bucket.NewWriter(ctx, key, &cloudblob.WriterOptions{
		ContentType: media, BufferSize: s3PartSize, MaxConcurrency: s3Parts, BeforeWrite: protect(&file),
	})
	if err != nil {
		return err
	}
	// The plain io.Writer hides a ReadFrom that would take a megabyte for every file.
	_, err = io.CopyBuffer(struct{ io.Writer }{w}, r, make([]byte, copyBuffer))
	if err == nil && file != nil {
		err = file.Sync() // the row that is about to name this file survives a power cut, so must the file
	}
	if err != nil {
		cancel()
		return errors.Join(err, ignoreCanceled(w.Close()))
	}
	return w.Close()
}

// protect gives the temporary file of a folder its mode before anything is written to it, and hands it out.
func protect(file **os.File) func(func(any) bool) error {
	return func(as func(any) bool) error {
		if !as(file) {
			return nil
		}
		return (*file).Chmod(fileMode)
	}
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// mediaType drops parameters: a charset guessed from the beginning says nothing of the rest.
func mediaType(head []byte) string {
	media, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	return media
}

// meter counts and hashes what passes, and fails when it is more than left bytes or when ctx has ended.
type meter struct {
	ctx  context.Context // a Reader has no other way to learn of its end
	r    io.Reader
	left int64
	hash hash.Hash
}

// Read reads one byte more than is left, to tell a full file from one over the limit.
func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if int64(len(p)) > m.left {
		p = p[:m.left+1]
	}
	n, err := m.r.Read(p)
	if m.left -= int64(n); m.left < 0 {
		return 0, fault.New(fault.TooLarge, "file_too_large")
	}
	m.hash.Write(p[:n])
	return n, err
}
