package blob_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
)

const (
	publicURL = "https://deals.example"
	deckKey   = "deals/0190b6d2/deck.pdf"
	deckName  = "Série A & «Ünï» +100% (final).pdf"
)

func expiry() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 123456000, time.UTC) }

func newSigner(t *testing.T, secrets ...string) *blob.Signer {
	t.Helper()
	var keys [][]byte
	for _, secret := range secrets {
		keys = append(keys, bytes.Repeat([]byte(secret), 32))
	}
	signer, err := blob.NewSigner(keys, publicURL+"/")
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// verify verifies a URL in the form in which a server gets it.
func verify(t *testing.T, s *blob.Signer, raw string, now time.Time) (blob.Grant, error) {
	t.Helper()
	u, err := url.ParseRequestURI(strings.TrimPrefix(raw, publicURL))
	if err != nil {
		return blob.Grant{}, fault.New(fault.Forbidden, "unreadable") // such a request never reaches a handler
	}
	return s.Verify(u, now)
}

func TestSignedURL(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "a")
	got := signer.URL(deckKey, deckName, expiry())
	prefix := "https://deals.example/files/deals/0190b6d2/deck.pdf?name=S%C3%A9rie%20A%20%26%20%C2%AB%C3%9Cn%C3%AF%C2%BB" +
		"%20%2B100%25%20%28final%29.pdf&expires=1772445600&signature="
	if signature, found := strings.CutPrefix(got, prefix); !found || len(signature) != 64 ||
		strings.Trim(signature, "0123456789abcdef") != "" {
		t.Errorf("got %s", got)
	}
	grant, err := verify(t, signer, got, expiry().Add(-time.Hour))
	want := blob.Grant{Key: deckKey, Name: deckName, Expires: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)}
	if err != nil || grant != want {
		t.Errorf("got %+v, %v", grant, err)
	}
}

func TestSignedNamesComeBack(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "a")
	for _, name := range []string{
		"", " ", "a", "a\nb", "\x00", "\xff", "名前.pdf", "../../etc/passwd", "a&expires=1", "a#b", "a;b", `"`, "a+b",
	} {
		grant, err := verify(t, signer, signer.URL(deckKey, name, expiry()), expiry().Add(-time.Hour))
		if err != nil || grant.Name != name {
			t.Errorf("%q came back as %q, %v", name, grant.Name, err)
		}
	}
}

func TestSignedURLEnds(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "a")
	signed := signer.URL(deckKey, deckName, expiry())
	for name, c := range map[string]struct {
		now     time.Time
		refused bool
	}{
		"in time":    {expiry().Add(-time.Second), false},
		"the second": {expiry(), true},
		"a day late": {expiry().Add(24 * time.Hour), true},
	} {
		_, err := verify(t, signer, signed, c.now)
		if c.refused {
			wantKind(t, err, fault.Forbidden)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChangedCharacterIsRefused replaces, removes and doubles each character of a URL.
func TestChangedCharacterIsRefused(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "a")
	signed := signer.URL(deckKey, deckName, expiry())
	from := len(publicURL)
	changes := 0
	try := func(changed string) {
		if changed == signed {
			return
		}
		changes++
		if _, err := verify(t, signer, changed, expiry().Add(-time.Hour)); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s was taken: %v", changed, err)
		}
	}
	for i := from; i < len(signed); i++ {
		before, c, after := signed[:i], signed[i:i+1], signed[i+1:]
		try(before + after)
		try(before + c + c + after)
		try(before + strings.ToUpper(c) + after)
		try(before + strings.ToLower(c) + after)
		try(before + percent(signed[i]) + after)
		for _, other := range "0aAzf9+%&=/?.;-_ \x00é" {
			try(before + string(other) + after)
			try(before + string(other) + c + after)
		}
	}
	if changes < 40*(len(signed)-from) {
		t.Errorf("only %d changes were tried", changes)
	}
}

