package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	teamID = "0190a5b2-7c7e-7000-8000-0000000000aa"
	madeID = "0190a5b2-7c7e-7000-8000-0000000000cc"
	apiKey = "mk_abcdefghijklmnopqrstuvwxyz234567"
)

// received is a request as the API got it.
type received struct {
	method, path, authorization string
	order                       []string // names of the parts
	fields                      map[string]string
	fileNames                   map[string]string
}

// fakeAPI answers every request with one answer, after it has read it as the API does.
type fakeAPI struct {
	*httptest.Server

	requests chan received
}

func newAPI(t *testing.T, status int, header map[string]string, answer string) fakeAPI {
	t.Helper()
	api := fakeAPI{requests: make(chan received, 20)}
	api.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := receive(r)
		if err != nil {
			t.Errorf("read the form: %v", err)
		}
		api.requests <- got
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(api.Close)
	return api
}

func receive(r *http.Request) (received, error) {
	got := received{
		method: r.Method, path: r.URL.Path, authorization: r.Header.Get("Authorization"), fields: map[string]string{},
		fileNames: map[string]string{},
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return got, err
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return got, err
		}
		name := part.FormName()
		got.order = append(got.order, name)
		got.fields[name] = string(value)
		if part.FileName() != "" {
			got.fileNames[name] = part.FileName()
		}
	}
}

func (api fakeAPI) url() string { return api.URL + "/api/v1" }

func (api fakeAPI) env() []string {
	return []string{"DEALFLOW_URL=" + api.url() + "/", "DEALFLOW_API_KEY=" + apiKey, "DEALFLOW_ACCOUNT_ID=" + teamID}
}

const madeCompany = `{"id":"` + madeID + `","account_id":"` + teamID +
	`","name":"Acme <Labs>","source":"email","deck_link":null,` +
	`"deck_storage_path":"a/b.pdf","company_status_id":"` + teamID + `","company_status":{"id":"` + teamID +
	`","status_text":"New","color":"#3B82F6","rank":1},` +
	`"metadata":{"founders":[],"round":12345678901234567890},"visibility":"team","source_content":"t","notes":null,` +
	`"metadata_search_text":"","assignees":[],` +
	`"created_at":"2026-03-02T10:00:00.100000Z","updated_at":"2026-03-02T10:00:00.123456Z","created_by":"` + teamID +
	`","updated_by":"` + teamID + `"}`

func answer(company, processedAt, attachments string) string {
	return `{"success":true,"data":{"company":` + company + `,"attachments":` + attachments +
		`,"analysis":{"processedAt":` + processedAt + `}},"authType":"api_key"}`
}

func madeAnswer() string { return answer(madeCompany, `"2026-03-02T10:00:00.123456Z"`, `[]`) }

func TestAddSendsTheForm(t *testing.T) {
	t.Parallel()
	deck, err := os.ReadFile("testdata/rl-helv-12.pdf")
	if err != nil {
		t.Fatal(err)
	}
	mail := write(t, "mail.txt", "Hello,\nwe make anvils.\n")
	notes := write(t, `no "tes".md`, "# notes")
	for name, tc := range map[string]struct {
		stdin     string
		args      []string
		want      map[string]string
		wantFiles map[string]string
	}{
		"text alone": {"", []string{"--text", "we make anvils"}, map[string]string{"text": "we make anvils"}, nil},
		"stdin":      {"a\r\nß\n", []string{"--text", "-"}, map[string]string{"text": "a\r\nß\n"}, nil},
		"text file":  {"", []string{"--text", "@" + mail}, map[string]string{"text": "Hello,\nwe make anvils.\n"}, nil},
		"every field": {
			"",
			[]string{
				"--text", "t", "--name", "Acme", "--visibility", "private", "--source", "referral", "--notes", "", "--status",
				madeID,
				"--metadata", `{"a":1}`, "--dry-run",
			},
			map[string]string{
				"text": "t", "name": "Acme", "visibility": "private", "source": "referral", "notes": "",
				"company_status_id": madeID,
				"metadata":          `{"a":1}`, "dry_run": "true",
			},
			nil,
		},
		"files, then flags": {
			"",
			[]string{"testdata/rl-helv-12.pdf", notes, "--text", "t"},
			map[string]string{"text": "t", "file_0": string(deck), "file_1": "# notes"},
			map[string]string{"file_0": "rl-helv-12.pdf", "file_1": `no "tes".md`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := newAPI(t, http.StatusOK, nil, madeAnswer())
			command{env: api.env(), stdin: tc.stdin, args: append([]string{"add"}, tc.args...)}.run(t).wantQuiet(t)
			got := <-api.requests
			if got.method != http.MethodPost || got.path != "/api/v1/companies/upload/ai" ||
				got.authorization != "Bearer "+apiKey {
				t.Errorf("%s %s, authorization %q", got.method, got.path, got.authorization)
			}
			want := maps.Clone(tc.want)
			want["account_id"] = teamID
			if !maps.Equal(got.fields, want) || !maps.Equal(got.fileNames, tc.wantFiles) {
				t.Errorf("got the fields %q with the files %q, want %q with %q", got.fields, got.fileNames, want, tc.wantFiles)
			}
			if files := len(tc.wantFiles); got.order[len(got.order)-1-files] != "text" {
				t.Errorf("the order is %v, want the files last", got.order)
			}
		})
	}
}

