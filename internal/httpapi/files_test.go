package httpapi_test

import (
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// local turns a signed URL into the path on the test's server.
func (s *server) local(signed string) string {
	s.Helper()
	path, found := strings.CutPrefix(signed, "http://deals.example")
	if !found {
		s.Fatalf("%s does not begin with the public URL", signed)
	}
	return path
}

func TestADeckIsDownloaded(t *testing.T) {
	t.Parallel()
	s := start(t)
	content := "<script>alert(1)</script> " + strings.Repeat("deck ", 1000)
	id := s.company(s.key, part{"file_0", "Série A – «Acme».html", content})
	got := s.get(companies+"/"+id+"/download", s.key).want(http.StatusOK)
	expires, err := time.Parse("2006-01-02T15:04:05.000000Z", got.text("data.expires_at"))
	must(t, err)
	if left := time.Until(expires); left < 58*time.Minute || left > time.Hour {
		t.Errorf("by default it expires in %s", left)
	}
	path := s.local(got.text("data.download_url"))
	if !strings.Contains(path, "expires="+strconv.FormatInt(expires.Unix(), 10)) {
		t.Errorf("expires_at %s is not what is signed: %s", expires, path)
	}
	file := s.get(path, "").want(http.StatusOK)
	disposition, params, err := mime.ParseMediaType(file.Header.Get("Content-Disposition"))
	must(t, err)
	if string(file.Raw) != content || disposition != "attachment" || params["filename"] != "Série A – «Acme».html" {
		t.Errorf("%d bytes as %s", len(file.Raw), file.Header.Get("Content-Disposition"))
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
		"Accept-Ranges":  "bytes",
		"Content-Length": strconv.Itoa(len(content)), "Set-Cookie": "",
	} {
		if file.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, file.Header.Get(name), want)
		}
	}
	if !strings.HasPrefix(file.Header.Get("Cache-Control"), "private") {
		t.Errorf("Cache-Control %q", file.Header.Get("Cache-Control"))
	}
	head := s.send(request{Method: http.MethodHead, Path: path}).want(http.StatusOK)
	if len(head.Raw) != 0 || head.Header.Get("Content-Length") != strconv.Itoa(len(content)) {
		t.Errorf("HEAD: %d bytes, Content-Length %s", len(head.Raw), head.Header.Get("Content-Length"))
	}
}

func TestPartsOfAFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"file_0", "d.txt", "0123456789"})
	path := s.local(s.get(companies+"/"+id+"/download", s.key).text("data.download_url"))
	modified := s.get(path, "").Header.Get("Last-Modified")
	tests := map[string]struct {
		header, value, body string
		status              int
		contentRange        string
	}{
		"first":       {"Range", "bytes=0-3", "0123", 206, "bytes 0-3/10"},
		"middle":      {"Range", "bytes=4-5", "45", 206, "bytes 4-5/10"},
		"from":        {"Range", "bytes=7-", "789", 206, "bytes 7-9/10"},
		"last":        {"Range", "bytes=-2", "89", 206, "bytes 8-9/10"},
		"over":        {"Range", "bytes=8-100", "89", 206, "bytes 8-9/10"},
		"last of all": {"Range", "bytes=-20", "0123456789", 206, "bytes 0-9/10"},
		"beside none": {"Range", "bytes=-0, 0-0", "0", 206, "bytes 0-0/10"},
		"other unit":  {"Range", "pages=1-2", "0123456789", 200, ""},
		"not changed": {"If-Modified-Since", modified, "", 304, ""},
		"changed":     {"If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT", "0123456789", 200, ""},
	}
	for name, tc := range tests {
		got := s.send(request{Path: path, Header: http.Header{tc.header: {tc.value}}})
		if got.Status != tc.status || string(got.Raw) != tc.body || got.Header.Get("Content-Range") != tc.contentRange {
			t.Errorf("%s: %d %q, Content-Range %q", name, got.Status, got.Raw, got.Header.Get("Content-Range"))
		}
	}
	for _, ranges := range []string{"bytes=10-", "bytes=-0", "bytes=-00, 12-", "bytes=-+0", "bytes=- 0"} {
		outside := s.send(request{Path: path, Header: http.Header{"Range": {ranges}}})
		outside.refused(http.StatusRequestedRangeNotSatisfiable, "Range not satisfiable", "range_not_satisfiable", "Range")
		if outside.Header.Get("Content-Range") != "bytes */10" || outside.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s is refused with %v", ranges, outside.Header)
		}
	}
	unmet := s.send(request{Path: path, Header: http.Header{"If-Unmodified-Since": {"Mon, 02 Jan 2006 15:04:05 GMT"}}})
	unmet.refused(http.StatusPreconditionFailed, "Precondition failed", "precondition_failed", "")
	malformed := s.send(request{Path: path, Header: http.Header{"Range": {"bytes=5-2"}}})
	malformed.refused(http.StatusRequestedRangeNotSatisfiable, "Range not satisfiable", "range_not_satisfiable", "Range")
	if got := malformed.text("details.0.message"); strings.Contains(got, "Content-Range") {
		t.Errorf("refused without a Content-Range, and says %q", got)
	}
}

