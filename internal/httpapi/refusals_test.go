package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// wantNothingKept fails the test where anything of a refused request is left.
func (s *server) wantNothingKept(what string) {
	s.Helper()
	for _, table := range []string{"companies", "company_files", "work", "activity"} {
		if n := s.count(table); n != 0 {
			s.Errorf("%s: %d rows in %s", what, n, table)
		}
	}
	if keys := s.stored(); len(keys) != 0 {
		s.Errorf("%s: stored files %v", what, keys)
	}
}

func TestAICreationIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, _ := s.stranger()
	foreign := s.get("/api/v1/accounts/"+elsewhere.ID.String()+"/company-statuses", s.key) // not ours to list
	foreign.want(http.StatusForbidden)
	file := part{"file_0", "deck.txt", "deck"}
	tests := map[string]struct {
		parts       []part
		status      int
		code, field string
	}{
		"no text":        {s.parts(file, part{"text", "", "-"}), 400, "invalid_field", "text"},
		"empty text":     {s.parts(file, part{"text", "", ""}), 400, "invalid_field", "text"},
		"blank text":     {s.parts(file, part{"text", "", " \t\r\n\u00a0"}), 400, "invalid_field", "text"},
		"text with NUL":  {s.parts(file, part{"text", "", "a\x00b"}), 400, "invalid_field", "text"},
		"text not UTF-8": {s.parts(file, part{"text", "", "a\xffb"}), 400, "invalid_field", "text"},
		"text too large": {
			s.parts(file, part{"text", "", strings.Repeat("a", 1<<20+1)}), 413, "field_too_large", "text",
		},
		"text twice": {append(s.parts(file), part{"text", "", "more"}), 400, "invalid_field", "text"},
		"text as a file": {
			s.parts(file, part{"text", "", "-"}, part{"text", "t.txt", "x"}), 400, "invalid_field", "text",
		},
		"no account":        {s.parts(file, part{"account_id", "", "-"}), 400, "invalid_field", "account_id"},
		"empty account":     {s.parts(file, part{"account_id", "", ""}), 400, "invalid_field", "account_id"},
		"malformed account": {s.parts(file, part{"account_id", "", "42"}), 400, "invalid_field", "account_id"},
		"account in braces": {
			s.parts(file, part{"account_id", "", "{" + s.account.ID.String() + "}"}), 400, "invalid_field", "account_id",
		},
		"account twice": {
			append(s.parts(file), part{"account_id", "", s.account.ID.String()}), 400, "invalid_field", "account_id",
		},
		"no such account":   {s.parts(file, part{"account_id", "", missing()}), 404, "not_found", ""},
		"another's account": {s.parts(file, part{"account_id", "", elsewhere.ID.String()}), 403, "access_denied", ""},
		"fields before account": {
			s.parts(file, part{"account_id", "", elsewhere.ID.String()}, part{"source", "", "fax"}), 400, "invalid_field",
			"source",
		},
		"empty name": {s.parts(file, part{"name", "", ""}), 400, "invalid_field", "name"},
		"blank name": {s.parts(file, part{"name", "", "  "}), 400, "invalid_field", "name"},
		"long name":  {s.parts(file, part{"name", "", strings.Repeat("é", 256)}), 400, "invalid_field", "name"},
		"name too large": {
			s.parts(file, part{"name", "", strings.Repeat("a", 64<<10+1)}), 413, "field_too_large", "name",
		},
		"name with NUL":      {s.parts(file, part{"name", "", "a\x00"}), 400, "invalid_field", "name"},
		"unknown visibility": {s.parts(file, part{"visibility", "", "public"}), 400, "invalid_field", "visibility"},
		"empty visibility":   {s.parts(file, part{"visibility", "", ""}), 400, "invalid_field", "visibility"},
		"VISIBILITY":         {s.parts(file, part{"visibility", "", "TEAM"}), 400, "invalid_field", "visibility"},
		"unknown source":     {s.parts(file, part{"source", "", "fax"}), 400, "invalid_field", "source"},
		"empty source":       {s.parts(file, part{"source", "", ""}), 400, "invalid_field", "source"},
		"notes too large": {
			s.parts(file, part{"notes", "", strings.Repeat("a", 64<<10+1)}), 413, "field_too_large", "notes",
		},
		"malformed status": {
			s.parts(file, part{"company_status_id", "", "new"}), 400, "invalid_field", "company_status_id",
		},
		"empty status": {
			s.parts(file, part{"company_status_id", "", ""}), 400, "invalid_field", "company_status_id",
		},
		"no such status": {
			s.parts(file, part{"company_status_id", "", missing()}), 400, "invalid_field", "company_status_id",
		},
		"account before status": {
			s.parts(file, part{"account_id", "", elsewhere.ID.String()}, part{"company_status_id", "", missing()}), 403,
			"access_denied", "",
		},
		"metadata no JSON":     {s.parts(file, part{"metadata", "", "a=1"}), 400, "invalid_field", "metadata"},
		"metadata empty":       {s.parts(file, part{"metadata", "", ""}), 400, "invalid_field", "metadata"},
		"metadata an array":    {s.parts(file, part{"metadata", "", "[]"}), 400, "invalid_field", "metadata"},
		"metadata null":        {s.parts(file, part{"metadata", "", "null"}), 400, "invalid_field", "metadata"},
		"metadata a string":    {s.parts(file, part{"metadata", "", `"{}"`}), 400, "invalid_field", "metadata"},
		"metadata with NUL":    {s.parts(file, part{"metadata", "", `{"a":"\u0000"}`}), 400, "invalid_field", "metadata"},
		"metadata half a pair": {s.parts(file, part{"metadata", "", `{"a":"\ud800"}`}), 400, "invalid_field", "metadata"},
		"metadata too deep": {
			s.parts(file, part{"metadata", "", strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101)}), 400,
			"invalid_field", "metadata",
		},
		"metadata too large": {
			s.parts(file, part{"metadata", "", `{"a":"` + strings.Repeat("a", 64<<10) + `"}`}), 413, "field_too_large",
			"metadata",
		},
		"metadata huge number": {s.parts(file, part{"metadata", "", `{"a":1e131073}`}), 400, "invalid_field", "metadata"},
		"metadata long number": {
			s.parts(file, part{"metadata", "", `{"a":0.` + strings.Repeat("1", 20000) + `}`}), 400, "invalid_field", "metadata",
		},
		"dry_run yes":   {s.parts(file, part{"dry_run", "", "yes"}), 400, "invalid_field", "dry_run"},
		"dry_run 1":     {s.parts(file, part{"dry_run", "", "1"}), 400, "invalid_field", "dry_run"},
		"dry_run empty": {s.parts(file, part{"dry_run", "", ""}), 400, "invalid_field", "dry_run"},
		"empty file":    {s.parts(file, part{"file_1", "empty.pdf", ""}), 400, "invalid_field", "file_1"},
		"file too large": {
			s.parts(file, part{"file_1", "large.bin", strings.Repeat("a", 1<<20+1)}), 413, "file_too_large", "file_1",
		},
		"file twice":          {s.parts(file, part{"file_0", "again.txt", "x"}), 400, "invalid_field", "file_0"},
		"an eleventh file":    {s.parts(file, part{"file_10", "x.txt", "x"}), 400, "invalid_field", "file_10"},
		"file_00":             {s.parts(file, part{"file_00", "x.txt", "x"}), 400, "invalid_field", "file_00"},
		"file_x":              {s.parts(file, part{"file_x", "x.txt", "x"}), 400, "invalid_field", "file_x"},
		"file_-1":             {s.parts(file, part{"file_-1", "x.txt", "x"}), 400, "invalid_field", "file_-1"},
		"another file name":   {s.parts(file, part{"deck", "x.txt", "x"}), 400, "invalid_field", "deck"},
		"file":                {s.parts(file, part{"file", "x.txt", "x"}), 400, "invalid_field", "file"},
		"file_1 as a field":   {s.parts(file, part{"file_1", "", "x"}), 400, "invalid_field", "file_1"},
		"file_10 as a field":  {s.parts(file, part{"file_10", "", "x"}), 400, "invalid_field", "file_10"},
		"part without a name": {s.parts(file, part{"", "", "x"}), 400, "invalid_field", "body"},
		"two wrong":           {s.parts(file, part{"dry_run", "", "x"}, part{"name", "", ""}), 400, "invalid_field", "name"},
		"two wrong, the other": {
			s.parts(file, part{"dry_run", "", "x"}, part{"name", "", ""}), 400, "invalid_field", "dry_run",
		},
	}
	messages := map[int]string{
		400: "Invalid request body", 403: "Access denied to this resource", 404: "Resource not found",
		413: "Request too large",
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := s.form(s.key, tc.parts...)
			got.t = t
			got.refused(tc.status, messages[tc.status], tc.code, tc.field)
			s.wantNothingKept(name)
		})
	}
}