func TestAddShowsTheCompany(t *testing.T) {
	t.Parallel()
	const plain = `{"id":null,"account_id":"` + teamID +
		`","name":"Evil\u001b[2J","source":"manual","deck_link":null,"deck_storage_path":null,"company_status":null}`
	linked := strings.Replace(plain, `"deck_link":null`, `"deck_link":"https://docsend.com/view/x"`, 1)
	for name, tc := range map[string]struct{ answer, want string }{
		"added": {madeAnswer(), `Added "Acme <Labs>" with the id ` + madeID + `: source email, status "New", deck stored.`},
		"attachments, analysis goes on": {
			answer(madeCompany, "null", `[{},{}]`),
			`Added "Acme <Labs>" with the id ` + madeID +
				`: source email, status "New", deck stored, attachments: 2, the analysis goes on and is written to the company ` +
				`when it is done.`,
		},
		"dry run": {
			answer(plain, `"2026-03-02T10:00:00.123456Z"`, `[]`), `Would add "Evil\x1b[2J": source manual, no status, no deck.`,
		},
		"link": {answer(linked, `"2026-03-02T10:00:00.123456Z"`,
			`[]`), `Would add "Evil\x1b[2J": source manual, no status, deck at "https://docsend.com/view/x".`},
	} {
		api := newAPI(t, http.StatusOK, nil, tc.answer)
		o := command{env: api.env(), args: []string{"add", "--text", "t"}}.run(t)
		o.wantQuiet(t)
		if o.out != tc.want+"\n" {
			t.Errorf("%s: says\n%swant\n%s", name, o.out, tc.want)
		}
	}
	api := newAPI(t, http.StatusOK, nil, madeAnswer())
	object := command{env: api.env(), args: []string{"--json", "add", "--text", "t"}}.run(t).object(t)
	var want map[string]any
	if err := json.Unmarshal([]byte(madeCompany), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(object, want) {
		t.Errorf("printed %v, want %v", object, want)
	}
}

func TestAddFindsTheServer(t *testing.T) {
	t.Parallel()
	api := newAPI(t, http.StatusOK, nil, madeAnswer())
	elsewhere := newAPI(t, http.StatusOK, nil, madeAnswer())
	const otherKey, otherTeam = "mk_other", "0190a5b2-7c7e-7000-8000-0000000000bb"
	devEnv := "DEALFLOW_URL=" + api.url() + "\nDEALFLOW_ACCOUNT_ID=" + teamID + "\nDEALFLOW_API_KEY=" + apiKey + "\n"
	for name, tc := range map[string]struct {
		env, args []string
		api       fakeAPI
		key, team string // "": refused
	}{
		"dev.env": {nil, nil, api, apiKey, teamID},
		"environment before dev.env": {
			[]string{"DEALFLOW_API_KEY=" + otherKey, "DEALFLOW_ACCOUNT_ID=" + otherTeam}, nil, api, otherKey, otherTeam,
		},
		"flags before environment": {
			elsewhere.env(),
			[]string{"--url", api.url(), "--api-key", otherKey, "--account", otherTeam},
			api, otherKey,
			otherTeam,
		},
		"the same server":                   {[]string{"DEALFLOW_URL=" + api.url() + "/"}, nil, api, apiKey, teamID},
		"another server by the environment": {[]string{"DEALFLOW_URL=" + elsewhere.url()}, nil, elsewhere, "", ""},
		"another server by a flag": {
			nil, []string{"--url", elsewhere.url(), "--account", otherTeam}, elsewhere, "", "",
		},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "dev.env"), []byte(devEnv), 0o600); err != nil {
			t.Fatal(err)
		}
		o := command{
			env: append([]string{"DATA_DIR=" + dir}, tc.env...), args: append([]string{"add", "--text", "t"}, tc.args...),
		}.run(t)
		if tc.key == "" {
			o.wantRefusal(t, "set --api-key or DEALFLOW_API_KEY")
			if len(tc.api.requests) > 0 {
				t.Errorf("%s: the key of dev.env went to another server", name)
			}
			continue
		}
		o.wantQuiet(t)
		if got := <-tc.api.requests; got.authorization != "Bearer "+tc.key || got.fields["account_id"] != tc.team {
			t.Errorf("%s: authorization %q for account %q", name, got.authorization, got.fields["account_id"])
		}
	}
}

func TestAddTellsWhatTheAPIRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		header map[string]string
		answer string
		want   string
	}{
		"field": {
			400, nil,
			`{"success":false,"error":"Invalid request body","data":null,"code":"invalid_field","details":[{"field":"source",` +
				`"message":"must be one of these"},{"field":"file_1","message":"is damaged"}]}`,
			"the API refused (400): Invalid request body: source: must be one of these; memo.txt: is damaged",
		},
		"key": {
			401, nil, `{"success":false,"error":"Invalid or expired API key","data":null}`,
			"Invalid or expired API key: make a key with dealflow key create and set DEALFLOW_API_KEY",
		},
		"rate": {
			429,
			map[string]string{"Retry-After": "7"},
			`{"success":false,"error":"Rate limit exceeded","data":null}`,
			"Rate limit exceeded: try again in 7 s",
		},
		"account": {
			404, nil, `{"success":false,"error":"Resource not found","data":null,"details":[]}`,
			"Resource not found: check the ids of account and status",
		},
		"failure": {
			500, nil, `{"success":false,"error":"Internal server error","data":null}`,
			"the API refused (500): Internal server error",
		},
		"another site":  {200, nil, `<html>welcome</html>`, "does the address end in /api/v1?"},
		"other JSON":    {404, nil, `{"message":"no route"}`, "answered 404, and not as this API does"},
		"redirect":      {302, map[string]string{"Location": "/login"}, ``, "answered 302, and not as this API does"},
		"no company":    {200, nil, `{"success":true,"data":{}}`, "understand the company"},
		"data is wrong": {200, nil, `{"success":true,"data":[]}`, "understand the answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := newAPI(t, tc.status, tc.header, tc.answer)
			memo := write(t, "memo.txt", "memo")
			o := command{env: api.env(), args: []string{"add", "--json", "--text", "t", "testdata/rl-helv-12.pdf", memo}}.run(t)
			o.wantRefusal(t, tc.want)
			if strings.Contains(o.errOut, apiKey) {
				t.Errorf("stderr tells the key: %s", o.errOut)
			}
		})
	}
}

func TestAddRefusesBeforeItSends(t *testing.T) {
	t.Parallel()
	api := newAPI(t, http.StatusOK, nil, madeAnswer())
	deck, empty := "testdata/rl-helv-12.pdf", write(t, "empty.pdf", "")
	for name, tc := range map[string]struct {
		env, args []string
		want      string
	}{
		"no text":      {api.env(), []string{deck}, `"text" not set`},
		"no such file": {api.env(), []string{"--text", "t", deck, "none.pdf"}, "none.pdf: no such file"},
		"no such text": {api.env(), []string{"--text", "@none.txt"}, "none.txt: no such file"},
		"folder":       {api.env(), []string{"--text", "t", t.TempDir()}, "is no regular file"},
		"empty file":   {api.env(), []string{"--text", "t", empty}, "empty.pdf is empty"},
		"eleven files": {
			api.env(), append([]string{"--text", "t"}, slices.Repeat([]string{deck}, 11)...),
			"at most 10 files, and these are 11",
		},
		"nothing set": {
			nil, []string{
				"--text", "t",
			}, "set --url or DEALFLOW_URL, and --api-key or DEALFLOW_API_KEY, and --account or DEALFLOW_ACCOUNT_ID",
		},
		"no id of account": {api.env(), []string{"--text", "t", "--account", "mine"}, `the account "mine" is no id`},
		"no id of status":  {api.env(), []string{"--text", "t", "--status", "New"}, `--status: "New" is no id`},
		"no object":        {api.env(), []string{"--text", "t", "--metadata", "[1]"}, "--metadata must be a JSON object"},
		"two objects":      {api.env(), []string{"--text", "t", "--metadata", "{} {}"}, "--metadata must be a JSON object"},
		"brace too many":   {api.env(), []string{"--text", "t", "--metadata", `{"a":1}}`}, "--metadata must be a JSON object"},
		"bracket too many": {api.env(), []string{"--text", "t", "--metadata", "{} ]"}, "--metadata must be a JSON object"},
		"address, no http": {api.env(), []string{"--text", "t", "--url", "127.0.0.1:8080"}, "is no address of an API"},
		"key with a break": {api.env(), []string{"--text", "t", "--api-key", "mk_a\nb"}, "is no API key"},
		"nothing listening": {
			api.env(), []string{"--text", "t", "--url", "http://127.0.0.1:1/api/v1"}, "start it with dealflow up",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := command{env: tc.env, args: append([]string{"add"}, tc.args...)}.run(t)
			o.wantRefusal(t, tc.want)
			if strings.Contains(o.errOut, apiKey) {
				t.Errorf("stderr tells the key: %s", o.errOut)
			}
		})
	}
	if n := len(api.requests); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestAddIsInterrupted sends a signal while the API has not answered.
