package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// archiveAPI is an API that restores an account, asks for the first file again later, and then breaks the connection
// once.
type archiveAPI struct {
	*httptest.Server

	mu    sync.Mutex
	lines string
	files []string // line and content of each
	asked int
	bad   int // how many of the lines are bad
}

func newArchiveAPI(t *testing.T) *archiveAPI {
	t.Helper()
	api := &archiveAPI{}
	api.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.mu.Lock()
		defer api.mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL.Path, "/imports/account"):
			body, _ := io.ReadAll(r.Body)
			api.lines = string(body)
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"success":true,"data":{"import":`+importState("completed", 7,
				api.bad, "")+`},"authType":"api_key"}`)
		case strings.HasSuffix(r.URL.Path, "/errors"):
			_, _ = io.WriteString(w, `{"row":2,"reason":"is bad"}`+"\n")
		case strings.HasSuffix(r.URL.Path, "/imports/account/files"):
			switch api.asked++; api.asked {
			case 1:
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, `{"success":false,"error":"Service unavailable","data":null,"code":"overloaded","details":[]}`)
				return
			case 2:
				panic(http.ErrAbortHandler)
			}
			file, _, err := r.FormFile("file")
			if err != nil {
				w.WriteHeader(http.StatusBadRequest) // the archive is damaged
				return
			}
			content, _ := io.ReadAll(file)
			api.files = append(api.files, r.FormValue("line")+" "+string(content))
			_, _ = io.WriteString(w, `{"success":true,"data":{"file":{"type":"file","path":"p","sha256":"`+strings.Repeat("a",
				64)+`","created":true}},"authType":"api_key"}`)
		}
	}))
	t.Cleanup(api.Close)
	return api
}

// archived returns a zip archive with files of these names and contents.
func archived(t *testing.T, files ...[2]string) string {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, file := range files {
		entry, err := archive.Create(file[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(entry, file[1])
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "team.zip", out.String())
}

const (
	companyLine = `{"type":"company","data":{"id":"1"}}`
	fileLine    = `{"type":"file","data":{"id":"2","path":"files/2/a.txt"}}`
	goneLine    = `{"type":"file","data":{"id":"3","path":"files/3/b.txt"}}`
)

func TestImportTakesAnArchiveBack(t *testing.T) {
	t.Parallel()
	api := newArchiveAPI(t)
	end := fmt.Sprintf(`{"type":"end","data":{"lines":%d}}`, 3)
	path := archived(t, [2]string{archiveLines, strings.Join([]string{companyLine, fileLine, goneLine, end}, "\n") +
		"\n"}, [2]string{"files/2/a.txt", "content"})
	got := command{env: []string{
		"DEALFLOW_URL=" + api.URL + "/api/v1", "DEALFLOW_API_KEY=" + apiKey,
		"DEALFLOW_ACCOUNT_ID=" + teamID,
	}, args: []string{"import", path}}.run(t)
	if got.code != 1 || !strings.Contains(got.errOut, "files/3/b.txt") ||
		!strings.Contains(got.errOut, "2 files: 1 new, 0 there already, 1 bad.") {
		t.Errorf("exit %d: %s%s", got.code, got.out, got.errOut)
	}
	if api.lines != companyLine+"\n"+end+"\n" {
		t.Errorf("the lines are %s", api.lines)
	}
	if len(api.files) != 1 || api.files[0] != fileLine+" content" {
		t.Errorf("the files are %q", api.files)
	}
}

// TestImportOfAnArchiveShowsWhatEndedIt has a bad line, which is printed, and then a file that is damaged.
func TestImportOfAnArchiveShowsWhatEndedIt(t *testing.T) {
	t.Parallel()
	api := newArchiveAPI(t)
	api.bad, api.asked = 1, 2
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	lines, err := archive.Create(archiveLines)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(lines, strings.Join([]string{companyLine, fileLine, `{"type":"end","data":{"lines":2}}`}, "\n"))
	file, err := archive.CreateRaw(&zip.FileHeader{
		Name: "files/2/a.txt", CRC32: 1, CompressedSize64: 7, UncompressedSize64: 7,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(file, "content")
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	got := command{env: []string{
		"DEALFLOW_URL=" + api.URL + "/api/v1", "DEALFLOW_API_KEY=" + apiKey,
		"DEALFLOW_ACCOUNT_ID=" + teamID,
	}, args: []string{"import", write(t, "team.zip", out.String())}}.run(t)
	if got.code != 1 || !strings.Contains(got.errOut, "is bad") || !strings.Contains(got.errOut, "checksum error") {
		t.Errorf("exit %d, and not both errors: %s%s", got.code, got.out, got.errOut)
	}
}

func TestImportSendsNothingOfAHalfArchive(t *testing.T) {
	t.Parallel()
	api := newArchiveAPI(t)
	for name, path := range map[string]string{
		"no end":      archived(t, [2]string{archiveLines, companyLine + "\n"}),
		"lines lack":  archived(t, [2]string{archiveLines, companyLine + "\n" + `{"type":"end","data":{"lines":2}}` + "\n"}),
		"another zip": archived(t, [2]string{"a.txt", "a"}),
		"no zip":      write(t, "team.zip", "PK"),
	} {
		got := command{env: []string{
			"DEALFLOW_URL=" + api.URL + "/api/v1", "DEALFLOW_API_KEY=" + apiKey,
			"DEALFLOW_ACCOUNT_ID=" + teamID,
		}, args: []string{"import", path}}.run(t)
		if got.code != 1 || api.lines != "" {
			t.Errorf("%s: exit %d, sent %q: %s", name, got.code, api.lines, got.errOut)
		}
	}
}
