package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

const importID = "0190a5b2-7c7e-7000-8000-0000000000dd"

// importState is an import as the API shows it.
func importState(status string, processed, failed int, problem string) string {
	const total = 7
	finished, reason := "null", "null"
	if status != "running" && status != "receiving" {
		finished = `"2026-03-02T10:00:00.123456Z"`
	}
	if problem != "" {
		reason = fmt.Sprintf("%q", problem)
	}
	return fmt.Sprintf(`{"id":"%s","account_id":"%s","kind":"emails","format":"ndjson",
		"create_companies":false,"status":"%s","total":%d,"processed":%d,"created":%d,"duplicates":0,
		"failed":%d,"error":%s,"created_by":"%[2]s","created_at":"2026-03-02T10:00:00.123456Z",
		"updated_at":"2026-03-02T10:00:00.123456Z","finished_at":%[9]s}`,
		importID, teamID, status, total, processed, processed-failed, failed, reason, finished)
}

// importAPI takes a file, and breaks off its first stream of events.
type importAPI struct {
	*httptest.Server

	path, media, file string
	streams           atomic.Int32
}

func newImportAPI(t *testing.T, end string) *importAPI {
	t.Helper()
	api := &importAPI{}
	api.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			body, _ := io.ReadAll(r.Body)
			api.path, api.media, api.file = r.URL.RequestURI(), r.Header.Get("Content-Type"), string(body)
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w,
				`{"success":true,"data":{"import":`+importState("running", 0, 0, "")+`},"authType":"api_key"}`)
		case strings.HasSuffix(r.URL.Path, "/events") && api.streams.Add(1) == 1:
			event(w, importState("running", 3, 0, ""))
		case strings.HasSuffix(r.URL.Path, "/events"):
			_, _ = io.WriteString(w, ": alive\n\n")
			event(w, end)
		default:
			for row := range 7 {
				_, _ = fmt.Fprintf(w, `{"row":%d,"reason":"from_email is\u001b[2J required"}`+"\n", row+1)
			}
		}
	}))
	t.Cleanup(api.Close)
	return api
}

func event(w io.Writer, state string) {
	_, _ = io.WriteString(w, "data: "+strings.ReplaceAll(state, "\n", "")+"\n\n")
}

func (api *importAPI) env() []string {
	return []string{"DEALFLOW_URL=" + api.URL + "/api/v1", "DEALFLOW_API_KEY=" + apiKey, "DEALFLOW_ACCOUNT_ID=" + teamID}
}

// called runs dealflow import.
func called(t *testing.T, api *importAPI, args ...string) (code int, out, errOut string) {
	t.Helper()
	got := command{env: api.env(), args: append([]string{"import"}, args...)}.run(t)
	return got.code, got.out, got.errOut
}

func TestImportSendsTheFileAndWatchesItToItsEnd(t *testing.T) {
	t.Parallel()
	api := newImportAPI(t, importState("completed", 7, 0, ""))
	path := write(t, "mails.jsonl", `{"from_email":"a@b.example"}`+"\n")
	code, out, errOut := called(t, api, path, "--create-companies", "--json")
	if code != 0 || !strings.Contains(out, `"status":"completed"`) || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
	if api.path != "/api/v1/accounts/"+teamID+"/imports/emails?create_companies=true" ||
		api.media != "application/x-ndjson" || api.file != `{"from_email":"a@b.example"}`+"\n" {
		t.Errorf("sent %s as %s: %s", api.path, api.media, api.file)
	}
	if api.streams.Load() != 2 || !strings.Contains(errOut, "rows written") {
		t.Errorf("%d streams, %s", api.streams.Load(), errOut)
	}
}

func TestImportTellsHowFastAFileWentThatIsSentAtOnce(t *testing.T) {
	t.Parallel()
	api := newImportAPI(t, importState("completed", 7, 0, ""))
	_, _, errOut := called(t, api,
		write(t, "mails.ndjson", `{"from_email":"a@b.example","content":"`+strings.Repeat("x", 8<<20)+`"}`))
	if !strings.Contains(errOut, "8.4 of 8.4 MB sent, ") || strings.Contains(errOut, " 0.0 MB/s") {
		t.Errorf("it shows %s", errOut)
	}
}

func TestImportTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		end  string
		want []string
	}{
		"bad rows": {
			importState("completed", 7, 7, ""), []string{`row 1: "from_email is\x1b[2J required"`, "row 5:", "… all 7: GET "},
		},
		"failed": {importState("failed", 3, 0, "the upload broke off"), []string{"the import failed: the upload broke off"}},
		"cancel": {importState("cancelled", 3, 0, ""), nil},
	} {
		api := newImportAPI(t, tc.end)
		code, out, errOut := called(t, api, write(t, "mails.ndjson", `{"from_email":"a@b.example"}`))
		if code != 1 || !strings.Contains(out, "7 rows") {
			t.Errorf("%s: exit %d, %s", name, code, out)
		}
		for _, want := range tc.want {
			if !strings.Contains(errOut, want) {
				t.Errorf("%s: %s lacks %s", name, errOut, want)
			}
		}
		if strings.Contains(errOut, "row 6:") || strings.Contains(errOut, "\x1b") {
			t.Errorf("%s: %q", name, errOut)
		}
	}
}

func TestImportGuessesWhatAFileIs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file, text  string
		flags       []string
		path, media string
	}{
		"mailbox":     {"m.MBOX", "From a", nil, "emails", "application/mbox"},
		"message":     {"m.eml", "From: a", nil, "emails", "message/rfc822"},
		"companies":   {"a.ndjson", `{"text":"x"}`, nil, "companies", "application/x-ndjson"},
		"submissions": {"a.jsonl", "\n" + `{"data":[]}` + "\n{", nil, "form-submissions", "application/x-ndjson"},
		"table":       {"a.csv", "\ufeff\"text\";name\n", nil, "companies", "text/csv"},
		"sep line":    {"a.csv", "sep=;\r\nname;text\r\n", nil, "companies", "text/csv"},
		"UTF-16":      {"a.csv", "\xff\xfet\x00e\x00x\x00t\x00\t\x00n\x00\n\x00", nil, "companies", "text/csv"},
		"old Mac":     {"a.csv", "name,text\rAcme,We forge\r", nil, "companies", "text/csv"},
		"answers":     {"a.csv", "name,context\n", nil, "form-submissions", "text/csv"},
		"told": {
			"a.txt", "{}", []string{"--format", "ndjson", "--kind", "companies"}, "companies", "application/x-ndjson",
		},
	} {
		api := newImportAPI(t, importState("completed", 7, 0, ""))
		code, _, errOut := called(t, api, append([]string{write(t, tc.file, tc.text)}, tc.flags...)...)
		if code != 0 || api.path != "/api/v1/accounts/"+teamID+"/imports/"+tc.path || api.media != tc.media ||
			api.file != tc.text {
			t.Errorf("%s: exit %d, %s as %s, %q; %s", name, code, api.path, api.media, api.file, errOut)
		}
	}
}

func TestImportRefusesWhatItCannotSend(t *testing.T) {
	t.Parallel()
	api := newImportAPI(t, importState("completed", 7, 0, ""))
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no format": {[]string{write(t, "a.bin", "x")}, "give --format"},
		"no kind":   {[]string{write(t, "a.ndjson", `{"name":"x"}`)}, "give --kind"},
		"odd kind":  {[]string{write(t, "a.ndjson", `{}`), "--kind", "minutes"}, `"minutes" is neither`},
		"missing":   {[]string{"/does/not/exist.csv"}, "no such file"},
		"folder":    {[]string{t.TempDir()}, "is a folder"},
	} {
		code, _, errOut := called(t, api, tc.args...)
		if code != 1 || !strings.Contains(errOut, tc.want) || api.path != "" {
			t.Errorf("%s: exit %d, %s", name, code, errOut)
		}
	}
}
