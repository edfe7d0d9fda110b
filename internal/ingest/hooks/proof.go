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
	"dealflow/internal/form"
	"dealflow/internal/mimemail"
)

// Proof is the password or signature with which a request proves that its sender knows the integration's secret. The
// zero Proof has neither.
type Proof struct {
	Password  *string // of HTTP Basic; any user name will do
	Signature string  // X-Hook-Signature: "sha256=" and the base64 of HMAC-SHA256(secret, body)
	FormTool  string  // the header of the form tool, as form.Tool describes it
}

// proving checks the proof of one request. For a mail, checkEarly must be called first: it alone checks the password.
// Then the body must be read through the reader of read, and after that check or checkStream must be called.
type proving struct {
	kind       string
	proof      Proof
	secret     []byte
	signingKey []byte
	mac        hash.Hash
	now        func() time.Time
	proven     bool
	token      []byte // hash of Mailgun's signature, where that was the proof; else nil
}

// prove decrypts the integration's secrets and returns a proving that checks the proof with them. It returns an error
// if they cannot be decrypted.
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

// read returns a reader of the body that also computes its HMAC. A signature is of the bytes as they arrive.
func (p *proving) read(body io.Reader) io.Reader { return io.TeeReader(body, p.mac) }

// checkEarly checks the password of a request before the body is read. It returns Unauthenticated unless the password
// is right, or a signature may still prove the request: there is a Proof.Signature, or the integration has a signing
// key of Mailgun.
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

// check returns Unauthenticated if the proof is wrong or missing. The body must have been read through read. It also
// returns an error if Mailgun's signature cannot be read from the body.
func (p *proving) check(contentType string, body []byte) error {
	return p.checkStream(contentType, bytes.NewReader(body))
}

// checkStream does what check does, for a body in storage. It reads the body only if the signature is in it (Mailgun)
// or may be of the body without white space (Tool.SignsCompact).
func (p *proving) checkStream(contentType string, body io.Reader) error {
	if tool, isTool := form.ToolNamed(p.kind); isTool {
		p.proven = p.signedAfter(tool.Prefix, p.proof.FormTool) || tool.SignsCompact && p.signedCompact(body)
	} else {
		p.proven = p.proven || p.signedAfter("sha256=", p.proof.Signature)
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

// signed reports whether a text is, in base64, the HMAC of the body that was read.
func (p *proving) signed(encoded string) bool {
	given, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	return err == nil && hmac.Equal(given, p.mac.Sum(nil))
}

// signedAfter reports whether a header is the prefix followed by a text that signed accepts.
func (p *proving) signedAfter(prefix, header string) bool {
	encoded, found := strings.CutPrefix(strings.TrimSpace(header), prefix)
	return found && p.signed(encoded)
}

// signedCompact reports whether a form tool's signature is that of the JSON body without the white space between its
// parts: Tally's own example signs what JSON.stringify returns. It reports false if the body cannot be read or is not
// JSON.
func (p *proving) signedCompact(body io.Reader) bool {
	given, err := base64.StdEncoding.DecodeString(strings.TrimSpace(p.proof.FormTool))
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