func TestAddIsInterrupted(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is noticed
		<-r.Context().Done()
	}))
	defer server.Close()
	cmd := command{args: []string{
		"add", "--text", "t", "--url", server.URL + "/api/v1", "--api-key", apiKey, "--account", teamID,
	}}.cmd(t.Context(), t)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code is compared
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), "interrupt signal received") ||
		strings.Contains(said.String(), "start it with") {
		t.Errorf("exit code %d: %s", code, said.String())
	}
}

func TestAddStreams(t *testing.T) {
	t.Parallel()
	arrived, more := make(chan string, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := make([]byte, 4096)
		n, err := io.ReadAtLeast(r.Body, first, 1)
		for err == nil && !strings.Contains(string(first[:n]), "the first line") {
			var read int
			read, err = r.Body.Read(first[n:])
			n += read
		}
		arrived <- string(first[:n])
		<-more
		rest, _ := io.Copy(io.Discard, r.Body)
		if rest < 8<<20 {
			t.Errorf("%d bytes came after the first line", rest)
		}
		_, _ = io.WriteString(w, madeAnswer())
	}))
	defer server.Close()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	env := []string{
		"DEALFLOW_URL=" + server.URL + "/api/v1", "DEALFLOW_API_KEY=" + apiKey, "DEALFLOW_ACCOUNT_ID=" + teamID,
	}
	cmd := command{env: env, args: []string{"add", "--text", "-"}}.cmd(ctx, t)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(stdin, "the first line\n")
	select {
	case text := <-arrived: // while stdin is still open
		if err != nil || !strings.Contains(text, teamID) || !strings.Contains(text, "the first line") {
			t.Errorf("%v; the API got %q", err, text)
		}
	case <-ctx.Done():
		t.Error("nothing was sent before stdin ended")
	}
	close(more)
	_, err = io.WriteString(stdin, strings.Repeat("and more\n", 1<<20))
	if err := errors.Join(err, stdin.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

func TestAddDoesNotWaitForInputThatIsRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"success":false,"error":"Invalid or expired API key","data":null}`)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	env := []string{
		"DEALFLOW_URL=" + server.URL + "/api/v1", "DEALFLOW_API_KEY=" + apiKey, "DEALFLOW_ACCOUNT_ID=" + teamID,
	}
	cmd := command{env: env, args: []string{"add", "--text", "-"}}.cmd(ctx, t)
	stdin, err := cmd.StdinPipe() // stays open
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var errOut strings.Builder
	cmd.Stderr = &errOut
	err = cmd.Run()
	if ctx.Err() != nil || err == nil || !strings.Contains(errOut.String(), "Invalid or expired API key") {
		t.Errorf("ended with %v, stderr %q", err, errOut.String())
	}
}

func TestAddTellsWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			t.Error("the API took half a form for a whole one")
		}
	}))
	defer server.Close()
	folder := t.TempDir()
	o := command{
		args: []string{"add", "--url", server.URL, "--api-key", apiKey, "--account", teamID, "--text", "@" + folder},
	}.run(t)
	o.wantRefusal(t, folder+": is a directory")
	if strings.Contains(o.errOut, "reach") {
		t.Errorf("stderr blames the server: %s", o.errOut)
	}
}
