package text_test

import (
	"testing"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/text"
)

func read(body string) *text.Text {
	return text.NewReader(lexicon.Load(), links.NewExtractor(links.DefaultDeckClasses())).Read(body, 2026)
}

// TestRecipientsAreWholeAddresses checks that an address that another one contains is no recipient.
func TestRecipientsAreWholeAddresses(t *testing.T) {
	t.Parallel()
	rd := read("From: Ann Lee <ann@x.io>\nTo: Jo Ann <JoAnn@x.io>; deals@x.io.example\nCc: Kim <kim@fund.vc>\n" +
		"Subject: Silo Mind\n\nHello, we build grain sensors.")
	for email, want := range map[string]bool{
		"joann@x.io": true, "JoAnn@X.io": true, "deals@x.io.example": true, "kim@fund.vc": true,
		"ann@x.io": false, "deals@x.io": false, "im@fund.vc": false,
	} {
		if got := rd.IsRecipient(email); got != want {
			t.Errorf("%s is a recipient: %t, want %t", email, got, want)
		}
	}
}
