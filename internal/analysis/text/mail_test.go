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

// TestAddressesOfPeopleAreInLowerCase checks each way of writing a person with their address.
func TestAddressesOfPeopleAreInLowerCase(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"Ann Lee <Ann@Acme.IO>", "Ann@Acme.io (Ann Lee)", "Ann Lee [mailto:ANN@acme.io]", "Ann Lee Ann@Acme.io",
		"Ann@Acme.io Ann Lee",
	} {
		if name, email := text.ReadPerson(value); name != "Ann Lee" || email != "ann@acme.io" {
			t.Errorf("%s: got %q, %q", value, name, email)
		}
	}
	rd := read("From: Ann@Acme.io\nTo: Kim <kim@fund.vc>\nSubject: Silo Mind\n\nHello, we build grain sensors.")
	if !rd.HasSent("ANN@Acme.io") {
		t.Error("Ann has not sent the mail")
	}
	if rd.HasSent("kim@fund.vc") {
		t.Error("Kim, its recipient, has sent the mail")
	}
}

// TestADayIsNoName checks the senders of quoted mails above which the day has no digit.
func TestADayIsNoName(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"On Monday, Ann <ann@acme.io> wrote:":                      "Ann",
		"On Monday, Ann Lee <ann@acme.io> wrote:":                  "Ann Lee",
		"On Monday, Ann wrote:":                                    "Ann",
		"On Monday Ann Lee wrote:":                                 "Ann Lee",
		"On monday Ann Lee <ann@acme.io> wrote:":                   "Ann Lee",
		"On Monday, Lee, Ann <ann@acme.io> wrote:":                 "Ann Lee",
		"On Mondayo Lee <ann@acme.io> wrote:":                      "Mondayo Lee",
		"Am Montag schrieb Ann Lee:":                               "Ann Lee",
		"Am Montag schrieb Ann Lee <ann@acme.io>:":                 "Ann Lee",
		"Den måndag Åsa Ek <asa@acme.io> skrev:":                   "Åsa Ek",
		"Den lørdag Åsa Ek <asa@acme.io> skrev:":                   "Åsa Ek",
		"El lunes, Ana <ana@acme.io> escribió:":                    "Ana",
		"On Thu, 5 Nov 2026 Ida Falk <ida@acme.io> wrote:":         "Ida Falk",
		"On Thu, Nov 5, 2026 at 9:14 AM, Ida <ida@acme.io> wrote:": "Ida",
	} {
		rd := read("See below.\n\n" + line + "\n\n> Hello, we build grain sensors.")
		if len(rd.Mails) != 1 {
			t.Errorf("%s: %d mails, want 1", line, len(rd.Mails))
		} else if got := rd.Mails[0].Name; got != want {
			t.Errorf("%s: got the sender %q, want %q", line, got, want)
		}
	}
}
