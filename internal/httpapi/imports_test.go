package httpapi_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// imported is the answer to a file that was sent.
type imported struct {
	reply

	s *server
}

// importOf sends a file as the owner.
func (s *server) importOf(kind, media, file string) imported {
	s.Helper()
	return imported{
		s.send(request{Method: http.MethodPost, Path: s.accountPath("imports/" + kind), Key: s.key, Body: file, Type: media}).
			want(http.StatusAccepted), s,
	}
}

// ended waits until the import has ended, which must be in this status.
func (i imported) ended(status string) reply {
	i.s.Helper()
	path := i.s.accountPath("imports/" + i.text("data.import.id"))
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		got := i.s.get(path, i.s.key).want(http.StatusOK)
		if got.at("data.import.finished_at") != nil {
			if got.text("data.import.status") != status {
				i.s.Errorf("the import ended as %s, want %s", got.Raw, status)
			}
			return got
		}
		if time.Now().After(deadline) {
			i.s.Fatalf("the import has not ended: %s", got.Raw)
		}
	}
}

// counts are total, created, duplicates and failed.
func (r reply) counts() string {
	return fmt.Sprintf("%v %v %v %v", r.at("data.import.total"), r.at("data.import.created"),
		r.at("data.import.duplicates"), r.at("data.import.failed"))
}

func TestAnImportOfEveryKindAndFormat(t *testing.T) {
	t.Parallel()
	s := start(t)
	const mail = "From: Ada <ada@acme.example>\nMessage-ID: <%d@acme.example>\nSubject: Anvils %[1]d\n\n>From the forge.\n"
	for name, tc := range map[string]struct{ kind, media, file, want string }{
		"emails, NDJSON": {
			"emails", "application/x-ndjson", `{"from_email":"a@b.example","message_id":"<x@y>"}` + "\n\n" +
				`{"from_email":""}`, "2 1 0 1",
		},
		"emails, mbox": {
			"emails", "application/mbox", "From a@b Mon Mar  2 10:00:00 2026\n" + fmt.Sprintf(mail,
				1) + "\nFrom a@b Mon Mar  2 10:00:00 2026\n" + fmt.Sprintf(mail, 2) +
				"\nFrom a@b Mon Mar  2 10:00:00 2026\n" + fmt.Sprintf(mail, 1), "3 2 1 0",
		},
		"email": {"emails", "message/rfc822", fmt.Sprintf(mail, 3), "1 1 0 0"},
		"forms, NDJSON": {
			"form-submissions", "application/x-ndjson",
			`{"external_id":"1","data":[{"key":"a","value":1}]}` + "\n" + `{"external_id":"2","data":[]}`, "2 1 0 1",
		},
		"forms, CSV": {"form-submissions", "text/csv", "external_id;Name;Why\n9;Acme;\"because;\nof it\"\n", "1 1 0 0"},
		"companies, CSV": {
			"companies", "text/csv; charset=windows-1252", "text,sector\nAcm\xe9 makes anvils,industry\n,none\n", "2 1 0 1",
		},
		"companies,NDJSON": {
			"companies", "application/x-ndjson", `{"text":"Beta makes bolts","visibility":"open"}` + "\n" + `{"text":"Gamma"}`,
			"2 1 0 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.importOf(tc.kind, tc.media, tc.file).ended("completed").counts(); got != tc.want {
				t.Errorf("first: %s, want %s", got, tc.want)
			}
			var total, created, duplicates, failed int
			_, _ = fmt.Sscan(tc.want, &total, &created, &duplicates, &failed)
			again := fmt.Sprint(total, 0, created+duplicates, failed)
			body, media := encodeForm(t, part{
				"file",
				"rows." + map[string]string{
					"application/x-ndjson": "jsonl", "application/mbox": "mbox", "message/rfc822": "eml",
				}[tc.media], tc.file,
			})
			if !strings.HasPrefix(tc.media, "text/csv") {
				sent := s.send(request{
					Method: http.MethodPost, Path: s.accountPath("imports/" + tc.kind), Key: s.key, Body: body, Type: media,
				}).want(http.StatusAccepted)
				if got := (imported{sent, s}).ended("completed").counts(); got != again {
					t.Errorf("again, as a form: %s, want %s", got, again)
				}
			}
		})
	}
	if got := s.get(s.accountPath("form-submissions")+"?limit=1&sort_order=desc",
		s.key); !strings.Contains(string(got.Raw), `"integration_type":"manual"`) {
		t.Errorf("submissions %s", got.Raw)
	}
	if got := s.get(companies+"?search=acm%C3%A9", s.key); !strings.Contains(string(got.Raw), `"sector":"industry"`) {
		t.Errorf("the company in another charset is not found: %s", got.Raw)
	}
	// Only a mailbox quotes.
	if got := s.get(s.accountPath("emails?search=forge"), s.key); strings.Count(string(got.Raw),
		`">From the forge`) != 1 || strings.Count(string(got.Raw), `"From the forge`) != 2 {
		t.Errorf("the quoted lines read %s", got.Raw)
	}
}

