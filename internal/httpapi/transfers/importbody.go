package transfers

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"golang.org/x/text/encoding/htmlindex"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/ingest/imports"
)

// importFile is the file of an import. It is read as it arrives; the caller must close it.
type importFile struct {
	io.Reader

	format string
	body   io.ReadCloser
}

// Close implements io.Closer. It does not close the body, but makes a Read that waits for the client return soon (see
// request.Body.Stop).
func (f *importFile) Close() error {
	if body, watched := f.body.(*request.Body); watched {
		body.Stop()
	}
	return nil
}

// openImport returns the file in the body: the whole body or, if the body is a form, its part "file". The caller must
// close it. The error is UnsupportedType if the body is compressed, if the kind cannot be imported from the file's
// format, or if the charset is unknown. For a form it is also that of filePart.
func openImport(c *gin.Context, kind string) (*importFile, error) {
	if coding := c.GetHeader("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fault.New(fault.UnsupportedType, "unsupported_content_encoding",
			fault.Detail{Field: "Content-Encoding", Message: "must be identity: send the body uncompressed"})
	}
	file := &importFile{Reader: c.Request.Body, body: c.Request.Body}
	if request.MediaType(c.Request) != request.FormMediaType {
		return file, file.setFormat(kind, c.GetHeader("Content-Type"))
	}
	part, form, _, err := filePart(c.Request)
	if err != nil {
		return nil, err
	}
	file.Reader = &onlyFile{Part: part, form: form}
	return file, file.setFormat(kind, typeOfPart(part))
}

// openImportForm returns the file in the form of a page of the console, and, by name, the fields before the file that
// have at most longestKind bytes. The caller must close the file. The error is UnsupportedType if the body is not a
// form, and InvalidBody if the file is missing or cannot be imported as this kind, or if the kind, which must be sent
// before the file, is missing or unknown. Otherwise it is that of filePart.
func openImportForm(c *gin.Context) (*importFile, map[string]string, error) {
	if request.MediaType(c.Request) != request.FormMediaType {
		return nil, nil, request.Unsupported("must be " + request.FormMediaType)
	}
	part, form, fields, err := filePart(c.Request)
	if err != nil {
		return nil, nil, err
	}
	if part.FileName() == "" {
		return nil, nil, fault.Field("file", "is missing: choose one")
	}
	if !slices.Contains(imports.Kinds(), fields["kind"]) {
		return nil, nil, fault.Field("kind", "must be one of "+strings.Join(imports.Kinds(), ", "))
	}
	file := &importFile{Reader: &onlyFile{Part: part, form: form}, body: c.Request.Body}
	err = file.setFormat(fields["kind"], typeOfPart(part))
	if fault.Is(err, fault.UnsupportedType) {
		wanted := "a CSV file or NDJSON"
		if fields["kind"] == imports.KindEmails {
			wanted = "a mailbox (.mbox), a message (.eml) or NDJSON"
		}
		err = fault.Field("file", "must be "+wanted)
	}
	return file, fields, err
}

// setFormat sets the format of the file from the Content-Type of the body or of the part. If the Content-Type names a
// charset, Read converts the file to UTF-8, except for mails. The error is UnsupportedType if kind cannot be imported
// from the media type, or if the charset is unknown.
func (f *importFile) setFormat(kind, contentType string) error {
	media, params, _ := mime.ParseMediaType(contentType)
	if f.format = formatOf(kind, media); f.format == "" {
		return request.Unsupported("must be " + strings.Join(mediaTypes(kind), ", ") + ", or " + request.FormMediaType +
			" with such a part")
	}
	return f.decode(params["charset"])
}

// onlyFile is the part "file" of a form. If the next part is also called "file", Read returns an error at the end of
// this part, instead of io.EOF: otherwise nobody would notice that the next part is not imported.
type onlyFile struct {
	*multipart.Part

	form *multipart.Reader
	end  error // once it was reached
}

