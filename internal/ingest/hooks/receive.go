package hooks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/blob"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/ingest"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// WorkReceive is the kind of work that stores a received mail as an email. Its subject is the receipt.
const WorkReceive = "ingest.receive"

// Statuses of a receipt.
const (
	ReceiptWaiting = "waiting"
	ReceiptDone    = "done"
	ReceiptFailed  = "failed"
)

// Receipt is a large mail that was written to storage for a worker.
type Receipt struct {
	ID            uuid.UUID
	AccountID     uuid.UUID
	IntegrationID uuid.UUID
	ContentType   string
	SizeBytes     int64
	SHA256        string  `gorm:"column:sha256"` // of the body, in hexadecimal
	StoragePath   *string // of the body; nil once it is not needed

	CreateCompanies bool // as the integration had it when the mail arrived
	Status          string
	Error           *string // why no email could be created from it
	CreatedAt       time.Time
	FinishedAt      *time.Time
}

// Hook has the columns of an integration that are needed to receive what is sent to it. Find returns one.
type Hook struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Kind            string
	Enabled         bool
	CreateCompanies bool
	Secret          []byte     // sealed
	SigningKey      []byte     // sealed; nil: there is none
	RunsAs          *uuid.UUID // who made it or, once they have left, the owner who joined first; nil: there is none
}

// Delivery is a request that another service sends to an integration. The zero Turn is no limit. Receive does not close
// the Body.
type Delivery struct {
	ContentType string
	Proof       Proof
	RequestID   string
	Body        io.Reader
	Turn        ingest.Turn // waited for once the body is here, before it is parsed and stored

	trial bool // everything is done but the commit
}

// Find returns the integration whose URL has this token. The error is NotFound if there is none, and Forbidden if it is
// switched off or the account has no user left as whom the integration could write. RunsAs of the result is not nil.
func (s *Service) Find(ctx context.Context, token string) (Hook, error) {
	hash := sha256.Sum256([]byte(token))
	var found []Hook
	err := s.receiver.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_integration_by_token(decode(?, 'hex'))",
			hex.EncodeToString(hash[:])).Scan(&found).Error
	})
	switch {
	case err != nil:
		return Hook{}, fmt.Errorf("look for an integration: %w", err)
	case len(found) == 0:
		return Hook{}, fault.NewNotFound()
	case !found[0].Enabled || found[0].RunsAs == nil:
		return Hook{}, fault.New(fault.Forbidden, "integration_disabled",
			fault.Detail{Field: "token", Message: "this integration is switched off"})
	}
	return found[0], nil
}

// Receive stores a mail or a submission that was sent to an integration, and reports whether it is new. When Receive
// returns nil, it is stored durably: as an email or submission, or as a receipt from which a worker stores the email.
// The error is Unauthenticated if the proof is missing or wrong; TooLarge, UnsupportedType or InvalidBody if the body
// cannot be used; and the error of d.Turn if that fails. After an error, part of the body may not have been read.
func (s *Service) Receive(ctx context.Context, hook Hook, d Delivery) (added bool, err error) {
	proof, err := s.prove(hook, d.Proof)
	if err != nil {
		return false, err
	}
	if hook.Kind == FromEmail {
		return s.receiveMail(ctx, hook, proof, d)
	}
	body, err := readLimited(proof.read(d.Body), s.maxJSONSize)
	if err != nil {
		return false, err
	}
	if err := proof.check(d.ContentType, body); err != nil {
		return false, err
	}
	done, err := d.Turn.Take(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	in, err := readSubmission(hook.Kind, body)
	if err != nil {
		return false, err
	}
	err = s.receiver.db.Write(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		ids, err := form.AddBatch(tx, hook.AccountID, []*form.Incoming{&in})
		if err != nil || len(ids) == 0 {
			return err
		}
		added = true
		return errors.Join(s.receiver.addCreation(tx, hook, creation.OfForm, ids[0], d.RequestID), d.end())
	})
	return added, err
}