func TestHowLongADownloadHolds(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"file_0", "d.txt", "deck"})
	without := s.company(s.key)
	for query, minutes := range map[string]int{"": 60, "?expires_in=1": 1, "?expires_in=1440": 1440} {
		got := s.get(companies+"/"+id+"/download"+query, s.key).want(http.StatusOK)
		expires, err := time.Parse(time.RFC3339, got.text("data.expires_at"))
		must(t, err)
		if !strings.HasSuffix(got.text("data.expires_at"), ".000000Z") {
			t.Errorf("%q: expires_at %s is not what the signature holds", query, got.text("data.expires_at"))
		}
		if off := time.Until(expires) - time.Duration(minutes)*time.Minute; off > time.Second || off < -10*time.Second {
			t.Errorf("%q: expires at %s", query, expires)
		}
	}
	for _, query := range []string{
		"?expires_in=0", "?expires_in=1441", "?expires_in=-5", "?expires_in=x", "?expires_in=",
		"?expires_in=60&expires_in=60", "?expires_in=1.5",
	} {
		s.get(companies+"/"+id+"/download"+query, s.key).refused(400, "Invalid request parameters", "invalid_parameter",
			"expires_in")
		s.get(companies+"/"+missing()+"/download"+query, s.key).refused(400, "Invalid request parameters",
			"invalid_parameter", "expires_in")
	}
	s.get(companies+"/"+without+"/download", s.key).refused(404, "Resource not found", "no_deck", "id")
	s.get(companies+"/"+id+"?include_download_url=yes", s.key).refused(400, "Invalid request parameters",
		"invalid_parameter", "include_download_url")
}

func TestForgedAndExpiredURLsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"file_0", "my deck.txt", "SECRET OF THE DECK"})
	other := s.company(s.key, part{"file_0", "other.txt", "other"})
	path := s.local(s.get(companies+"/"+id+"/download", s.key).text("data.download_url"))
	otherPath := s.local(s.get(companies+"/"+other+"/download", s.key).text("data.download_url"))
	before, query, _ := strings.Cut(path, "?")
	otherBefore, _, _ := strings.Cut(otherPath, "?")
	values, err := url.ParseQuery(query)
	must(t, err)
	with := func(name, value string) string {
		return strings.Replace(path, name+"="+url.PathEscape(values.Get(name)), name+"="+value, 1)
	}
	later := strconv.FormatInt(time.Now().Add(48*time.Hour).Unix(), 10)
	stale := s.local(s.deps.Signer.URL(strings.TrimPrefix(before, "/files/"), "my deck.txt", time.Now().Add(-time.Second)))
	forgeries := map[string]string{
		"no signature": before, "another file": otherBefore + "?" + query, "later expiry": with("expires", later),
		"another name":  with("name", "x.exe"),
		"cut signature": path[:len(path)-1], "signature and more": path + "0", "one more parameter": path + "&x=1",
		"parameter twice": path + "&name=x.exe",
		"upper case":      strings.ToUpper(path[:len("/files/")]) + path[len("/files/"):],
		"encoded slash":   strings.Replace(path, "/"+id, "%2f"+id, 1),
		"dot segments":    strings.Replace(path, "/files/", "/files/./", 1), "outside": "/files/../../etc/passwd?" + query,
		"expired": stale, "nothing": "/files/", "no path": "/files",
	}
	for name, forged := range forgeries {
		got := s.do(s.request(http.MethodGet, forged, nil))
		want := http.StatusForbidden
		if name == "upper case" || name == "no path" {
			want = http.StatusNotFound // no path of ours
		}
		if got.Status != want || strings.Contains(string(got.Raw), "SECRET") || got.at("success") != false {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	s.get(path, "").want(http.StatusOK)
	s.get(path, "mk_wrong").want(http.StatusOK)
	must(t, s.deps.Blobs.Delete(t.Context(), strings.TrimPrefix(before, "/files/")))
	s.get(path, "").refused(404, "Resource not found", "not_found", "")
}

func TestFileNamesAreSentSafely(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, err := s.deps.Blobs.Write(t.Context(), "companies/x", strings.NewReader("content"), 100)
	must(t, err)
	for _, name := range []string{
		"", "a b.pdf", `quote".pdf`, "back\\slash.pdf", "new\r\nSet-Cookie: x=1.pdf", "名前.pdf", "semi;colon.pdf",
		"per%cent.pdf", "\xff.pdf",
	} {
		path := s.local(s.deps.Signer.URL("companies/x", name, time.Now().Add(time.Hour)))
		got := s.do(s.request(http.MethodGet, path, nil)).want(http.StatusOK)
		disposition, params, err := mime.ParseMediaType(got.Header.Get("Content-Disposition"))
		if err != nil || disposition != "attachment" || params["filename"] != name || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("%q is sent as %q, which reads %q, %v", name, got.Header.Get("Content-Disposition"), params["filename"],
				err)
		}
	}
}
