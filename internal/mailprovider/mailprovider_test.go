package mailprovider_test

import (
	"testing"

	"dealflow/internal/mailprovider"
)

func TestHas(t *testing.T) {
	t.Parallel()
	list := mailprovider.New()
	for host, want := range map[string]bool{
		"gmail.com": true, "GMail.com.": true, "yahoo.co.uk": true, "mail.gmx.net": true,
		"hey.com": true, "hey.io": false, "duck.ai": false,
		"acme.io": false, "gmail.com.acme.io": false, "notgmail.com": false, "com": false, "": false,
	} {
		if got := list.Has(host); got != want {
			t.Errorf("Has(%q) = %t, want %t", host, got, want)
		}
	}
}

func TestPassesOn(t *testing.T) {
	t.Parallel()
	list := mailprovider.New()
	for host, want := range map[string]bool{"docusign.net": true, "eu.docusign.net": true, "gmail.com": false} {
		if got := list.PassesOn(host); got != want {
			t.Errorf("PassesOn(%q) = %t, want %t", host, got, want)
		}
	}
	if list.Has("docusign.net") {
		t.Error("a service that passes on what others write is a mail provider")
	}
}