func TestWrongFilesAreToldByTheImport(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, tc := range map[string]struct{ kind, media, file, status, counts, want string }{
		"zip": {
			"companies", "text/csv", "PK\x03\x04\x14\x00\x06\x00rest of it", "failed", "0 0 0 0", "no csv, but application/zip",
		},
		"gzip": {
			"emails", "application/x-ndjson", "\x1f\x8b\x08\x00\x00\x00", "failed", "0 0 0 0", "application/gzip",
		},
		"UTF-16": {
			"companies", "text/csv", "\xff\xfet\x00e\x00x\x00t\x00\n\x00a\x00\n\x00", "completed", "1 1 0 0", "",
		},
		"UTF-16 mailbox": {"emails", "application/mbox", "\xff\xfeF\x00r\x00", "failed", "0 0 0 0", "UTF-16"},
		"HTML": {
			"emails", "application/x-ndjson", "<!DOCTYPE html><html><body>Log in", "failed", "0 0 0 0", "text/html",
		},
		"array": {
			"emails", "application/x-ndjson", ` [{"from_email":"a@b.example"}]`, "failed", "0 0 0 0", "one object on each line",
		},
		"no mbox": {"emails", "application/mbox", "Subject: hello\n\ntext", "failed", "0 0 0 0", "no mbox"},
		"no text column": {
			"companies", "text/csv", "website,notes\nacme.example,x\n", "failed", "0 0 0 0", `no column "text"`,
		},
		"empty":        {"emails", "application/x-ndjson", "\n \n", "completed", "0 0 0 0", ""},
		"header alone": {"companies", "text/csv", "\ufefftext\n", "completed", "0 0 0 0", ""},
		"cut off": {
			"emails", "application/x-ndjson", `{"from_email":"a@b.example"}` + "\n" + `{"from_em`, "completed", "2 1 0 1", "",
		},
		"Latin-1": {
			"emails", "application/x-ndjson", "{\"from_email\":\"a@b.example\",\"content\":\"caf\xe9\"}", "completed",
			"1 0 0 1", "",
		},
		"giant row": {
			"emails", "application/x-ndjson", `{"content":"` + strings.Repeat("x",
				3<<20) + `"}` + "\n" + `{"from_email":"c@b.example"}`, "completed", "2 1 0 1", "",
		},
		"open quote": {
			"companies", "text/csv", "text\n\"never closed\ngood one\n\"a\"b\nlast one\n", "completed", "4 2 0 2", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.importOf(tc.kind, tc.media, tc.file).ended(tc.status)
			if reason, _ := got.at("data.import.error").(string); got.counts() != tc.counts ||
				!strings.Contains(reason, tc.want) || (reason == "") != (tc.status == "completed") {
				t.Errorf("%s, error %q; want %s, %q", got.counts(), reason, tc.counts, tc.want)
			}
		})
	}
}

func TestFormsWithFilesAsProgramsSendThem(t *testing.T) {
	t.Parallel()
	s := start(t)
	piece := func(media, name, text string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\nContent-Type: " + media +
			"\r\n\r\n" + text + "\r\n"
	}
	for name, tc := range map[string]struct{ kind, body, status, counts, want string }{
		"CSV of Windows": {
			"companies", piece("application/vnd.ms-excel", "a.CSV", "text\nAcme\n"), "completed", "1 1 0 0", "",
		},
		"two files": {
			"emails", piece("application/x-ndjson", "a", `{"from_email":"a@b.example"}`+"\n") + piece("application/x-ndjson",
				"b", `{"from_email":"b@b.example"}`),
			"failed", "1 1 0 0", `more than one part "file"`,
		},
	} {
		got := s.importOf(tc.kind, "multipart/form-data; boundary=b", tc.body+"--b--\r\n").ended(tc.status)
		if reason, _ := got.at("data.import.error").(string); got.counts() != tc.counts ||
			!strings.Contains(reason, tc.want) || (reason == "") != (tc.want == "") {
			t.Errorf("%s: %s, error %q; want %s, %q", name, got.counts(), reason, tc.counts, tc.want)
		}
	}
}

func TestRefusedImportsLeaveNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, tc := range map[string]struct {
		path, media string
		status      int
	}{
		"kind":           {"imports/minutes", "application/x-ndjson", 404},
		"media type":     {"imports/emails", "text/csv", 415},
		"none":           {"imports/emails", "application/json", 415},
		"charset":        {"imports/companies", "text/csv; charset=klingon", 415},
		"flag":           {"imports/emails?create_companies=maybe", "application/x-ndjson", 400},
		"form, no file":  {"imports/emails", "multipart/form-data; boundary=b", 400},
		"no boundary":    {"imports/emails", "multipart/form-data", 400},
		"form, its type": {"imports/emails", "multipart/form-data; boundary=c", 415},
	} {
		body := "--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b--\r\n" +
			"--c\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\nx\r\n--c--\r\n"
		got := s.send(request{Method: http.MethodPost, Path: s.accountPath(tc.path), Key: s.key, Body: body, Type: tc.media})
		if got.Status != tc.status {
			t.Errorf("%s: %d, want %d: %s", name, got.Status, tc.status, got.Raw)
		}
	}
	if n := s.count("imports"); n != 0 {
		t.Errorf("%d imports are there", n)
	}
}

func TestALongFieldBeforeAFileIsNamed(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker = true })
	body := "--b\r\nContent-Disposition: form-data; name=\"comment\"\r\n\r\n" + strings.Repeat("x", 64<<10+1) +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\ntext\nAcme\n\r\n--b--\r\n"
	s.send(request{
		Method: http.MethodPost, Path: s.accountPath("imports/companies"), Key: s.key, Body: body,
		Type: "multipart/form-data; boundary=b",
	}).refused(http.StatusBadRequest, messageOf(http.StatusBadRequest), "invalid_field", "comment")
}

// upload sends the pieces of a file one after the other, and breaks off where one is "".
func (s *server) upload(pieces <-chan string) {
	reader, writer := io.Pipe()
	go func() {
		for piece := range pieces {
			if piece == "" {
				_ = writer.CloseWithError(errors.New("the client dies"))
				return
			}
			_, _ = io.WriteString(writer, piece)
		}
		_ = writer.Close()
	}()
	sent := s.request(http.MethodPost, s.accountPath("imports/emails"), reader)
	sent.Header.Set("Authorization", "Bearer "+s.key)
	sent.Header.Set("Content-Type", "application/x-ndjson")
	if response, err := http.DefaultTransport.RoundTrip(sent); err == nil {
		_ = response.Body.Close()
	}
}

// events reads a stream of events of an import until it ends.
func (s *server) events(id string) []map[string]any {
	s.Helper()
	sent := s.request(http.MethodGet, s.accountPath("imports/"+id+"/events"), nil)
	sent.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultTransport.RoundTrip(sent)
	must(s.T, err)
	defer response.Body.Close()
	if media := response.Header.Get("Content-Type"); media != "text/event-stream" {
		s.Errorf("the stream is %s", media)
	}
	var all []map[string]any
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
			var one map[string]any
			must(s.T, json.Unmarshal([]byte(data), &one))
			all = append(all, one)
		}
	}
	return all
}

