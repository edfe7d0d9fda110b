package httpapi_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// breakStorage lets nothing be written until the function that it returns is called. Whoever runs the tests may write
// everywhere, so files are where folders should be.
func (s *server) breakStorage() (mend func()) {
	s.Helper()
	names := []string{"incoming", "companies", "emails", "imports"}
	for _, name := range names {
		path := filepath.Join(s.folder, name)
		if err := os.Rename(path, path+".aside"); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.Fatal(err)
		}
		must(s.T, os.WriteFile(path, nil, 0o600))
	}
	return func() {
		for _, name := range names {
			path := filepath.Join(s.folder, name)
			must(s.T, os.Remove(path))
			if err := os.Rename(path+".aside", path); err != nil && !errors.Is(err, os.ErrNotExist) {
				s.Fatal(err)
			}
		}
	}
}

func TestAStorageThatTakesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	mail := s.hook("email", nil)
	id := s.company(s.key)
	large := append(mailOf("large"), strings.Repeat("x", 300<<10)...)
	asked := map[string]func() reply{
		"a creation": func() reply { return s.form(s.key, s.parts(part{"file_0", "a.txt", "a"})...) },
		"a dry run": func() reply {
			return s.form(s.key, s.parts(part{"file_0", "a.txt", "a"}, part{"dry_run", "", "true"})...)
		},
		"an attachment": func() reply { return s.attach(id, s.key, part{"file", "b.txt", "b"}) },
		"an import": func() reply {
			return s.send(request{
				Method: http.MethodPost, Path: s.accountPath("imports/companies"), Key: s.key, Type: "application/x-ndjson",
				Body: `{"external_id":"1","text":"Acme"}`,
			})
		},
		"a mail":       func() reply { return mail.handSigned("message/rfc822", mailOf("small")) },
		"a large mail": func() reply { return mail.handSigned("message/rfc822", large) },
	}
	mend := s.breakStorage()
	for what, ask := range asked {
		if got := ask(); got.Status != http.StatusServiceUnavailable || got.at("code") != "storage_unavailable" ||
			got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v %s", what, got.Status, got.Header, got.Raw)
		}
	}
	s.form(s.key, s.parts()...).want(http.StatusOK) // what has no file needs no storage
	mend()
	if n := s.count("imports") + s.count("company_files") + s.count("emails") + s.count("receipts"); n != 0 ||
		len(s.stored()) != 0 {
		t.Errorf("%d rows and %v are kept of what was refused", n, s.stored())
	}
	for what, ask := range asked {
		if got := ask(); got.Status >= 300 {
			t.Errorf("%s, once it works: %d %s", what, got.Status, got.Raw)
		}
	}
}
