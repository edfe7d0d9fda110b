package main

import (
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"strconv"
)

// upload is the form of AI creation. It is sent as it is read, so that memory does not grow with it.
type upload struct {
	fields [][2]string // name and value
	text   io.ReadCloser
	files  []*os.File
}

// localError is trouble with something that was to be sent, and none of the server's.
type localError struct{ error }

// Unwrap gives the error itself.
func (e *localError) Unwrap() error { return e.error }

// body begins to write the form, and gives its other end and its content type. The text and the files are closed when all is written, or
// when the other end is closed.
func (u upload) body() (io.ReadCloser, string) {
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() {
		defer u.close()
		err := u.write(form)
		if err == nil {
			err = form.Close()
		}
		_ = writer.CloseWithError(err) // always nil
	}()
	return reader, form.FormDataContentType()
}

// write puts the files last: a form whose fields are wrong is refused before they are sent.
func (u upload) write(form *multipart.Writer) error {
	for _, field := range u.fields {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return err
		}
	}
	part, err := form.CreateFormField("text")
	if err != nil {
		return err
	}
	if err := send(part, u.text); err != nil {
		return err
	}
	for i, file := range u.files {
		part, err := form.CreateFormFile(fileField(i), filepath.Base(file.Name()))
		if err != nil {
			return err
		}
		if err := send(part, file); err != nil {
			return err
		}
	}
	return nil
}

// fileField is the name of the file field at this position.
func fileField(position int) string { return "file_" + strconv.Itoa(position) }

// send copies, and marks what went wrong at this end.
func send(to io.Writer, from io.Reader) error {
	_, err := io.Copy(to, local{from})
	return err
}

// local marks the errors of a reader as localError.
type local struct{ io.Reader }

// Read is part of io.Reader.
func (l local) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = &localError{err}
	}
	return n, err
}

func (u upload) close() {
	_ = u.text.Close()
	for _, file := range u.files {
		_ = file.Close()
	}
}
