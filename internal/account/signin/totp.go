package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6238 says so, apps know no other, and HMAC does not need what it lacks
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The parameters of TOTP that authenticator apps expect.
const (
	totpPeriod = 30 // seconds of a step
	totpDigits = 6
	totpSkew   = 1  // steps that a clock may be off, before and after
	totpSecret = 20 // bytes
	totpIssuer = "dealflow"
)

// newTOTPSecret returns a random secret in base32, the form that apps expect.
func newTOTPSecret() string {
	secret := make([]byte, totpSecret)
	_, _ = rand.Read(secret) // it never fails
	return base32.StdEncoding.EncodeToString(secret)
}

// totpURL returns the URL for the QR code that an app reads.
func totpURL(email, secret string) string {
	query := url.Values{
		"secret": {secret}, "issuer": {totpIssuer}, "algorithm": {"SHA1"},
		"digits": {fmt.Sprint(totpDigits)}, "period": {fmt.Sprint(totpPeriod)},
	}
	return "otpauth://totp/" + totpIssuer + ":" + url.PathEscape(email) + "?" + query.Encode()
}

// TOTPCode returns the code of RFC 6238 that a secret, in base32, has at a time.
func TOTPCode(secret string, at time.Time) (string, error) {
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		return "", fmt.Errorf("read the secret of a second factor: %w", err)
	}
	return totpCode(key, totpStep(at)), nil
}

func totpStep(at time.Time) int64 { return at.Unix() / totpPeriod }

func totpCode(key []byte, step int64) string {
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, step)
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%0*d", totpDigits, binary.BigEndian.Uint32(sum[offset:])&0x7fffffff%1_000_000)
}

// matchTOTP returns the number of the step of 30 seconds that has this code, among the steps later than last and at
// most totpSkew steps from this time; 0 if there is none. It returns an error if the secret is not base32.
func matchTOTP(secret, code string, at time.Time, last int64) (int64, error) {
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		return 0, fmt.Errorf("read the secret of a second factor: %w", err)
	}
	var match int64
	for step := totpStep(at) - totpSkew; step <= totpStep(at)+totpSkew; step++ {
		if subtle.ConstantTimeCompare([]byte(totpCode(key, step)), []byte(code)) == 1 && step > last {
			match = step
		}
	}
	return match, nil
}

// plainCode returns a code without spaces and hyphens, in capitals.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
}