func TestFormsThatAreNone(t *testing.T) {
	t.Parallel()
	s := start(t)
	whole, media := encodeForm(t, s.parts(part{"file_0", "deck.txt", strings.Repeat("deck ", 10000)})...)
	_, boundary, _ := strings.Cut(media, "boundary=")
	most := []part{{"account_id", "", "nobody's"}} // beside the text
	for i := range 198 {
		most = append(most, part{fmt.Sprintf("field%d", i), "", "x"})
	}
	mostBody, mostMedia := encodeForm(t, s.parts(most...)...)
	manyBody, manyMedia := encodeForm(t, s.parts(append(most, part{"another", "", "x"})...)...)
	tests := map[string]struct {
		body, media string
		status      int
		code        string
	}{
		"JSON":              {`{"text":"x"}`, "application/json", 415, "unsupported_media_type"},
		"urlencoded":        {"text=x", "application/x-www-form-urlencoded", 415, "unsupported_media_type"},
		"another multipart": {string(whole), "multipart/mixed; boundary=" + boundary, 415, "unsupported_media_type"},
		"no type":           {"text=x", " ", 415, "unsupported_media_type"},
		"no boundary":       {string(whole), "multipart/form-data", 400, "missing_boundary"},
		"another boundary":  {string(whole), "multipart/form-data; boundary=other", 400, "invalid_multipart"},
		"empty":             {"", media, 400, "invalid_multipart"},
		"nothing but end":   {"--" + boundary + "--\r\n", media, 400, "invalid_field"},
		"cut in a file":     {string(whole[:len(whole)-1000]), media, 400, "invalid_multipart"},
		"cut in a field":    {string(whole[:200]), media, 400, "invalid_multipart"},
		"cut in a header":   {string(whole[:80]), media, 400, "invalid_multipart"},
		"cut at the end":    {strings.TrimSuffix(string(whole), "--\r\n"), media, 400, "invalid_multipart"},
		"garbage":           {strings.Repeat("garbage\r\n", 1000), media, 400, "invalid_multipart"},
		"200 parts":         {string(mostBody), mostMedia, 400, "invalid_field"},
		"201 parts":         {string(manyBody), manyMedia, 400, "too_many_parts"},
	}
	messages := map[int]string{400: "Invalid request body", 415: "Unsupported media type"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := s.send(request{Method: http.MethodPost, Path: upload, Key: s.key, Body: tc.body, Type: tc.media})
			got.t = t
			got.refused(tc.status, messages[tc.status], tc.code, "")
			s.wantNothingKept(name)
		})
	}
}