func readSubmission(kind string, body []byte) (form.Incoming, error) {
	tool, found := form.ToolNamed(kind)
	if !found {
		return form.Incoming{}, fmt.Errorf("no form tool is called %q", kind)
	}
	return tool.Read(body)
}

func readLimited(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, cutShort(err)
	case int64(len(body)) > limit:
		return nil, bodyTooLarge(limit)
	}
	return body, nil
}

func bodyTooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "body_too_large", fault.Detail{
		Field:   "body",
		Message: fmt.Sprintf("is larger than %d bytes", limit),
	})
}

func cutShort(cause error) error {
	return fault.New(fault.InvalidBody, "incomplete_body",
		fault.Detail{Field: "body", Message: "ended before it was complete"}).Because(cause)
}

// receiveMail stores a small mail as an email at once, and a large one in storage for a worker. It reports whether the
// mail is new. The errors are those of Receive.
func (s *Service) receiveMail(ctx context.Context, hook Hook, proof *proving, d Delivery) (bool, error) {
	if err := proof.checkEarly(); err != nil {
		return false, err
	}
	rest := proof.read(d.Body)
	begin, err := io.ReadAll(io.LimitReader(rest, atOnce+1))
	if err != nil {
		return false, cutShort(err)
	}
	if len(begin) > atOnce {
		return s.keepForLater(ctx, hook, proof, d, io.MultiReader(bytes.NewReader(begin), rest))
	}
	if err := proof.check(d.ContentType, begin); err != nil {
		return false, err
	}
	done, err := d.Turn.Take(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	m, err := s.readMail(d.ContentType, begin)
	if err != nil {
		return false, err
	}
	return s.receiver.keepMail(ctx, hook, m, d.RequestID, func(tx *postgres.Tx, added bool) error {
		return errors.Join(proof.spend(tx, hook.AccountID, "message "+m.ExternalID, added), d.end())
	})
}

// readMail parses a mail. It waits while half of the processors parse mails: parsing a malicious mail takes long, and
// other requests must not wait for many such mails.
func (s *Service) readMail(contentType string, body []byte) (email.Message, error) {
	s.reading <- struct{}{}
	defer func() { <-s.reading }()
	return email.ReadHook(contentType, body)
}

// keepForLater streams a large mail to storage under incoming/. If accept then takes it, the mail is kept under another
// key, with a receipt and the work that stores the email. The result is false if the same body came to this integration
// before, unless the receipt of that body has failed. In every case it deletes the mail under incoming/; it only logs
// an error of that, and the sweep deletes the mail. The error is TooLarge for a body of more than maxMailSize bytes,
// InvalidBody for an incomplete one, and otherwise that of accept or the storage.
func (s *Service) keepForLater(ctx context.Context, hook Hook, proof *proving, d Delivery, body io.Reader) (bool,
	error,
) {
	incoming := "incoming/hook-" + uuid.NewString() // the sweep of uploads removes what is left under incoming/
	broken := &remembering{Reader: body}
	written, err := s.receiver.blobs.Write(ctx, incoming, broken, s.maxMailSize)
	switch {
	case fault.Is(err, fault.TooLarge):
		return false, bodyTooLarge(s.maxMailSize)
	case broken.err != nil:
		return false, cutShort(broken.err)
	case err != nil:
		return false, fmt.Errorf("store what was received: %w", err)
	}
	r := Receipt{
		ID: uuid.New(), AccountID: hook.AccountID, IntegrationID: hook.ID, ContentType: d.ContentType,
		SizeBytes: written.Size, SHA256: written.SHA256, Status: ReceiptWaiting,
	}
	added, err := s.accept(ctx, hook, proof, d, incoming, &r)
	if err != nil || !added {
		if gone := s.receiver.blobs.Delete(context.WithoutCancel(ctx), incoming); gone != nil {
			s.receiver.logger.WarnContext(ctx, "a refused mail could not be removed; the sweep will remove it", "error", gone)
		}
	}
	return added, err
}

// remembering stores the error of a reader in err, so that a broken connection of the sender can be distinguished from
// a failure of the storage.
type remembering struct {
	io.Reader

	err error
}

// Read implements io.Reader.
func (r *remembering) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// accept checks the proof of a mail that is under incoming/, copies the mail to the key under which emails have their
// files, and writes its receipt. It returns the result of writeReceipt; if that is true, it removes the mail under
// incoming/. The errors are those of checkStream, checkMailType, d.Turn, writeReceipt and the storage.
func (s *Service) accept(ctx context.Context, hook Hook, proof *proving, d Delivery, incoming string,
	r *Receipt,
) (bool, error) {
	stored, err := s.receiver.blobs.Open(ctx, incoming)
	if err != nil {
		return false, err
	}
	err = errors.Join(proof.checkStream(d.ContentType, stored), stored.Close())
	if err != nil {
		return false, err
	}
	if err := checkMailType(d.ContentType); err != nil {
		return false, err
	}
	done, err := d.Turn.Take(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	key := email.FileKey(hook.AccountID, r.SHA256)
	if err := s.receiver.emails.Hold(ctx, hook.AccountID, key); err != nil {
		return false, err
	}
	if err := s.receiver.blobs.Keep(ctx, blob.Pair{From: incoming, To: key}); err != nil {
		return false, fmt.Errorf("keep what was received: %w", err)
	}
	r.StoragePath = &key
	added, err := s.writeReceipt(ctx, hook, proof, *r, d.RequestID)
	if err == nil && added {
		err = s.receiver.blobs.Delete(context.WithoutCancel(ctx), incoming)
		if err != nil {
			s.receiver.logger.WarnContext(ctx, "a copy of a mail could not be removed; the sweep will remove it", "error", err)
		}
		return true, nil
	}
	return added, err
}

// checkMailType returns UnsupportedType for a content type that email.ReadHook does not read, else nil. It does not
// look at the mail.
func checkMailType(contentType string) error {
	if _, err := email.ReadHook(contentType, nil); fault.Is(err, fault.UnsupportedType) {
		return err
	}
	return nil
}

// writeReceipt writes a receipt and adds its work. It returns false if the same body came before to this integration.
// If the receipt of that body has failed, it makes that receipt wait again, adds work for it, and returns true. The
// error is Unauthenticated if the proof was a signature of Mailgun that came with another body before.
func (s *Service) writeReceipt(ctx context.Context, hook Hook, proof *proving, r Receipt,
	requestID string,
) (added bool, err error) {
	err = s.receiver.db.Write(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		// the token may come again with the same body, which adds no second receipt
		if err := proof.spend(tx, hook.AccountID, "body "+r.SHA256, false); err != nil {
			return err
		}
		var ids []uuid.UUID
		err := tx.Raw(`INSERT INTO receipts (id, account_id, integration_id, content_type, size_bytes, sha256, storage_path,
			create_companies)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (integration_id, sha256) DO UPDATE SET status = 'waiting', error = NULL, finished_at = NULL,
			storage_path = excluded.storage_path, content_type = excluded.content_type,
			create_companies = excluded.create_companies
			WHERE receipts.status = 'failed' RETURNING id`, r.ID, r.AccountID, r.IntegrationID, r.ContentType, r.SizeBytes,
			r.SHA256, r.StoragePath, hook.CreateCompanies).Scan(&ids).Error
		if err != nil {
			return fmt.Errorf("write a receipt: %w", err)
		}
		if added = len(ids) > 0; !added {
			return nil
		}
		return s.receiver.work.Add(tx, work.Item{
			Kind: WorkReceive, Queue: work.Bulk, AccountID: hook.AccountID, SubjectID: &ids[0],
			MaxAttempts: work.ReceiveAttempts, RequestID: requestID,
		})
	})
	return added && err == nil, err
}
