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

// File is a file in a form. A method reads Content once, while it sends the form, so that it does not need memory for
// all of it. It does not close Content.
type File struct {
	Name    string // with its extension
	Content io.Reader
}

// ReadError is an error of the caller's reader of a file or a long text that was to be sent. It is not an error of the
// service. It may be wrapped: use errors.As.
type ReadError struct {
	Name string // of the file, or of the field
	Err  error
}

// Error returns the name of the file or field, and the error of the reader.
func (e *ReadError) Error() string { return "read " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the error of the reader.
func (e *ReadError) Unwrap() error { return e.Err }

// openForm returns a reader of a form as multipart/form-data, and its media type. A goroutine writes the form while it
// is read. The caller must close the reader, which is an io.Closer, to end the goroutine.
func openForm(form any) (io.Reader, string, error) {
	fields, files, err := partsOf(form)
	if err != nil {
		return nil, "", err
	}
	reader, writer := io.Pipe()
	parts := multipart.NewWriter(writer)
	go func() {
		_ = writer.CloseWithError(writeForm(parts, fields, files)) // it always returns nil
	}()
	return reader, parts.FormDataContentType(), nil
}

// writeForm writes a form. It writes the long texts and the files last, so that the service can refuse wrong fields
// before they are sent.
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

// marked reads the content of a file and returns the errors of that as a *ReadError, to distinguish them from errors of
// the connection.
type marked struct{ File }

// Read implements io.Reader.
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

// partsOf returns the members of a form, which is a pointer to a struct: fields as pairs of name and value; and files
// and long texts, the texts first. It leaves out optional members that have no value.
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
