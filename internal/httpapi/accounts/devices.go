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

// deviceCookie distinguishes a browser that a user has logged in with before. It lets nobody in.
const (
	deviceCookie = "dealflow_device"
	deviceAge    = 365 * 24 * 60 * 60 // seconds
)

// Devices makes and checks device cookies: a random name of the device and its proof, which holds for one user. The
// first key signs, all verify; without keys no browser is known again.
type Devices struct{ Keys [][]byte }

// prove returns the proof that a user has logged in with a device. It is of the user, not of the address: others may
// claim that.
func (d Devices) prove(key []byte, user uuid.UUID, device string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("dealflow device 1\x00" + user.String() + "\x00" + device))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// known returns the name of the device where the user has logged in with it; else "".
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

// remember returns the cookie by which a browser will be known as one that the user has logged in with; "" where it is
// known already, or none can be.
func (d Devices) remember(r *http.Request, user uuid.UUID) string {
	if len(d.Keys) == 0 || d.known(r, user) != "" {
		return ""
	}
	device := strings.ToLower(rand.Text())
	return device + "." + d.prove(d.Keys[0], user, device)
}
