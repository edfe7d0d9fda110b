package accounts

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// deviceCookie is the name of the cookie by which a browser is recognized if a user has logged in with it before;
// deviceAge is how long the browser keeps it. The cookie does not log the user in.
const (
	deviceCookie = "dealflow_device"
	deviceAge    = 365 * 24 * 60 * 60 // seconds
)

// Devices creates and checks device cookies, "<device>.<proof>": a random name of the browser, and the proof that one
// user has logged in with it. The first key signs, all verify; without keys no browser is recognized.
type Devices struct{ Keys [][]byte }

// prove returns the proof that a user has logged in with a device. It depends on the user's id and not on their email
// address, since another user may claim the same address.
func (d Devices) prove(key []byte, user uuid.UUID, device string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("dealflow device 1\x00" + user.String() + "\x00" + device))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// known returns the name of the device in the device cookie if the user has logged in with this device. Otherwise, and
// for uuid.Nil, it returns "".
func (d Devices) known(r *http.Request, user uuid.UUID) string {
	cookie, err := r.Cookie(deviceCookie)
	if err != nil || user == uuid.Nil {
		return ""
	}
	device, proof, _ := strings.Cut(cookie.Value, ".")
	for _, key := range d.Keys {
		if hmac.Equal([]byte(proof), []byte(d.prove(key, user, device))) {
			return device
		}
	}
	return ""
}

// remember returns the value of a new device cookie for a browser in which the user has just logged in; "" if the
// browser is known already, or there are no keys.
func (d Devices) remember(r *http.Request, user uuid.UUID) string {
	if len(d.Keys) == 0 || d.known(r, user) != "" {
		return ""
	}
	device := strings.ToLower(rand.Text())
	return device + "." + d.prove(d.Keys[0], user, device)
}
