package rules_test

import (
	"slices"
	"strings"
	"testing"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
)

// TestOutlineFindsWhatItsPartsFind compares an outline, for which a text is cleaned once, with each part alone.
func TestOutlineFindsWhatItsPartsFind(t *testing.T) {
	t.Parallel()
	classes := links.DefaultDeckClasses()
	rules, links, decks := rules.New(classes), links.NewExtractor(classes), links.NewDeckPicker(classes)
	pitch := "From: Paulo Serra <paulo@reedbank.example>\nSubject: Reedbank\n\n" +
		"Our old deck is https://docsend.com/view/1, the current one\nhttps://docsend.com/view/2\n"
	texts := map[string]string{
		"empty":   "",
		"no link": "We make anvils, see larchwood.io.",
		"mail":    pitch,
		"CRLF":    strings.ReplaceAll(pitch, "\n", "\r\n"),
		"quoted-printable": "Content-Transfer-Encoding: quoted-printable\n\nhttps://larchwood.io/a=3Db=\nc write " +
			"ada=40larchwood.io",
		"HTML":      `<p>See <a href="https://www.larchwood.io/deck?a=1&amp;b=2">our deck</a></p>`,
		"entities":  "Ada &lt;ada@larchwood.io&gt; https://larchwood.io/?a=1&amp;b=2",
		"long":      strings.Repeat("We make anvils.\n", 4000) + pitch,
		"JSON":      `{"company": "Larchwood", "email": "ada@larchwood.io", "deck": "https:\/\/docsend.com\/view\/1"}`,
		"invisible": "\u200bhttps://larch\u00adwood.io/x\u200b",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, want := rules.Outline(text), links.Links(text)
			url, reason := decks.Pick(text, want)
			if !slices.Equal(got.Links, want) || got.DeckURL != url || got.DeckReason != reason {
				t.Errorf("links %v, deck %q, %q; want %v, %q, %q", got.Links, got.DeckURL, got.DeckReason, want, url, reason)
			}
			if found, alone := got.FallbackName(), rules.FallbackName(text, want); found != alone {
				t.Errorf("named %q, want %q", found, alone)
			}
		})
	}
}
