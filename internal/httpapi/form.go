package httpapi

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/pages"
)

// Bounds of the form of AI creation, in bytes where nothing else is said.
const (
	maxText       = 1 << 20
	maxField      = 64 << 10
	maxParts      = 200     // unknown fields are ignored, but not without end
	formOverhead  = 4 << 20 // part headers, boundaries and fields that nobody knows
	filePrefix    = "file_"
	formMediaType = "multipart/form-data"
	formBuffer    = 64 << 10 // the library reads 4 KB at a time, each of which would be a system call
)

// maxForm is as large as a form can be that would be taken.
func (a *API) maxForm() int64 {
	return company.MaxFiles*a.MaxFileSize + maxText + int64(len(fieldNames()))*maxField + formOverhead
}

// form is a multipart body that is read part by part, as it arrives: fields are kept, files go to storage at once.
type form struct {
	parts  *multipart.Reader
	fields map[string]string
	files  map[string]bool
	store  func(position int, fileName string, r io.Reader) error
	wrong  []fault.Detail

	formShape
}

// formShape says which parts a form knows.
type formShape struct {
	names   []string                      // its fields, the files aside
	fileAt  func(name string) (int, bool) // the position of a file field, and whether it is one
	howFile string                        // how files are to be sent
	limit   int64                         // bytes of the whole form

	browser bool                           // of a page: fields may be repeated, and those of files be empty
	prepare func(fields map[string]string) // what becomes of the fields before they are read; nil: nothing
}

// creationForm is the form of AI creation: up to ten files and the company's fields.
func (a *API) creationForm() formShape {
	return formShape{
		names: fieldNames(), fileAt: filePosition, limit: a.maxForm(), howFile: fmt.Sprintf("send files as file_0 to file_%d", company.MaxFiles-1),
	}
}

// openForm begins to read a form. UnsupportedType where the body is none, TooLarge where it says that it is too long.
func (a *API) openForm(w http.ResponseWriter, r *http.Request, shape formShape) (*form, error) {
	if mediaTypeOf(r) != formMediaType {
		return nil, unsupported("must be " + formMediaType)
	}
	if r.ContentLength > shape.limit {
		return nil, formError(&http.MaxBytesError{Limit: shape.limit})
	}
	body := http.MaxBytesReader(w, r.Body, shape.limit)
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if params["boundary"] == "" {
		return nil, fault.New(fault.InvalidBody, "missing_boundary", fault.Detail{Field: "Content-Type", Message: "has no boundary"})
	}
	return &form{parts: multipart.NewReader(bufio.NewReaderSize(body, formBuffer), params["boundary"]), fields: map[string]string{}, files: map[string]bool{}, formShape: shape}, nil
}

// read reads every part, then what the fields say. It stops at the first part that is refused.
func (f *form) read() (company.Draft, error) {
	if err := f.readParts(); err != nil {
		return company.Draft{}, err
	}
	if f.prepare != nil {
		f.prepare(f.fields)
	}
	return f.draft()
}

func (f *form) readParts() error {
	for range maxParts {
		part, err := f.parts.NextPart()
		if err == io.EOF { // a wrapped one says that the form was cut off
			return nil
		}
		if err != nil {
			return formError(err)
		}
		if err := f.take(part); err != nil {
			return err
		}
	}
	return fault.New(fault.InvalidBody, "too_many_parts", fault.Detail{Field: "body", Message: fmt.Sprintf("has more than %d parts", maxParts)})
}

// formError distinguishes a form that is broken or cut off from one that is too long; a fault stays what it is.
func formError(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	if tooLong, found := errors.AsType[*http.MaxBytesError](err); found {
		return fault.New(fault.TooLarge, "body_too_large", fault.Detail{Field: "body", Message: fmt.Sprintf("is larger than %d bytes", tooLong.Limit)})
	}
	return fault.New(fault.InvalidBody, "invalid_multipart", fault.Detail{Field: "body", Message: "is no complete multipart form"}).Because(err)
}

