package request

import (
	"bufio"
	"cmp"
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

	"dealflow/internal/blank"
	"dealflow/internal/fault"
	"dealflow/internal/jsontext"
)

// The media type of a form, and the bounds of one: in bytes, except MaxParts. MaxField is for the value of a field that
// FormShape.Long does not name.
const (
	FormMediaType = "multipart/form-data"
	MaxField      = 64 << 10
	MaxParts      = 200     // unknown fields are ignored, but count
	FormOverhead  = 4 << 20 // part headers, boundaries and unknown fields

	formBuffer = 64 << 10 // the library reads 4 KB at a time, each of which would be a system call
)

// Form is a multipart body that is read part by part while it arrives. The values of fields are kept; a file is passed
// to Store at once. Store must be set before Read is called if the form has file fields. A method that finds a field
// invalid records that for Err; its result must not be used then.
type Form struct {
	Store func(position int, fileName string, r io.Reader) error

	shape  FormShape
	parts  *multipart.Reader
	fields map[string]string
	files  map[string]bool
	wrong  []fault.Detail
}

// FormShape describes the parts of a form.
type FormShape struct {
	Names      []string                      // its fields, the files aside
	Long       map[string]int64              // the limits of fields that may be longer than MaxField
	FileAt     func(name string) (int, bool) // the position of a file field, and whether it is one
	FilePrefix string                        // fields that begin so must be file fields
	HowFile    string                        // says in refusals how files are to be sent
	Limit      int64                         // bytes of the whole form

	Browser  bool                           // sent by a page: fields may be repeated, file fields may be empty
	Repeated string                         // joins the values of a repeated field of a page
	Prepare  func(fields map[string]string) // changes the fields before they are read; may be nil
}

// OpenForm begins to read a form. The error is UnsupportedType if the body is not a form, InvalidBody if the form has
// no boundary, and TooLarge if its Content-Length is over the limit.
func OpenForm(w http.ResponseWriter, r *http.Request, shape FormShape) (*Form, error) {
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media != FormMediaType {
		return nil, Unsupported("must be " + FormMediaType)
	}
	if r.ContentLength > shape.Limit {
		return nil, FormError(&http.MaxBytesError{Limit: shape.Limit})
	}
	body := http.MaxBytesReader(w, r.Body, shape.Limit)
	if params["boundary"] == "" {
		return nil, fault.New(fault.InvalidBody, "missing_boundary",
			fault.Detail{Field: "Content-Type", Message: "has no boundary: let the client that builds the form set it"})
	}
	return &Form{
		shape: shape, parts: multipart.NewReader(bufio.NewReaderSize(body, formBuffer), params["boundary"]),
		fields: map[string]string{}, files: map[string]bool{},
	}, nil
}

// Read reads the parts of the form, and then calls FormShape.Prepare. It ignores unknown fields, and stops at the first
// part that is refused. The error is InvalidBody or TooLarge for such a part, and InvalidBody for a form that is cut
// off or has more than MaxParts parts. A fault of Body.Read is returned unchanged. So is an error of Store, unless the
// client's file could not be read: then FormError converts the reason.
func (f *Form) Read() error {
	if err := f.readParts(); err != nil {
		return err
	}
	if f.shape.Prepare != nil {
		f.shape.Prepare(f.fields)
	}
	return nil
}

func (f *Form) readParts() error {
	for count := 0; ; count++ {
		part, err := f.parts.NextPart()
		switch {
		case err == io.EOF: // a wrapped io.EOF means that the form was cut off
			return nil
		case err != nil:
			return FormError(err)
		case count == MaxParts:
			return fault.New(fault.InvalidBody, "too_many_parts",
				fault.Detail{Field: "body", Message: fmt.Sprintf("has more than %d parts", MaxParts)})
		}
		if err := f.readPart(part); err != nil {
			return err
		}
	}
}

// FormError returns the refusal of a form that could not be read: TooLarge if err is an *http.MaxBytesError, otherwise
// InvalidBody, since the form is broken or cut off. If err is a fault already, it returns err.
func FormError(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	if tooLong, found := errors.AsType[*http.MaxBytesError](err); found {
		return fault.New(fault.TooLarge, "body_too_large",
			fault.Detail{Field: "body", Message: fmt.Sprintf("is larger than %d bytes", tooLong.Limit)})
	}
	return fault.New(fault.InvalidBody, "invalid_multipart", fault.Detail{
		Field: "body", Message: "is no complete multipart form: send every part, and the boundary at the end",
	}).Because(err)
}

