package hooks

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"hash"
	"io"
	"strings"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/mimemail"
)

// Proof is what a sender proves itself with; empty: it did not.
type Proof struct {
	Password  *string // of HTTP Basic; the user's name does not matter
	Signature string  // X-Hook-Signature: "sha256=" and the base64 of HMAC-SHA256(secret, body)
	Tally     string  // Tally-Signature: the base64 alone
	Typeform  string  // Typeform-Signature, as Signature
}

// proving checks a proof while the body passes.
type proving struct {
	kind       string
	proof      Proof
	secret     []byte
	signingKey []byte
	mac        hash.Hash
	now        func() time.Time
	proven     bool
	token      []byte // of Mailgun's signature, where that is the proof
}

// prove unseals what a hook's proof is held against.
func (s *Service) prove(hook Hook, proof Proof) (*proving, error) {
	secret, err := s.secrets.open(hook.ID, sealedSecret, hook.Secret)
	if err != nil {
		return nil, err
	}
	p := &proving{
		kind: hook.Kind, proof: proof, secret: []byte(secret), mac: hmac.New(sha256.New, []byte(secret)), now: s.now,
	}
	if hook.SigningKey != nil {
		key, err := s.secrets.open(hook.ID, sealedSigningKey, hook.SigningKey)
		if err != nil {
			return nil, err
		}
		p.signingKey = []byte(key)
	}
	return p, nil
}

// read lets a body pass. The signature holds for the bytes as they came.
func (p *proving) read(body io.Reader) io.Reader { return io.TeeReader(body, p.mac) }

// checkEarly refuses before the body is read what it cannot prove.
func (p *proving) checkEarly() error {
	if p.proof.Password != nil {
		given, want := sha256.Sum256([]byte(*p.proof.Password)), sha256.Sum256(p.secret)
		p.proven = subtle.ConstantTimeCompare(given[:], want[:]) == 1
	}
	if !p.proven && p.proof.Signature == "" && p.signingKey == nil {
		return unproven()
	}
	return nil
}

func unproven() error {
	return fault.New(fault.Unauthenticated, "invalid_signature", fault.Detail{
		Field: "signature", Message: "is missing or wrong: sign the body as it is sent with the secret of this integration",
	})
}

// check holds the proof against a body that has passed.
func (p *proving) check(contentType string, body []byte) error {
	return p.checkStream(contentType, bytes.NewReader(body))
}

// checkStream is check for a body that is not in memory; it is read only where the proof is in it.
func (p *proving) checkStream(contentType string, body io.Reader) error {
	switch p.kind {
	case FromTally:
		p.proven = p.signed(p.proof.Tally) || p.signedCompact(body)
	case FromTypeform:
		p.proven = p.signedBy(p.proof.Typeform)
	case FromEmail:
		p.proven = p.proven || p.signedBy(p.proof.Signature)
		if !p.proven && p.signingKey != nil {
			signed, err := mimemail.ReadSigned(contentType, body)
			if err != nil {
				return err
			}
			p.proven = p.signedByMailgun(signed)
		}
	}
	if !p.proven {
		return unproven()
	}
	return nil
}

// signed reports whether the base64 is that of the body's HMAC.
func (p *proving) signed(encoded string) bool {
	given, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	return err == nil && hmac.Equal(given, p.mac.Sum(nil))
}

func (p *proving) signedBy(header string) bool {
	encoded, found := strings.CutPrefix(strings.TrimSpace(header), "sha256=")
	return found && p.signed(encoded)
}

// signedCompact is for Tally's own example, which signs the body as JSON.stringify writes it.
func (p *proving) signedCompact(body io.Reader) bool {
	given, err := base64.StdEncoding.DecodeString(strings.TrimSpace(p.proof.Tally))
	if err != nil || len(given) != sha256.Size {
		return false
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return false
	}
	mac := hmac.New(sha256.New, p.secret)
	mac.Write(compact.Bytes())
	return hmac.Equal(given, mac.Sum(nil))
}