// take keeps a field, stores a file, or ignores a field that nobody knows.
func (f *form) take(part *multipart.Part) error {
	name := part.FormName()
	position, isFileField := f.fileAt(name)
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	fileName, isFile := params["filename"]
	switch {
	case name == "":
		return fault.Field("body", "has a part without a name")
	case isFileField && !isFile:
		return fault.Field(name, "must be a file: send it with a filename")
	case isFile && !isFileField:
		return fault.Field(name, "must not be a file: "+f.howFile)
	case isFile && f.skipped(fileName):
		return nil
	case isFile:
		return f.takeFile(name, position, fileName, part)
	case strings.HasPrefix(name, filePrefix):
		return fault.Field(name, "is no file field: "+f.howFile)
	case slices.Contains(f.names, name):
		return f.takeField(name, part)
	}
	return nil
}

func (f *form) takeFile(name string, position int, fileName string, r io.Reader) error {
	if f.files[name] && !f.browser {
		return fault.Field(name, "was sent twice")
	}
	f.files[name] = true
	source := &failing{Reader: r}
	err := f.store(position, fileName, source)
	if source.err != nil {
		return formError(source.err)
	}
	return err
}

// failing remembers with which error a reader ended, so that a client's failure is not taken for the storage's.
type failing struct {
	io.Reader

	err error
}

// Read is part of io.Reader.
func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

func (f *form) takeField(name string, r io.Reader) error {
	before, twice := f.fields[name]
	if twice && !f.browser {
		return fault.Field(name, "was sent twice")
	}
	limit := int64(maxField)
	if name == "text" {
		limit = maxText
	}
	raw, err := readAtMost(r, limit)
	switch {
	case fault.Is(err, fault.TooLarge):
		return fault.New(fault.TooLarge, "field_too_large", fault.Detail{Field: name, Message: fmt.Sprintf("is larger than %d bytes", limit)})
	case err != nil:
		return formError(err)
	case !utf8.Valid(raw):
		return fault.Field(name, "is not valid UTF-8")
	case strings.ContainsRune(string(raw), 0):
		return fault.Field(name, "holds a NUL character")
	}
	f.fields[name] = string(raw)
	if twice {
		f.fields[name] = before + pages.RepeatedField + string(raw)
	}
	return nil
}

// fieldNames are the form's fields, the files aside.
func fieldNames() []string {
	return []string{"text", "account_id", "name", "visibility", "notes", "company_status_id", "source", "metadata", "dry_run"}
}

// filePosition gives N of file_N, and whether that is one of the file fields.
func filePosition(name string) (int, bool) {
	digit, found := strings.CutPrefix(name, filePrefix)
	if !found || len(digit) != 1 || digit[0] < '0' || digit[0] > '9' {
		return 0, false
	}
	return int(digit[0] - '0'), true
}

// draft reads the fields into a draft. It refuses every one whose form is wrong; the rest is for the domain to say.
func (f *form) draft() (company.Draft, error) {
	d := company.Draft{
		Text: f.fields["text"], Name: f.notBlank("name"), Visibility: f.notBlank("visibility"), Source: f.notBlank("source"),
		Metadata: f.json("metadata"), StatusID: f.id("company_status_id"), DryRun: f.boolean("dry_run"),
	}
	if id := f.id("account_id"); id != nil {
		d.AccountID = *id
	}
	if notes, given := f.fields["notes"]; given {
		d.Notes = &notes
	}
	if err := refuseAll(f.wrong, d.Check); err != nil {
		return company.Draft{}, err
	}
	return d, nil
}

func (f *form) refuse(field, message string) { f.wrong = fault.Note(f.wrong, field, message) }

func (f *form) id(name string) *uuid.UUID {
	given, sent := f.fields[name]
	if !sent {
		return nil
	}
	id, ok := parseID(given)
	if !ok {
		f.refuse(name, "must be a UUID")
	}
	return &id
}

func (f *form) boolean(name string) bool {
	given, sent := f.fields[name]
	if sent && given != "true" && given != "false" {
		f.refuse(name, "must be true or false")
	}
	return given == "true"
}

func (f *form) json(name string) json.RawMessage {
	given, sent := f.fields[name]
	if !sent {
		return nil
	}
	if err := checkJSON([]byte(given)); err != nil {
		f.refuse(name, err.Error())
	}
	return json.RawMessage(given)
}

// notBlank refuses an empty value, which is not the same as none.
func (f *form) notBlank(name string) string {
	given, sent := f.fields[name]
	if sent && strings.TrimSpace(given) == "" {
		f.refuse(name, "is empty: give a value or leave the field out")
	}
	return given
}
