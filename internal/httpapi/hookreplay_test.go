package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

const (
	mailgunForm = "application/x-www-form-urlencoded"
	mailgunKey  = "key-of-mailgun"
)

// mailgunMail is a form as Mailgun sends one, signed with a token.
func mailgunMail(token, id, text string) url.Values {
	v := url.Values{
		"timestamp": {fmt.Sprint(time.Now().Unix())}, "token": {token}, "recipient": {"deals@fund.example"},
		"from":    {"ivy@brackenfield.example"},
		"subject": {"Deck"}, "Message-Id": {"<" + id + "@x>"}, "body-plain": {text},
	}
	v.Set("signature", mailgunSign(mailgunKey, v))
	return v
}

// altered is a captured form with other values.
func altered(v url.Values, pairs ...string) []byte {
	changed := url.Values{}
	for name := range v {
		changed.Set(name, v.Get(name))
	}
	for i := 0; i < len(pairs); i += 2 {
		changed.Set(pairs[i], pairs[i+1])
	}
	return []byte(changed.Encode())
}

// Mailgun signs a token and not the mail, so that a token may bring one mail only, and after that only the same mail
// again.
func TestMailgunsTokensCountOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	h, beside := s.hook("email", nil), s.hook("email", nil)
	for _, one := range []hook{h, beside} {
		s.change(s.accountPath("integrations/"+one.id), s.key, map[string]any{"signing_key": mailgunKey}).want(http.StatusOK)
	}
	first := mailgunMail("token one", "1", "Hello")
	large := mailgunMail("token two", "2", strings.Repeat("word ", 80_000))
	h.hand(mailgunForm, altered(first), nil).want(http.StatusAccepted)
	h.hand(mailgunForm, altered(first), nil).want(http.StatusOK)
	beside.hand(mailgunForm, altered(first), nil).want(http.StatusOK)
	h.hand(mailgunForm, altered(large), nil).want(http.StatusAccepted)
	h.hand(mailgunForm, altered(large), nil).want(http.StatusOK)
	s.settled(h, "done")
	for name, got := range map[string]reply{
		"another mail":        h.hand(mailgunForm, altered(first, "Message-Id", "<3@x>"), nil),
		"another mail, no id": h.hand(mailgunForm, altered(first, "Message-Id", "", "body-plain", "Pay here"), nil),
		"the signature in capitals": h.hand(mailgunForm,
			altered(first, "Message-Id", "<4@x>", "signature", strings.ToUpper(first.Get("signature"))), nil),
		"time and token divided elsewhere": h.hand(mailgunForm,
			altered(first, "Message-Id", "<5@x>", "timestamp", first.Get("timestamp")[:9],
				"token", first.Get("timestamp")[9:]+first.Get("token")), nil),
		"a large one":            h.hand(mailgunForm, altered(first, "body-plain", large.Get("body-plain")), nil),
		"of a large one, small":  h.hand(mailgunForm, altered(large, "body-plain", "Hello"), nil),
		"of a large one, large":  h.hand(mailgunForm, altered(large, "body-plain", strings.Repeat("work ", 80_000)), nil),
		"at another integration": beside.hand(mailgunForm, altered(first, "Message-Id", "<6@x>"), nil),
	} {
		if got.Status != http.StatusUnauthorized || got.text("code") != "invalid_signature" {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	testkit.Exec(t, s.dbURL, "DELETE FROM emails")
	h.hand(mailgunForm, altered(first, "body-plain", "Pay here"), nil).want(http.StatusUnauthorized)
	// by another proof
	h.hand(mailgunForm, altered(first), headers("Authorization", basic(h.secret).Get("Authorization"))).
		want(http.StatusAccepted)
	if s.count("emails") != 1 || s.count("mailgun_tokens") != 2 {
		t.Errorf("%d emails, %d tokens", s.count("emails"), s.count("mailgun_tokens"))
	}
}
