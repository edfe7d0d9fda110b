package visitor

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// AddressLifetime is how long the address that a visitor entered is remembered; after that they must enter it again.
const AddressLifetime = 30 * 24 * time.Hour

// Greet returns a signed text which proves that a visitor entered this address at the link. Address accepts it for
// AddressLifetime. Greet does not check the address.
func (s *Service) Greet(link PublicLink, email string) string {
	return s.greeting(link, s.deps.Secrets[0], base64.RawURLEncoding.EncodeToString([]byte(email)),
		s.deps.Now().Add(AddressLifetime).Unix())
}

// Address returns the address in a text that Greet returned for this link. It returns "" if the text is malformed, has
// expired, or is signed for another link or by an unknown secret.
func (s *Service) Address(link PublicLink, proof string) string {
	parts := strings.Split(proof, ".")
	if len(parts) != 3 {
		return ""
	}
	email, err := base64.RawURLEncoding.DecodeString(parts[0])
	until, wrong := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || wrong != nil || s.deps.Now().Unix() >= until {
		return ""
	}
	for _, secret := range s.deps.Secrets {
		if hmac.Equal([]byte(s.greeting(link, secret, parts[0], until)), []byte(proof)) {
			return string(email)
		}
	}
	return ""
}

// greeting returns email, an address that is encoded in base64 already, with its time of expiry and a signature. The
// signed text begins with a line for this purpose, so that a signature made with the same secret for another purpose is
// not accepted.
func (s *Service) greeting(link PublicLink, secret []byte, email string, until int64) string {
	at := strconv.FormatInt(until, 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("dealflow visitor of a shared link v1\n" + link.LinkID.String() + "\n" + email + "\n" + at))
	return email + "." + at + "." + hex.EncodeToString(mac.Sum(nil))
}
