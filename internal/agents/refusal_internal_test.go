package agents

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestARefusalHasTheIDOfTheRequest checks that a refusal has the id of the request, for which the body is not kept.
func TestARefusalHasTheIDOfTheRequest(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"params":{"text":"` + strings.Repeat("x", 1<<20) + `"},"method":"tools/call","jsonrpc":"2.0","id":"a"}`: `"id":"a"`,
		`{"jsonrpc":"2.0","id":7,"method":"x"}`: `"id":7`,
		`{"jsonrpc":"2.0","method":"x"}`:        `"error"`,
		"x":                                     `"error"`,
		"":                                      `"error"`,
	} {
		refuse := inJSON(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
			if kept, is := w.(*refusal); !is || cap(kept.asked) > 0 {
				t.Errorf("%.40s: the body is kept", body)
			}
			http.Error(w, "no", http.StatusBadRequest)
		}))
		answer := httptest.NewRecorder()
		refuse.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body)))
		if got := answer.Body.String(); !strings.Contains(got, want) {
			t.Errorf("%.40s: the answer is %s, want %s", body, got, want)
		}
	}
}