func TestRefusalsOfFormsSayWhatToDo(t *testing.T) {
	t.Parallel()
	s := start(t)
	twice, media := encodeForm(t, append(s.parts(), part{"text", "", "again"})...)
	for name, tc := range map[string]struct{ body, media, want string }{
		"no boundary": {string(twice), "multipart/form-data", "let the client that builds the form set it"},
		"cut off":     {string(twice[:80]), media, "send every part, and the boundary at the end"},
		"sent twice":  {string(twice), media, "send it once"},
	} {
		got := s.send(request{Method: http.MethodPost, Path: upload, Key: s.key, Body: tc.body, Type: tc.media})
		got.want(http.StatusBadRequest)
		if said, _ := got.at("details.0.message").(string); !strings.HasSuffix(said, tc.want) {
			t.Errorf("%s: the refusal says %q, want at its end %q", name, said, tc.want)
		}
	}
}

func TestATooLongFormIsRefusedBeforeItIsRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST "+upload+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.key+
		"\r\nContent-Type: multipart/form-data; boundary=x\r\nExpect: 100-continue\r\nContent-Length: 100000000000\r\n\r\n")
	must(t, err)
	answer := make([]byte, 4096)
	n, err := conn.Read(answer)
	must(t, err)
	if text := string(answer[:n]); !strings.HasPrefix(text, "HTTP/1.1 413") ||
		!strings.Contains(text, `"Request too large"`) {
		t.Errorf("answered %s", text)
	}
}

// An endless form, without a length of its own, ends at the limit.
func TestAnEndlessFormIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.MaxFileSize = 1000 })
	head, media := encodeForm(t, part{"unknown", "", ""})
	body := io.MultiReader(bytes.NewReader(head[:bytes.Index(head, []byte("\r\n\r\n"))+4]),
		io.LimitReader(zeros{}, 40<<20))
	sent := s.request(http.MethodPost, upload, struct{ io.Reader }{body})
	sent.Header.Set("Content-Type", media)
	sent.Header.Set("Authorization", "Bearer "+s.key)
	got := s.do(sent)
	got.refused(http.StatusRequestEntityTooLarge, "Request too large", "body_too_large", "body")
	s.wantNothingKept("an endless form")
}

func TestADryRunWhoseClientLeavesIsClearedAway(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker, c.AnalysisWait = true, time.Minute })
	whole, media := encodeForm(t, s.parts(part{"dry_run", "", "true"}, part{"file_0", "deck.txt", "deck"})...)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	_, err = fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		upload, s.key, media, len(whole), whole)
	must(t, err)
	s.eventually("it waits for a worker", func() bool { return s.count("work") == 1 && len(s.stored()) == 1 })
	must(t, conn.Close())
	s.eventually("it is cleared away", func() bool { return s.count("work") == 0 && len(s.stored()) == 0 })
}

func TestAClientThatLeavesLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	whole, media := encodeForm(t, s.parts(part{"file_0", "deck.txt", strings.Repeat("deck ", 50000)})...)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	_, err = fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		upload, s.key, media, len(whole), whole[:len(whole)/2])
	must(t, err)
	s.eventually("the upload has begun", func() bool { return len(s.stored()) > 0 })
	must(t, conn.Close())
	s.eventually("nothing is stored", func() bool { return len(s.stored()) == 0 })
	s.eventually("it is logged", func() bool { return strings.Contains(s.log.String(), "invalid_multipart") })
	s.wantNothingKept("a client that left")
}

func (s *server) eventually(what string, holds func() bool) {
	s.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("never: %s", what)
		}
	}
}
