package client

import (
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// File is a part of a form. Its content, like a long text, is read once, as it is sent, so that memory does not grow
// with it; the caller closes what must be closed, after the call.
type File struct {
	Name    string // with its extension
	Content io.Reader
}

// ReadError is trouble with the content of a file or text that was to be sent, and none of the service's.
type ReadError struct {
	Name string // of the file, or of the field
	Err  error
}

// Error names the file.
func (e *ReadError) Error() string { return "read " + e.Name + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *ReadError) Unwrap() error { return e.Err }

// openForm begins to write a form, and returns its other end and its media type. Closing that ends the writing.
func openForm(form any) (io.Reader, string, error) {
	fields, files, err := partsOf(form)
	if err != nil {
		return nil, "", err
	}
	reader, writer := io.Pipe()
	parts := multipart.NewWriter(writer)
	go func() {
		_ = writer.CloseWithError(writeForm(parts, fields, files)) // always nil
	}()
	return reader, parts.FormDataContentType(), nil
}

// writeForm puts the long texts and the files last: a form whose fields are wrong is refused before they are sent.
func writeForm(form *multipart.Writer, fields [][2]string, files []formFile) error {
	for _, field := range fields {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return err
		}
	}
	for _, file := range files {
		part, err := file.create(form)
		if err != nil {
			return err
		}
		if _, err := io.Copy(part, marked{file.File}); err != nil {
			return err
		}
	}
	return form.Close()
}

// marked distinguishes trouble with a file from trouble with the connection.
type marked struct{ File }

// Read is part of io.Reader.
func (m marked) Read(p []byte) (int, error) {
	n, err := m.Content.Read(p)
	if err != nil && err != io.EOF {
		err = &ReadError{Name: m.Name, Err: err}
	}
	return n, err
}

type formFile struct {
	File

	field  string
	isText bool
}

func (f formFile) create(form *multipart.Writer) (io.Writer, error) {
	if f.isText {
		return form.CreateFormField(f.field)
	}
	return form.CreateFormFile(f.field, f.Name)
}

// partsOf takes a form apart by the names of its members; those without a value are not sent.
func partsOf(form any) (fields [][2]string, files []formFile, err error) {
	for member, value := range reflect.ValueOf(form).Elem().Fields() {
		name, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		if strings.Contains(options, "omitempty") && value.IsZero() {
			continue
		}
		switch v := reflect.Indirect(value).Interface().(type) {
		case File:
			files = append(files, formFile{File: v, field: name})
		case []File:
			for i, file := range v {
				files = append(files, formFile{File: file, field: name + "_" + strconv.Itoa(i)})
			}
		case map[string]any:
			encoded, failed := json.Marshal(v)
			fields, err = append(fields, [2]string{name, string(encoded)}), failed
		case io.Reader:
			files = slices.Insert(files, 0, formFile{File: File{Name: name, Content: v}, field: name, isText: true})
		case nil: // no text: the service says that it is missing
		default:
			fields = append(fields, [2]string{name, fmt.Sprint(v)})
		}
		if err != nil {
			return nil, nil, fmt.Errorf("encode %s: %w", name, err)
		}
	}
	return fields, files, nil
}