func percent(c byte) string {
	return string([]byte{'%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15]})
}

func TestRewrittenURLIsRefused(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "a")
	signed := signer.URL(deckKey, "a b.pdf", expiry())
	u, err := url.Parse(signed)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	name, expires, signature := "name=a%20b.pdf", "expires="+q.Get("expires"), "signature="+q.Get("signature")
	file := publicURL + "/files/" + deckKey + "?"
	if file+name+"&"+expires+"&"+signature != signed {
		t.Fatalf("the parts do not make up %s", signed)
	}
	for what, changed := range map[string]string{
		"a plus for a space":   file + "name=a+b.pdf&" + expires + "&" + signature,
		"another order":        file + expires + "&" + name + "&" + signature,
		"a name twice":         file + name + "&" + name + "&" + expires + "&" + signature,
		"a second name":        signed + "&name=x.html",
		"a second signature":   signed + "&" + signature,
		"one more parameter":   signed + "&x=1",
		"an empty parameter":   signed + "&",
		"no name":              file + expires + "&" + signature,
		"no expiry":            file + name + "&" + signature,
		"no signature":         file + name + "&" + expires,
		"an empty signature":   file + name + "&" + expires + "&signature=",
		"upper-case signature": file + name + "&" + expires + "&signature=" + strings.ToUpper(q.Get("signature")),
		"a signed number":      file + name + "&expires=+" + q.Get("expires") + "&" + signature,
		"a leading zero":       file + name + "&expires=0" + q.Get("expires") + "&" + signature,
		"a later expiry":       file + name + "&expires=9999999999&" + signature,
		"no query":             publicURL + "/files/" + deckKey,
		"an escaped path":      publicURL + "/files/deals%2F0190b6d2/deck.pdf?" + u.RawQuery,
		"an escaped letter":    publicURL + "/files/%64eals/0190b6d2/deck.pdf?" + u.RawQuery,
		"a path with dots":     publicURL + "/files/x/../" + deckKey + "?" + u.RawQuery,
		"a doubled slash":      publicURL + "/files//" + deckKey + "?" + u.RawQuery,
		"another folder":       publicURL + "/s/" + deckKey + "?" + u.RawQuery,
		"another file":         publicURL + "/files/deals/0190b6d2/deck.pdx?" + u.RawQuery,
		"no file":              publicURL + "/files/?" + u.RawQuery,
	} {
		grant, err := verify(t, signer, changed, expiry().Add(-time.Hour))
		if !fault.Is(err, fault.Forbidden) || grant != (blob.Grant{}) {
			t.Errorf("%s was taken: %+v, %v", what, grant, err)
		}
	}
}

// TestFieldsDoNotRunTogether moves bytes from one signed field to the next.
func TestFieldsDoNotRunTogether(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "a")
	seen := map[string]string{}
	for _, f := range []struct {
		key, name string
		expires   int64
	}{
		{"a", "b", 1772445600},
		{"ab", "", 1772445600},
		{"a", "", 1772445600},
		{"a/b", "", 1772445600},
		{"a", "0", 177244560},
		{"a", "1772445600\nb", 1772445600},
		{"a", "\n1772445600\nb", 1772445600},
		{"a1", "", 772445600},
	} {
		u, err := url.Parse(signer.URL(f.key, f.name, time.Unix(f.expires, 0)))
		if err != nil {
			t.Fatal(err)
		}
		signature := u.Query().Get("signature")
		if other, found := seen[signature]; found {
			t.Errorf("%+v has the signature of %s", f, other)
		}
		seen[signature] = f.key + " " + f.name
	}
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	before, during, after := newSigner(t, "a"), newSigner(t, "b", "a"), newSigner(t, "b")
	old, fresh := before.URL(deckKey, deckName, expiry()), during.URL(deckKey, deckName, expiry())
	for name, c := range map[string]struct {
		signer *blob.Signer
		url    string
		valid  bool
	}{
		"an old URL while both keys hold": {during, old, true},
		"a new URL while both keys hold":  {during, fresh, true},
		"a new URL with the new key":      {after, fresh, true},
		"an old URL with the new key":     {after, old, false},
		"a new URL with the old key":      {before, fresh, false},
	} {
		if _, err := verify(t, c.signer, c.url, expiry().Add(-time.Hour)); (err == nil) != c.valid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewSignerRefuses(t *testing.T) {
	t.Parallel()
	good := bytes.Repeat([]byte("k"), 32)
	for name, c := range map[string]struct {
		keys      [][]byte
		publicURL string
		says      string
	}{
		"no key":           {nil, publicURL, "at least one"},
		"a short key":      {[][]byte{good, good[:31]}, publicURL, "key 2 to sign URLs with has 31 bytes"},
		"no URL":           {[][]byte{good}, "", "not absolute"},
		"a host alone":     {[][]byte{good}, "deals.example", "not absolute"},
		"another protocol": {[][]byte{good}, "ftp://deals.example", "not absolute"},
	} {
		signer, err := blob.NewSigner(c.keys, c.publicURL)
		if err == nil || signer != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "kkk") {
			t.Errorf("%s: the error shows a secret: %v", name, err)
		}
	}
}
