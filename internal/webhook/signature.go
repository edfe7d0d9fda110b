package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// secretPrefix is the prefix of a secret in the specification of Standard Webhooks.
const secretPrefix = "whsec_"

const secretSize = 32 // bytes

func newSecret() string {
	raw := make([]byte, secretSize)
	_, _ = rand.Read(raw) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// sign sets the headers by which a receiver verifies a message: the id of the message, the time of the attempt, and one
// signature for each secret. If a secret is not valid base64, it returns an error and sets no header.
func sign(header http.Header, secrets []string, id string, at time.Time, body string) error {
	seconds := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return fmt.Errorf("read the secret, which can be rotated: %w", err)
		}
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(id + "." + seconds + "." + body))
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", seconds)
	header.Set("webhook-signature", strings.Join(signatures, " "))
	return nil
}
