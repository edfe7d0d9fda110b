package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"dealflow/internal/account"
	"dealflow/internal/testkit"
)

func TestQuotesAreMarkedOnTheDeck(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"text", "", "See the deck."}, part{"file_0", "deck.pdf", samplePDF(t)})
	at := s.consoleBase() + "/companies/" + id
	const quote = "fluffy difficult accuracy" // with ligatures
	evidence, err := json.Marshal([]any{
		map[string]any{"field": "name", "value": "Acme", "confidence": 0.9, "quote": quote, "page": 7, "file": "deck.pdf"},
		map[string]any{
			"field": "summary", "value": "x", "confidence": 0.9, "quote": "is nowhere on it", "page": 7,
			"file": "deck.pdf",
		},
		map[string]any{
			"field": "source", "value": "email", "confidence": 0.9, "quote": quote, "page": 7,
			"file": "other.pdf",
		},
	})
	must(t, err)
	testkit.Exec(t, s.dbURL, "UPDATE detections SET analysis = jsonb_set(analysis, '{evidence}', $2::jsonb) WHERE "+
		"company_id = $1", id, string(evidence))
	b.page(at, `data-quotes="`+at+`/deck/7/quotes"`, `href="#slide-7" data-quote="0"`, `!data-quote="2"`)

	got := b.open(at + "/deck/7/quotes").want(http.StatusOK)
	var places []struct {
		Finding int
		Areas   []struct{ Left, Top, Width, Height float64 }
	}
	must(t, json.Unmarshal(got.Raw, &places))
	if len(places) != 1 || places[0].Finding != 0 || len(places[0].Areas) == 0 {
		t.Fatalf("%q is at %s", quote, got.Raw)
	}
	for _, area := range places[0].Areas {
		if area.Width <= 0 || area.Height <= 0 || area.Left < 0 || area.Top < 0 || area.Left+area.Width > 1 ||
			area.Top+area.Height > 1 {
			t.Errorf("%q is at %+v", quote, area)
		}
	}
	if again := b.open(at + "/deck/7/quotes").want(http.StatusOK); string(again.Raw) != string(got.Raw) {
		t.Errorf("asked again it is at %s", again.Raw)
	}
	if none := b.open(at + "/deck/2/quotes").want(http.StatusOK); string(none.Raw) != "[]\n" {
		t.Errorf("another page has %s", none.Raw)
	}
	b.open(at + "/deck/x/quotes").want(http.StatusNotFound)

	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), colleague.ID, consolePassword))
	b.submit(at+"/edit", url.Values{"visibility": {"private"}}).want(http.StatusSeeOther)
	s.signIn(colleague.Email).open(at + "/deck/7/quotes").want(http.StatusNotFound)
	(&browser{server: s}).open(at + "/deck/7/quotes").want(http.StatusSeeOther)
}
