package client_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/client"
)

// answering returns a client of a server that reads each request to its end and sends this response, and the last
// request that the server received.
func answering(t *testing.T, status int, body string) (*client.Client, *http.Request) {
	t.Helper()
	var seen http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		seen = *r
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	made, err := client.New(server.URL+"/api/v1", "mk_key")
	if err != nil {
		t.Fatal(err)
	}
	return made, &seen
}

func TestAnImportIsWatchedToItsEnd(t *testing.T) {
	t.Parallel()
	const running, over = `data: {"status":"running","processed":1,"finished_at":null}` + "\n\n",
		`data: {"status":"completed","finished_at":"2026-03-02T10:00:00.000000Z"}` + "\n\n"
	enough := errors.New("enough")
	for name, tc := range map[string]struct {
		stream string
		stop   error
		events int
		want   error
	}{
		"to its end":  {": alive\n\n" + running + over, nil, 2, nil},
		"broken off":  {running, nil, 1, client.ErrBroken},
		"nothing":     {"", nil, 0, client.ErrBroken},
		"in an event": {running + running[:len(running)/2], nil, 1, client.ErrBroken},
		"stopped":     {running + running, enough, 1, enough},
	} {
		deals, _ := answering(t, http.StatusOK, tc.stream)
		events := 0
		err := deals.WatchImport(t.Context(), uuid.New(), uuid.New(), func(client.Import) error { events++; return tc.stop })
		if events != tc.events || !errors.Is(err, tc.want) {
			t.Errorf("%s: %d events, %v; want %d, %v", name, events, err, tc.events, tc.want)
		}
	}
}

func TestImportsTellRefusals(t *testing.T) {
	t.Parallel()
	deals, seen := answering(t, http.StatusForbidden,
		`{"success":false,"error":"Access denied to this resource","data":null,"code":"access_denied","details":[]}`)
	_, err := deals.StartImport(t.Context(), uuid.New(),
		client.Upload{
			Kind: "emails", MediaType: "application/mbox", Content: strings.NewReader("x"), Size: 1, CreateCompanies: true,
		})
	if !client.HasCode(err, "access_denied") || seen.Header.Get("Content-Type") != "application/mbox" ||
		seen.URL.RawQuery != "create_companies=true" || seen.ContentLength != 1 {
		t.Errorf("start: %v of %+v", err, seen)
	}
	for name, ask := range map[string]func() error{
		"watch":  func() error { return deals.WatchImport(t.Context(), uuid.New(), uuid.New(), nil) },
		"errors": func() error { return deals.ImportErrors(t.Context(), uuid.New(), uuid.New(), nil) },
	} {
		if err := ask(); !client.HasCode(err, "access_denied") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRowErrorsAreReadOneByOne(t *testing.T) {
	t.Parallel()
	deals, _ := answering(t, http.StatusOK, `{"row":2,"reason":"is <bad>"}`+"\n"+`{"row":9,"reason":"too"}`+"\n")
	var found []client.RowError
	err := deals.ImportErrors(t.Context(), uuid.New(), uuid.New(),
		func(e client.RowError) error { found = append(found, e); return nil })
	if err != nil || len(found) != 2 || found[0] != (client.RowError{Row: 2, Reason: "is <bad>"}) || found[1].Row != 9 {
		t.Errorf("%v, %v", found, err)
	}
}
