package httpapi_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// operation is an operation of the document.
type operation struct {
	path, method          string
	parameters            openapi3.Parameters
	body                  *openapi3.Schema // nil without one
	form, operator, probe bool
	page                  bool // its success is no envelope
	otherBody             bool // it takes neither JSON nor a form alone
}

// operationsOf returns the operations of the document, ordered by method and then by path: POST, GET, PATCH, DELETE.
func operationsOf(document *openapi3.T) []operation {
	var all []operation
	for path, item := range document.Paths.Map() {
		for method, documented := range item.Operations() {
			all = append(all, operationOf(path, method, item, documented))
		}
	}
	order := []string{http.MethodPost, http.MethodGet, http.MethodPatch, http.MethodDelete}
	slices.SortFunc(all, func(a, b operation) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.method), slices.Index(order, b.method)),
			strings.Compare(a.path, b.path))
	})
	return all
}

// needsSecret reports whether an operation does nothing for somebody who knows no password or token, or without a
// mail server.
func (o operation) needsSecret() bool {
	return o.operator || o.forPeople() || strings.HasPrefix(o.path, "/files/") || slices.ContainsFunc([]string{
		"/auth/login", "/auth/password", "/auth/password/reset/confirm", "/auth/email/verify", "/auth/email/verify/send",
		"/auth/totp",
		"/auth/totp/confirm", "/invitations/accept",
	}, func(path string) bool { return strings.HasSuffix(o.path, path) })
}

// forPeople reports whether all answers are pages.
func (o operation) forPeople() bool {
	return slices.ContainsFunc([]string{"/s/", "/invitations/", "/verify/", "/reset/"},
		func(prefix string) bool { return strings.HasPrefix(o.path, prefix) })
}

func operationOf(path, method string, item *openapi3.PathItem, documented *openapi3.Operation) operation {
	o := operation{path: path, method: method, parameters: slices.Concat(item.Parameters, documented.Parameters)}
	if len(item.Servers) == 0 {
		o.path = "/api/v1" + path
	}
	o.operator = path == "/metrics" || path == "/admin/queues"
	o.probe = path == "/healthz" || path == "/readyz"
	for status, response := range documented.Responses.Map() {
		json := response.Value.Content["application/json"]
		o.page = o.page || strings.HasPrefix(status, "2") && (json == nil || json.Schema.Value.Properties["success"] == nil)
	}
	if documented.RequestBody == nil {
		return o
	}
	o.otherBody = documented.RequestBody.Value.Content["application/json"] == nil &&
		len(documented.RequestBody.Value.Content) > 1
	for media, content := range documented.RequestBody.Value.Content {
		o.form = o.form || media == "multipart/form-data"
		if content.Schema != nil {
			o.body = content.Schema.Value
		}
	}
	return o
}

// noun returns the kind of thing that the path is about: its last segment that is not a parameter.
func (o operation) noun() string {
	parts := slices.DeleteFunc(strings.Split(o.path, "/"), func(part string) bool {
		return strings.HasPrefix(part, "{") || part == "ai" || part == "upload" || part == "download"
	})
	return parts[len(parts)-1]
}

// wrong returns a request that is right in round 0, and has one random mistake in any other round.
func (f *fuzz) wrong(o operation, round int) *http.Request {
	f.Helper()
	place := 0
	if round > 0 {
		place = 1 + f.rand.IntN(5)
	}
	return f.request(o, place, drawn{})
}

// drawn is a value to send for one member of the body, and one for one parameter; both may be unset.
type drawn struct {
	field, fragment string
	parameter, text string
}