// Read implements io.Reader.
func (f *onlyFile) Read(p []byte) (int, error) {
	if f.end != nil {
		return 0, f.end
	}
	n, err := f.Part.Read(p)
	if errors.Is(err, io.EOF) {
		// the file is complete, so that other errors of the form do not matter
		if next, failed := f.form.NextPart(); failed == nil && next.FormName() == "file" {
			err = imports.BadFile(`the request has more than one part "file": send each in a request of its own, ` +
				"the first too, as its end may be missing")
		}
	}
	f.end = err
	return n, err
}

// longestKind is the maximum length in bytes of fields before the file that are kept.
const longestKind = 100

// filePart returns the part "file" of a form, the form, and, by name, the fields before the file that have at most
// longestKind bytes; longer ones are left out. The error is InvalidBody if the form is malformed, if there is no part
// "file" among the first request.MaxParts, or if a part before it has more than request.MaxField bytes.
func filePart(r *http.Request) (*multipart.Part, *multipart.Reader, map[string]string, error) {
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if params["boundary"] == "" {
		return nil, nil, nil, fault.New(fault.InvalidBody, "missing_boundary",
			fault.Detail{Field: "Content-Type", Message: "has no boundary: let the client that builds the form set it"})
	}
	form, fields := multipart.NewReader(r.Body, params["boundary"]), map[string]string{}
	for range request.MaxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, nil, request.FormError(err)
		}
		if part.FormName() == "file" {
			return part, form, fields, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, request.MaxField+1))
		if err != nil {
			return nil, nil, nil, request.FormError(err)
		}
		if len(value) > request.MaxField {
			return nil, nil, nil, fault.Field(cmp.Or(part.FormName(), "body"),
				fmt.Sprintf("is larger than %d bytes", request.MaxField))
		}
		if len(value) <= longestKind {
			fields[part.FormName()] = string(value)
		}
	}
	return nil, nil, nil, fault.Field("file", "is required: send the file as the part \"file\"")
}

// typeOfPart returns the Content-Type of a part. If that is missing or too general, such as text/plain, it returns the
// type for the extension of the part's file name instead, if the extension is known.
func typeOfPart(part *multipart.Part) string {
	contentType := part.Header.Get("Content-Type")
	media, _, _ := mime.ParseMediaType(contentType)
	switch media {
	case "", "application/octet-stream", "text/plain", "application/vnd.ms-excel": // Windows uses the last one for CSV
	default:
		return contentType
	}
	switch strings.ToLower(path.Ext(part.FileName())) {
	case ".ndjson", ".jsonl":
		return "application/x-ndjson"
	case ".csv", ".tsv":
		return "text/csv"
	case ".mbox", ".mbx":
		return "application/mbox"
	case ".eml":
		return "message/rfc822"
	}
	return contentType
}

// mediaTypes returns the media types that an error names for a kind. formatOf also accepts other names of NDJSON.
func mediaTypes(kind string) []string {
	if kind == imports.KindEmails {
		return []string{"application/x-ndjson", "application/mbox", "message/rfc822"}
	}
	if kind == imports.KindAccount {
		return []string{"application/x-ndjson"}
	}
	return []string{"application/x-ndjson", "text/csv"}
}

// formatOf returns the format of a media type; "" if a kind cannot be imported from it.
func formatOf(kind, media string) string {
	isMail := kind == imports.KindEmails
	switch media {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines":
		return imports.FormatNDJSON
	case "text/csv":
		if !isMail && kind != imports.KindAccount {
			return imports.FormatCSV
		}
	case "application/mbox":
		if isMail {
			return imports.FormatMbox
		}
	case "message/rfc822":
		if isMail {
			return imports.FormatEML
		}
	}
	return ""
}

// decode makes Read convert the file from charset to UTF-8. It does nothing if charset is "" or UTF-8, nor for mails,
// each of which names its own charset. The error is UnsupportedType for an unknown charset.
func (f *importFile) decode(charset string) error {
	if charset == "" || f.format == imports.FormatMbox || f.format == imports.FormatEML {
		return nil
	}
	found, err := htmlindex.Get(charset)
	if err != nil {
		return request.Unsupported("names a charset that nobody knows: send UTF-8")
	}
	if name, err := htmlindex.Name(found); err != nil || name == "utf-8" {
		return nil //nolint:nilerr // the index named it itself
	}
	f.Reader = found.NewDecoder().Reader(f.Reader)
	return nil
}
