package httpapi

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// deviceCookie tells a browser that a user has logged in with before from others. It lets nobody in.
const (
	deviceCookie = "dealflow_device"
	deviceAge    = 365 * 24 * 60 * 60 // seconds
)

// devices makes and checks device cookies: a random name of the device and its proof, which holds for one user. The
// first key signs, all verify.
type devices struct{ keys [][]byte }

// prove returns the proof that a user has logged in with a device. It is of the user, not of the address: others may
// claim that.
func (d devices) prove(key []byte, user uuid.UUID, device string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("dealflow device 1\x00" + user.String() + "\x00" + device))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// known returns the name of the device where the user has logged in with it; else "".
func (d devices) known(r *http.Request, user uuid.UUID) string {
	cookie, err := r.Cookie(deviceCookie)
	if err != nil || user == uuid.Nil {
		return ""
	}
	device, proof, _ := strings.Cut(cookie.Value, ".")
	for _, key := range d.keys {
		if hmac.Equal([]byte(proof), []byte(d.prove(key, user, device))) {
			return device
		}
	}
	return ""
}

// know remembers, in the browser, that a user has logged in with it.
func (a *API) know(c *gin.Context, user uuid.UUID) {
	if len(a.devices.keys) == 0 || a.devices.known(c.Request, user) != "" {
		return
	}
	device := strings.ToLower(rand.Text())
	//nolint:gosec // G124: a.cookie sets all three
	cookie := a.cookie(device+"."+a.devices.prove(a.devices.keys[0], user, device), deviceAge)
	cookie.Name = deviceCookie
	http.SetCookie(c.Writer, cookie)
}
