package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestExportLeavesNoHalfFile exports from an API that answers whole, and from one whose connection breaks.
func TestExportLeavesNoHalfFile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		breaks bool
		code   int
		want   string
	}{"whole": {false, 0, "the archive"}, "broken": {true, 1, ""}} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked := r.URL.RequestURI() == "/api/v1/accounts/"+teamID+"/export?format=zip"
			if !asked || r.Header.Get("Authorization") != "Bearer "+apiKey {
				t.Errorf("asked for %s as %s", r.URL.Path, r.Header.Get("Authorization"))
			}
			_, _ = io.WriteString(w, "the archive")
			if tc.breaks {
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
		}))
		folder := t.TempDir()
		path := filepath.Join(folder, "team.zip")
		env := []string{"DEALFLOW_URL=" + api.URL + "/api/v1", "DEALFLOW_API_KEY=" + apiKey, "DEALFLOW_ACCOUNT_ID=" + teamID}
		got := command{env: env, args: []string{"export", "-o", path}}.run(t)
		raw, _ := os.ReadFile(path)
		if got.code != tc.code || string(raw) != tc.want {
			t.Errorf("%s: exit %d, the file holds %q: %s", name, got.code, raw, got.errOut)
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != len(tc.want)/len("the archive") {
			t.Errorf("%s: %v is left, %v", name, left, err)
		}
		if again := (command{env: env, args: []string{"export", "-o", path}}).run(t); tc.want != "" && again.code != 1 {
			t.Errorf("%s: it writes over a file", name)
		}
		api.Close()
	}
}