// request returns a request with a random mistake at place: 1 the path, 2 the query, 3 the body, 4 the encoding of the
// body, 5 the method or the headers. For place 0 only the values of d are wrong.
func (f *fuzz) request(o operation, place int, d drawn) *http.Request {
	f.Helper()
	address := f.address(o, place, d)
	body, media := f.content(o, place, d)
	method := o.method
	if place == 5 && f.rand.IntN(8) == 0 {
		method = []string{http.MethodPut, http.MethodOptions, "PROPFIND", http.MethodTrace}[f.rand.IntN(4)]
	}
	sent := &http.Request{
		Method: method, URL: address, Host: address.Host, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
	if body == nil {
		sent.Body, sent.ContentLength = nil, 0
	}
	sent = sent.WithContext(f.Context())
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	if media != "" {
		sent.Header.Set("Content-Type", media)
	}
	sent.Header.Set("Authorization", "Bearer "+f.key)
	if place == 5 {
		f.wrongHeader(sent)
	}
	f.sent = fmt.Sprintf("%s %.300s (%s) %.1500q", sent.Method, sent.URL.String(), sent.Header.Get("Content-Type"), body)
	return sent
}

func (f *fuzz) body(sent *http.Request) []byte {
	body, err := sent.GetBody()
	must(f.T, err)
	raw, err := io.ReadAll(body)
	must(f.T, err)
	return raw
}

func (f *fuzz) wrongHeader(sent *http.Request) {
	name := []string{
		"X-Request-Id", "Idempotency-Key", "Accept", "Range", "Content-Encoding", "Cookie", "If-None-Match",
		"X-Forwarded-For", "Origin",
	}[f.rand.IntN(9)]
	value := strings.Map(func(r rune) rune { // what net/http does not send
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, f.text())
	sent.Header.Set(name, value[:min(len(value), 60000)])
}

// address returns the URL of the operation with its parameters; for a wrong path or query, one of them is drawn at
// random.
func (f *fuzz) address(o operation, place int, d drawn) *url.URL {
	f.Helper()
	path, query := o.path, url.Values{}
	wrongOne := -1
	if len(o.parameters) > 0 {
		wrongOne = f.rand.IntN(len(o.parameters))
	}
	for i, parameter := range o.parameters {
		p := parameter.Value
		value := f.right(p.Name, p.Schema.Value, o)
		switch {
		case p.Name == d.parameter && p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(d.text))
		case p.Name == d.parameter && p.In == "query":
			query.Add(p.Name, d.text)
		case p.In == "path" && place == 1 && (i == wrongOne || f.rand.IntN(4) == 0):
			path = strings.ReplaceAll(path, "{"+p.Name+"}", f.segment())
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == "query" && place == 2 && (i == wrongOne || f.rand.IntN(3) == 0):
			query.Add(p.Name, f.text())
		case p.In == "query" && p.Name != "cursor" && f.rand.IntN(3) == 0: // a cursor is nobody's to make
			query.Add(p.Name, value)
		}
	}
	address, err := url.Parse(f.url)
	must(f.T, err)
	address.Opaque = "//" + address.Host + path // as it is, not as a library would clean it
	address.RawQuery = query.Encode()
	if unescaped, err := url.PathUnescape(path); err == nil {
		address.Path = unescaped
	}
	if place == 2 && f.rand.IntN(4) == 0 {
		address.RawQuery += []string{
			"&page=%zz", ";a=b", "&page=1&page=2", "&search=%ff%fe", "&%00=%00", "&=", "&" + strings.Repeat("a=b&", 5000),
		}[f.rand.IntN(7)]
	}
	return address
}

// content returns the body of a request and its media type. For the places 3 and 4, it has a random mistake.
func (f *fuzz) content(o operation, place int, d drawn) ([]byte, string) {
	f.Helper()
	if o.body == nil {
		if place == 3 && f.rand.IntN(2) == 0 {
			return []byte(f.fragment()), "application/json" // nobody asked for it
		}
		return nil, ""
	}
	value := f.value("", o.body, o, 0)
	if place == 3 {
		value = f.spoil(value)
	}
	if members, isObject := value.(rawObject); isObject && d.field != "" {
		members = slices.DeleteFunc(members, func(m pair) bool { return m.name == d.field })
		value = append(members, pair{d.field, fragment(d.fragment)})
	}
	if o.form {
		return f.encodeForm(value, place == 4)
	}
	if o.forPeople() && place != 4 {
		return []byte("password=" + url.QueryEscape(f.text()) + "&name=" +
			url.QueryEscape(f.text())), "application/x-www-form-urlencoded"
	}
	body, media := []byte(encoded(value)), "application/json"
	if place == 4 {
		body, media = f.spoilWhole(body)
	}
	return body, media
}

func (f *fuzz) spoilWhole(body []byte) ([]byte, string) {
	whole := []func() ([]byte, string){
		func() ([]byte, string) { return nil, "application/json" },
		func() ([]byte, string) { return body, "text/plain" },
		func() ([]byte, string) { return body, "application/json; charset=utf-16" },
		func() ([]byte, string) { return body, "" },
		func() ([]byte, string) { return body, "multipart/form-data" },
		func() ([]byte, string) { return body[:len(body)/2], "application/json" },
		func() ([]byte, string) { return append([]byte("\ufeff"), body...), "application/json" },
		func() ([]byte, string) { return append(body, body...), "application/json" },
		func() ([]byte, string) { return append(body, 0), "application/json" },
		func() ([]byte, string) { return bytes.ReplaceAll(body, []byte(`"`), []byte(`'`)), "application/json" },
		func() ([]byte, string) { return bytes.Repeat([]byte("["), 30000), "application/json" },
		func() ([]byte, string) { return []byte(strings.Repeat(`{"a":`, 9000) + "1"), "application/json" },
		func() ([]byte, string) { return append([]byte("["), append(body, ']')...), "application/json" },
		func() ([]byte, string) { return bytes.Repeat([]byte(" "), 70<<10), "application/json" },
		func() ([]byte, string) { return []byte(f.fragment()), "application/json" },
	}
	return whole[f.rand.IntN(len(whole))]()
}

// encodeForm encodes the members as parts of a form; in a wrong form, its frame is drawn at random.
func (f *fuzz) encodeForm(value any, wrongFrame bool) ([]byte, string) {
	f.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	members, _ := value.(rawObject)
	for _, m := range members {
		text := strings.Trim(encoded(m.value), `"`)
		if strings.HasPrefix(m.name, "file") && f.rand.IntN(4) > 0 {
			part, err := form.CreateFormFile(m.name, f.fileName())
			must(f.T, err)
			_, _ = io.WriteString(part, text)
			continue
		}
		must(f.T, form.WriteField(m.name, text))
	}
	must(f.T, form.Close())
	media, raw := form.FormDataContentType(), body.Bytes()
	if !wrongFrame {
		return raw, media
	}
	frames := []func() ([]byte, string){
		func() ([]byte, string) { return raw, "multipart/form-data" },
		func() ([]byte, string) { return raw, "multipart/form-data; boundary=other" },
		func() ([]byte, string) { return raw, "multipart/mixed; boundary=" + form.Boundary() },
		func() ([]byte, string) { return raw, media + "; boundary=twice" },
		func() ([]byte, string) { return raw[:len(raw)*2/3], media },
		func() ([]byte, string) { return nil, media },
		func() ([]byte, string) { return bytes.ReplaceAll(raw, []byte("name="), []byte("nom=")), media },
		func() ([]byte, string) {
			return bytes.ReplaceAll(raw, []byte(`name="`), []byte("name=\"\x00\xff")), media
		},
		func() ([]byte, string) { return bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), media },
		func() ([]byte, string) {
			return bytes.ReplaceAll(raw, []byte("Content-Disposition"),
				[]byte("Content-Transfer-Encoding: base64\r\nContent-Disposition")), media
		},
		func() ([]byte, string) { return bytes.Repeat(raw[:len(raw)-len(form.Boundary())-6], 60), media },
		func() ([]byte, string) {
			return bytes.Replace(raw, []byte("Content-Disposition"),
				append(bytes.Repeat([]byte("X-A: b\r\n"), 20000), "Content-Disposition"...), 1), media
		},
	}
	return frames[f.rand.IntN(len(frames))]()
}

func (f *fuzz) fileName() string {
	names := []string{
		"deck.pdf", "", "../../etc/passwd", "a\x00b.pdf", "\xff\xfe.pdf", strings.Repeat("ä", 400) + ".pdf", `"`, "con",
		"a/b\\c.txt", "\u202egpj.exe", " ",
	}
	return names[f.rand.IntN(len(names))]
}