// readPart keeps the value of a field, passes a file to Store, or ignores an unknown field. It refuses a part without a
// name, a file field without a file name, a file in any other field, and a field that is not a file field although its
// name has the prefix of file fields. Unless the form is sent by a page, it also refuses a field that was sent before.
func (f *Form) readPart(part *multipart.Part) error {
	name := part.FormName()
	position, isFileField := f.shape.FileAt(name)
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	fileName, isFile := params["filename"]
	switch {
	case name == "":
		return fault.Field("body", "has a part without a name")
	case isFileField && !isFile:
		return fault.Field(name, "must be a file: send it with a filename")
	case isFile && !isFileField:
		return fault.Field(name, "must not be a file: "+f.shape.HowFile)
	case isFile && f.skipped(fileName):
		return nil
	case isFile:
		return f.takeFile(name, position, fileName, part)
	case f.shape.FilePrefix != "" && strings.HasPrefix(name, f.shape.FilePrefix):
		return fault.Field(name, "is no file field: "+f.shape.HowFile)
	case slices.Contains(f.shape.Names, name):
		return f.takeField(name, part)
	}
	return nil
}

func (f *Form) takeFile(name string, position int, fileName string, r io.Reader) error {
	if f.files[name] && !f.shape.Browser {
		return fault.Field(name, "was sent twice: send it once")
	}
	f.files[name] = true
	source := &failing{Reader: r}
	err := f.Store(position, fileName, source)
	if source.err != nil {
		return FormError(source.err)
	}
	return err
}

// failing reads a file that a client sends, and keeps an error of reading other than io.EOF, so that it can be
// distinguished from an error of the storage.
type failing struct {
	io.Reader

	err error
}

// Read implements io.Reader.
func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

func (f *Form) takeField(name string, r io.Reader) error {
	before, twice := f.fields[name]
	if twice && !f.shape.Browser {
		return fault.Field(name, "was sent twice: send it once")
	}
	limit := cmp.Or(f.shape.Long[name], MaxField)
	raw, err := readAtMost(r, limit)
	switch {
	case fault.Is(err, fault.TooLarge):
		return fault.New(fault.TooLarge, "field_too_large",
			fault.Detail{Field: name, Message: fmt.Sprintf("is larger than %d bytes", limit)})
	case err != nil:
		return FormError(err)
	case !utf8.Valid(raw):
		return fault.Field(name, "is not valid UTF-8: send the text as UTF-8")
	case strings.ContainsRune(string(raw), 0):
		return fault.Field(name, "holds a NUL character: leave it out")
	}
	f.fields[name] = string(raw)
	if twice {
		f.fields[name] = before + f.shape.Repeated + string(raw)
	}
	return nil
}

// Err returns nil if no field was found invalid; it then does not call check, since the domain checks the values
// itself. Otherwise it returns InvalidBody, which names the invalid fields, and those that check refuses unless check
// is nil.
func (f *Form) Err(check func() error) error { return refuseAll(f.wrong, check) }

// skipped reports whether a part is what browsers send for a file field in which no file was chosen.
func (f *Form) skipped(fileName string) bool { return f.shape.Browser && fileName == "" }

// Refuse records what is wrong with a field. Only the first message about a field is kept.
func (f *Form) Refuse(field, message string) { f.wrong = fault.Note(f.wrong, field, message) }

// Text returns the text of a field; nil if it was not sent.
func (f *Form) Text(name string) *string {
	given, sent := f.fields[name]
	if !sent {
		return nil
	}
	return &given
}

// ID returns the UUID in a field; nil if it was not sent.
func (f *Form) ID(name string) *uuid.UUID {
	given, sent := f.fields[name]
	if !sent {
		return nil
	}
	id, ok := ParseID(given)
	if !ok {
		f.Refuse(name, "must be a UUID")
	}
	return &id
}

// Boolean returns the value of a field that is true or false; false if it was not sent.
func (f *Form) Boolean(name string) bool {
	given, sent := f.fields[name]
	if sent && given != "true" && given != "false" {
		f.Refuse(name, "must be true or false")
	}
	return given == "true"
}

// JSON returns the JSON text in a field; nil if it was not sent.
func (f *Form) JSON(name string) json.RawMessage {
	given, sent := f.fields[name]
	if !sent {
		return nil
	}
	if err := jsontext.Check([]byte(given)); err != nil {
		f.Refuse(name, err.Error())
	}
	return json.RawMessage(given)
}

// NotBlank returns the text of a field; "" if it was not sent. It refuses a field that was sent and is blank.
func (f *Form) NotBlank(name string) string {
	given, sent := f.fields[name]
	if sent && blank.Is(given) {
		f.Refuse(name, "is empty: give a value or leave the field out")
	}
	return given
}
