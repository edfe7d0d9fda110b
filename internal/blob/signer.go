package blob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dealflow/internal/fault"
)

const (
	filesPath = "/files/"
	minSecret = 32 // bytes
)

// Signer makes and checks the URLs under which a stored file is downloaded without any other credential. It is safe for
// concurrent use.
type Signer struct {
	keys [][]byte
	base string
}

// Grant is what a valid signed URL allows: to download the file under Key, under the name Name, until Expires.
type Grant struct {
	Key     string
	Name    string
	Expires time.Time // whole seconds, UTC
}

// NewSigner returns a signer for URLs that begin with publicURL, an absolute http or https URL. The first key signs,
// and all verify, so that keys are rotated by putting a new one first. It fails without a key, or with a key of fewer
// than 32 bytes.
func NewSigner(keys [][]byte, publicURL string) (*Signer, error) {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the public URL %q is not absolute: write it as https://host", publicURL)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key to sign URLs with: give at least one")
	}
	for i, key := range keys {
		if len(key) < minSecret {
			return nil, fmt.Errorf("key %d to sign URLs with has %d bytes: give at least %d", i+1, len(key), minSecret)
		}
	}
	return &Signer{keys: keys, base: strings.TrimRight(publicURL, "/")}, nil
}

// URL returns the URL that downloads the file under key, with name as its file name, until expires cut to whole
// seconds: PUBLIC_URL/files/{key}?name=…&expires=…&signature=…, the time in Unix seconds and the signature in
// hexadecimal. It checks neither the key nor whether there is such a file.
func (s *Signer) URL(key, name string, expires time.Time) string {
	at := expires.Unix()
	return s.base + filesPath + key + "?" + rawQuery(name, at, sign(s.keys[0], key, name, at))
}

// Verify returns the grant in the URL of a request. The URL must be byte for byte what URL returned, except before the
// path. The errors are faults of the kind Forbidden: expired_signature if the URL has expired at now, and
// invalid_signature if it was changed, even if it only writes the same values in another way.
func (s *Signer) Verify(u *url.URL, now time.Time) (Grant, error) {
	key, found := strings.CutPrefix(u.EscapedPath(), filesPath)
	query, err := url.ParseQuery(u.RawQuery)
	if !found || err != nil || checkKey(key) != nil {
		return Grant{}, refuse("invalid_signature")
	}
	name, given := query.Get("name"), query.Get("signature")
	at, err := strconv.ParseInt(query.Get("expires"), 10, 64)
	if err != nil || u.RawQuery != rawQuery(name, at, given) || !s.signed(key, name, at, given) {
		return Grant{}, refuse("invalid_signature")
	}
	if now.Unix() >= at {
		return Grant{}, refuse("expired_signature")
	}
	return Grant{Key: key, Name: name, Expires: time.Unix(at, 0).UTC()}, nil
}

// signed reports whether the signature was made with any of the keys. It compares hexadecimal text, since several texts
// would decode to the same bytes.
func (s *Signer) signed(key, name string, at int64, given string) bool {
	valid := false
	for _, secret := range s.keys {
		if hmac.Equal([]byte(sign(secret, key, name, at)), []byte(given)) {
			valid = true
		}
	}
	return valid
}

// sign returns the signature of a key, a name and an expiry time. The signed text has them on lines of their own: a key
// has no line ends, and a name may have some, since it comes last. The first line makes signatures with the same secret
// for other purposes invalid here.
func sign(secret []byte, key, name string, at int64) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("dealflow file v1\n" + key + "\n" + strconv.FormatInt(at, 10) + "\n" + name))
	return hex.EncodeToString(mac.Sum(nil))
}

// rawQuery returns the query of a signed URL. It writes a space as %20, which means the same to every reader, and not
// as "+", which does not.
func rawQuery(name string, at int64, signature string) string {
	name = strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	return "name=" + name + "&expires=" + strconv.FormatInt(at, 10) + "&signature=" + url.QueryEscape(signature)
}

func refuse(code string) error { return fault.New(fault.Forbidden, code) }