// theImport waits for the only import and returns its id.
func (s *server) theImport() string {
	s.Helper()
	for {
		got := s.get(s.accountPath("imports"), s.key).want(http.StatusOK)
		if listed, _ := got.at("data.imports").([]any); len(listed) == 1 {
			id, _ := listed[0].(map[string]any)["id"].(string)
			return id
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestEventsFollowAnImportToItsEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	pieces := make(chan string)
	go s.upload(pieces)
	id := s.theImport()
	go func() {
		defer close(pieces)
		for n := range 3 {
			pieces <- fmt.Sprintf(`{"from_email":"a@b.example","external_id":"%d"}`+"\n", n)
			time.Sleep(time.Second)
		}
	}()
	all := s.events(id)
	first, last := all[0], all[len(all)-1]
	if first["status"] != "receiving" || last["status"] != "completed" || last["created"] != 3.0 || len(all) < 3 {
		t.Errorf("events %v", all)
	}
	if again := s.events(id); len(again) != 1 || again[0]["status"] != "completed" {
		t.Errorf("events of what is over: %v", again)
	}
}

func TestAClientThatDiesLeavesWhatItSent(t *testing.T) {
	t.Parallel()
	s := start(t)
	pieces := make(chan string, 3)
	pieces <- `{"from_email":"a@b.example"}` + "\n" + `{"from_email":"b@b.example"}` + "\n" + `{"from_`
	go s.upload(pieces)
	id := s.theImport()
	pieces <- ""
	all := s.events(id)
	if last := all[len(all)-1]; last["status"] != "failed" || last["created"] != 2.0 || last["total"] != 2.0 ||
		!strings.Contains(fmt.Sprint(last["error"]), "after 2 rows") {
		t.Errorf("it ended as %v", last)
	}
}

func TestStreamsEndWhenTheProcessIsToStop(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	s := start(t, func(c *setup) { c.Stopping = stopping })
	pieces := make(chan string)
	go s.upload(pieces)
	id := s.theImport()
	time.AfterFunc(100*time.Millisecond, func() { close(stopping) })
	if all := s.events(id); len(all) == 0 || all[len(all)-1]["status"] != "receiving" {
		t.Errorf("events %v", all)
	}
	close(pieces)
}

func TestAnImportIsCancelledWhileItArrives(t *testing.T) {
	t.Parallel()
	s := start(t)
	pieces := make(chan string)
	answered := make(chan struct{})
	go func() { s.upload(pieces); close(answered) }()
	id := s.theImport()
	for range 2 { // again it changes nothing
		s.post(s.accountPath("imports/"+id+"/cancel"), s.key, nil).want(http.StatusOK)
	}
	select { // the receiver notices without another byte
	case <-answered:
	case <-time.After(20 * time.Second):
		t.Error("the upload goes on")
	}
	close(pieces)
	got := s.get(s.accountPath("imports/"+id), s.key).want(http.StatusOK)
	if got.text("data.import.status") != "cancelled" || got.at("data.import.finished_at") == nil {
		t.Errorf("it is %s", got.Raw)
	}
}

func TestAnImportSentAgainWithItsKeyIsOne(t *testing.T) {
	t.Parallel()
	s := start(t)
	send := func(file string) reply {
		return s.send(request{
			Method: http.MethodPost, Path: s.accountPath("imports/emails"), Key: s.key, Body: file, Type: "application/x-ndjson",
			Header: http.Header{"Idempotency-Key": {"k"}},
		})
	}
	first := send(`{"from_email":"a@b.example"}`).want(http.StatusAccepted)
	again := send(`{"from_email":"a@b.example"}`).want(http.StatusAccepted)
	if first.text("data.import.id") != again.text("data.import.id") || again.Header.Get("Idempotent-Replayed") != "true" ||
		s.count("imports") != 1 {
		t.Errorf("%s\n%s", first.Raw, again.Raw)
	}
	for _, other := range []string{`{"from_email":"longer@b.example"}`, `{"from_email":"c@b.example"}`} {
		send(other).refused(http.StatusConflict, "Conflict", "idempotency_key_reused", "Idempotency-Key")
	}
}

func TestErrorsOfRowsAreStreamed(t *testing.T) {
	t.Parallel()
	s := start(t)
	var file strings.Builder
	for n := range 2300 {
		fmt.Fprintf(&file, "{\"from_email\":%d}\n", n)
	}
	sent := s.importOf("emails", "application/x-ndjson", file.String())
	sent.ended("completed")
	got := s.get(s.accountPath("imports/"+sent.text("data.import.id")+"/errors"), s.key).want(http.StatusOK)
	lines := strings.Split(strings.TrimSuffix(string(got.Raw), "\n"), "\n")
	if len(lines) != 2300 || lines[2299] != `{"row":2300,"reason":"from_email must not be a JSON number"}` ||
		got.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%d lines, the last %s", len(lines), lines[len(lines)-1])
	}
	s.cutOff(s.accountPath("imports/"+sent.text("data.import.id")+"/errors"), "ALTER TABLE import_errors RENAME TO moved")
}
