package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/postgres"
)

// trialMail is an example of a mail as other services send it, with which an integration is tested. "TRIAL-ID" in it
// must be replaced by a new id each time.
//
//go:embed trials/mail.json
var trialMail string

// errTrial rolls back the transaction of a trial. A trial that ends with this error has succeeded.
var errTrial = errors.New("this is a trial, which keeps nothing")

// end returns errTrial for a delivery that is a trial, and nil for others.
func (d Delivery) end() error {
	if d.trial {
		return errTrial
	}
	return nil
}

// trial describes what an integration would store if its service sent an example.
type trial struct {
	Integration Integration
	Mail        *email.Message // nil for a form
	Answers     []string       // of a form, such as "Name: Acme"; nil for a mail
	Company     bool           // whether a company would be created from it
}

// Try handles an example of what the service of an integration sends, as Receive does: it finds the integration by its
// token, checks the proof, and writes the rows, but does not commit them. The error is Forbidden if the user is neither
// an owner nor an admin of the account, NotFound if there is no such account or it has no such integration, Conflict if
// the integration is switched off, and otherwise the error of Receive.
func (s *Service) Try(ctx context.Context, user, accountID, id uuid.UUID) (trial, error) {
	var trial trial
	err := s.asAdmin(ctx, user, accountID, func(tx *postgres.Tx) error {
		return s.load(tx, accountID, id, &trial.Integration)
	})
	if err != nil {
		return trial, err
	}
	hook, err := s.Find(ctx, trial.Integration.HookToken)
	if fault.Is(err, fault.Forbidden) {
		return trial, fault.New(fault.Conflict, "integration_disabled",
			fault.Detail{Field: "integration", Message: "is switched off: turn it on first"})
	}
	if err != nil {
		return trial, err
	}
	secret, err := s.secrets.open(hook.ID, sealedSecret, hook.Secret)
	if err != nil {
		return trial, err
	}
	trial.Company = hook.CreateCompanies
	delivery, body := example(hook.Kind, secret)
	if _, err := s.Receive(ctx, hook, delivery); !errors.Is(err, errTrial) {
		return trial, fmt.Errorf("try the integration %s: %w", id, err)
	}
	return trial, trial.describe(hook.Kind, delivery.ContentType, body)
}

// example returns a delivery of an example to an integration of this kind, with a valid proof by the secret, and its
// body.
func example(kind, secret string) (Delivery, string) {
	d := Delivery{ContentType: "application/json", trial: true}
	tool, isTool := form.ToolNamed(kind)
	body := trialMail
	if isTool {
		body = tool.Trial
	}
	body = strings.ReplaceAll(body, "TRIAL-ID", "trial-"+uuid.NewString())
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if isTool {
		d.Proof.FormTool = tool.Prefix + signature
	} else {
		d.Proof.Password = &secret
	}
	d.Body = strings.NewReader(body)
	return d, body
}

// describe sets Mail or Answers of the trial to what would be stored for the example.
func (t *trial) describe(kind, contentType, body string) error {
	if kind == FromEmail {
		m, err := email.ReadHook(contentType, []byte(body))
		t.Mail = &m
		return err
	}
	in, err := readSubmission(kind, []byte(body))
	if err != nil {
		return err
	}
	var answers []struct {
		Label string
		Value any
	}
	if err := json.Unmarshal(in.Data, &answers); err != nil {
		return fmt.Errorf("read the answers of the trial: %w", err)
	}
	for _, answer := range answers {
		t.Answers = append(t.Answers, fmt.Sprintf("%s: %v", answer.Label, answer.Value))
	}
	return nil
}
