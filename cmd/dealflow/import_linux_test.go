package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/client"
	"dealflow/internal/progress"
)

// TestAnErrorOfAnImportBeginsALine ends an import whose progress is a bar on a terminal by an error, which is printed
// below the bar, not behind it.
func TestAnErrorOfAnImportBeginsALine(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"success":false,"error":"Not found","data":null}`)
	}))
	t.Cleanup(api.Close)
	deals, err := client.New(api.URL+"/api/v1", apiKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, fails := range map[string]func(importing) error{
		"watched": func(i importing) error {
			_, err := i.watch(t.Context(), client.Import{ID: uuid.New()})
			return err
		},
		"sent": func(i importing) error {
			_, err := i.send(t.Context(), client.Upload{
				Kind: "emails", MediaType: "application/x-ndjson", Content: strings.NewReader("{}"), Size: 2,
			})
			return err
		},
	} {
		screen, terminal := newTerminal(t)
		run := importing{deals: deals, account: uuid.New(), show: progress.New(terminal)}
		run.show.Bytes("sent", 1, 2)
		if err := fails(run); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := terminal.Close(); err != nil {
			t.Fatal(err)
		}
		shown, _ := io.ReadAll(screen) // its end is an error, as no process has the terminal any more
		if !strings.HasSuffix(string(shown), "\n") {
			t.Errorf("%s: the terminal shows %q", name, shown)
		}
	}
}
