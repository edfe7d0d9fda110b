package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// WorkReceive is the kind of work that takes in what was received, its subject being the receipt.
const WorkReceive = "ingest.receive"

const receiveAttempts = 5

// atOnce is how large a mail may be, in bytes, to be taken in while its sender waits: it costs a few milliseconds. A larger one is stored, and a worker
// takes it in.
const atOnce = 256 << 10

// Statuses of a receipt.
const (
	ReceiptWaiting = "waiting"
	ReceiptDone    = "done"
	ReceiptFailed  = "failed"
)

// Receipt is a mail that was received and not taken in at once.
type Receipt struct {
	ID            uuid.UUID
	AccountID     uuid.UUID
	IntegrationID uuid.UUID
	ContentType   string
	SizeBytes     int64
	SHA256        string  `gorm:"column:sha256"` // of the body, in hexadecimal
	StoragePath   *string // of the body, as long as it is needed

	CreateCompanies bool // as the integration said then
	Status          string
	Error           *string // why it failed
	CreatedAt       time.Time
	FinishedAt      *time.Time
}

// Hook is an integration as who sends to it sees it.
type Hook struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Kind            string
	Enabled         bool
	CreateCompanies bool
	Secret          []byte // sealed
	SigningKey      []byte // sealed; nil: there is none
	RunsAs          *uuid.UUID
}

// Delivery is what came.
type Delivery struct {
	ContentType string
	Proof       Proof
	RequestID   string
	Body        io.Reader
}

// Find gives the integration behind the token of a URL: NotFound where there is none, Forbidden where it is switched off.
func (s *Integrations) Find(ctx context.Context, token string) (Hook, error) {
	hash := sha256.Sum256([]byte(token))
	var found []Hook
	err := s.DB.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_integration_by_token(?)", hash[:]).Scan(&found).Error
	})
	switch {
	case err != nil:
		return Hook{}, fmt.Errorf("look for an integration: %w", err)
	case len(found) == 0:
		return Hook{}, fault.Missing()
	case !found[0].Enabled || found[0].RunsAs == nil:
		return Hook{}, fault.New(fault.Forbidden, "integration_disabled", fault.Detail{Field: "token", Message: "this integration is switched off"})
	}
	return found[0], nil
}

// Receive takes in what an integration sent, and tells whether it is new; it is durable then. Unauthenticated where the proof is missing or wrong,
// TooLarge, UnsupportedType and InvalidBody for what cannot be understood. A proof is checked on the bytes as they came.
func (s *Integrations) Receive(ctx context.Context, hook Hook, d Delivery) (added bool, err error) {
	proof, err := s.prove(hook, d.Proof)
	if err != nil {
		return false, err
	}
	if hook.Kind == FromEmail {
		return s.receiveMail(ctx, hook, proof, d)
	}
	body, err := readLimited(proof.read(d.Body), s.MaxJSONSize)
	if err != nil {
		return false, err
	}
	if err := proof.check(d.ContentType, body); err != nil {
		return false, err
	}
	in, err := readSubmission(hook.Kind, body)
	if err != nil {
		return false, err
	}
	err = s.DB.As(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		ids, err := form.AddBatch(tx, hook.AccountID, []*form.Incoming{&in})
		if err != nil || len(ids) == 0 {
			return err
		}
		added = true
		return s.orderCompany(tx, hook, CreationOfForm, ids[0], d.RequestID)
	})
	return added, err
}

func readSubmission(kind string, body []byte) (form.Incoming, error) {
	if kind == FromTally {
		return form.ReadTally(body)
	}
	return form.ReadTypeform(body)
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
	return fault.New(fault.TooLarge, "body_too_large", fault.Detail{Field: "body", Message: fmt.Sprintf("is larger than %d bytes", limit)})
}

func cutShort(cause error) error {
	return fault.New(fault.InvalidBody, "incomplete_body", fault.Detail{Field: "body", Message: "ended before it was complete"}).Because(cause)
}

// receiveMail takes in a small mail at once and leaves a large one to a worker.
func (s *Integrations) receiveMail(ctx context.Context, hook Hook, proof *proving, d Delivery) (bool, error) {
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
	m, err := email.ReadHook(d.ContentType, begin)
	if err != nil {
		return false, err
	}
	return s.keepMail(ctx, hook, m, d.RequestID, nil)
}

// keepMail keeps a mail and does, in the same transaction, what else is given.
func (s *Integrations) keepMail(ctx context.Context, hook Hook, m email.Message, requestID string, also func(*postgres.Tx) error) (added bool, err error) {
	if err := m.Check(); err != nil {
		return false, err
	}
	known, err := s.knows(ctx, hook, m.ExternalID)
	if err != nil {
		return false, err
	}
	if !known { // what is there already has its files
		if err := s.Emails.StoreFiles(ctx, hook.AccountID, &m); err != nil {
			return false, err
		}
	}
	err = s.DB.As(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		if !known {
			var id uuid.UUID
			var err error
			if id, added, err = s.Emails.Add(tx, hook.AccountID, m.Draft); err != nil {
				return err
			}
			if added {
				if err := s.orderCompany(tx, hook, CreationOfEmail, id, requestID); err != nil {
					return err
				}
			}
		}
		if also == nil {
			return nil
		}
		return also(tx)
	})
	return added && err == nil, err
}

func (s *Integrations) knows(ctx context.Context, hook Hook, externalID string) (bool, error) {
	var known bool
	err := s.DB.As(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT EXISTS (SELECT 1 FROM emails WHERE account_id = ? AND external_id = ?)", hook.AccountID, externalID).Scan(&known).Error
	})
	if err != nil {
		return false, fmt.Errorf("look for an email: %w", err)
	}
	return known, nil
}

// orderCompany adds the making of a company of a new item, where the integration wants that.
func (s *Integrations) orderCompany(tx *postgres.Tx, hook Hook, kind string, id uuid.UUID, requestID string) error {
	if !hook.CreateCompanies {
		return nil
	}
	input, err := json.Marshal(CreationOrder{Kind: kind})
	if err != nil {
		return fmt.Errorf("encode the order of a company: %w", err)
	}
	return s.Work.Add(tx, work.Item{
		Kind: WorkCreate, Queue: work.Bulk, AccountID: hook.AccountID, SubjectID: &id, MaxAttempts: createAttempts, Input: input, RequestID: requestID,
	})
}

// keepForLater streams a large mail to storage, and leaves a receipt by which a worker takes it in. The same body is received once.
func (s *Integrations) keepForLater(ctx context.Context, hook Hook, proof *proving, d Delivery, body io.Reader) (bool, error) {
	incoming := "incoming/hook-" + uuid.NewString() // what is left behind there, the sweep of uploads removes
	broken := &remembering{Reader: body}
	written, err := s.Blobs.Write(ctx, incoming, broken, s.MaxMailSize)
	switch {
	case fault.Is(err, fault.TooLarge):
		return false, bodyTooLarge(s.MaxMailSize)
	case broken.err != nil:
		return false, cutShort(broken.err)
	case err != nil:
		return false, fmt.Errorf("store what was received: %w", err)
	}
	r := Receipt{
		ID: uuid.New(), AccountID: hook.AccountID, IntegrationID: hook.ID, ContentType: d.ContentType, SizeBytes: written.Size, SHA256: written.SHA256, Status: ReceiptWaiting,
	}
	added, err := s.accept(ctx, hook, proof, d, incoming, &r)
	if err != nil || !added {
		if gone := s.Blobs.Delete(context.WithoutCancel(ctx), incoming); gone != nil {
			s.Logger.WarnContext(ctx, "a refused mail could not be removed; the sweep will", "error", gone)
		}
	}
	return added, err
}

// remembering tells a sender's broken connection from a storage that fails.
type remembering struct {
	io.Reader

	err error
}

// Read is part of io.Reader.
func (r *remembering) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// accept proves what was stored and writes its receipt.
func (s *Integrations) accept(ctx context.Context, hook Hook, proof *proving, d Delivery, incoming string, r *Receipt) (bool, error) {
	stored, err := s.Blobs.Open(ctx, incoming)
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
	key := email.FileKey(hook.AccountID, r.SHA256)
	if err := s.Emails.Hold(ctx, hook.AccountID, key); err != nil {
		return false, err
	}
	if err := s.Blobs.Copy(ctx, incoming, key); err != nil {
		return false, fmt.Errorf("keep what was received: %w", err)
	}
	r.StoragePath = &key
	added, err := s.writeReceipt(ctx, hook, *r, d.RequestID)
	if err == nil && added {
		err = s.Blobs.Delete(context.WithoutCancel(ctx), incoming)
		if err != nil {
			s.Logger.WarnContext(ctx, "a copy of a mail could not be removed; the sweep will", "error", err)
		}
		return true, nil
	}
	return added, err
}

// checkMailType refuses at once what no worker could read.
func checkMailType(contentType string) error {
	if _, err := email.ReadHook(contentType, nil); fault.Is(err, fault.UnsupportedType) {
		return err
	}
	return nil
}

// writeReceipt gives false where the same body came before, unless it failed then: that is tried again.
func (s *Integrations) writeReceipt(ctx context.Context, hook Hook, r Receipt, requestID string) (added bool, err error) {
	err = s.DB.As(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		var ids []uuid.UUID
		err := tx.Raw(`INSERT INTO receipts (id, account_id, integration_id, content_type, size_bytes, sha256, storage_path, create_companies)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (integration_id, sha256) DO UPDATE SET status = 'waiting', error = NULL, finished_at = NULL, storage_path = excluded.storage_path
			WHERE receipts.status = 'failed' RETURNING id`, r.ID, r.AccountID, r.IntegrationID, r.ContentType, r.SizeBytes, r.SHA256, r.StoragePath, hook.CreateCompanies).Scan(&ids).Error
		if err != nil {
			return fmt.Errorf("write a receipt: %w", err)
		}
		if added = len(ids) > 0; !added {
			return nil
		}
		return s.Work.Add(tx, work.Item{
			Kind: WorkReceive, Queue: work.Bulk, AccountID: hook.AccountID, SubjectID: &ids[0], MaxAttempts: receiveAttempts, RequestID: requestID,
		})
	})
	return added && err == nil, err
}

// TakeIn does a claimed WorkReceive and finishes it: the mail is kept, or its receipt says why it cannot be. Any other error is worth another attempt.
func (s *Integrations) TakeIn(ctx context.Context, item work.Item) error {
	var r Receipt
	err := s.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error { return tx.First(&r, "id = ?", item.SubjectID).Error })
	if errors.Is(err, gorm.ErrRecordNotFound) || err == nil && r.Status != ReceiptWaiting { // its integration is gone, or it was taken in
		return s.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error { return work.Finish(tx, item, nil) })
	}
	if err != nil {
		return fmt.Errorf("load receipt %s: %w", item.SubjectID, err)
	}
	hook := Hook{ID: r.IntegrationID, AccountID: r.AccountID, Kind: FromEmail, CreateCompanies: r.CreateCompanies, RunsAs: &item.UserID}
	m, err := s.readStored(ctx, r)
	if err == nil {
		_, err = s.keepMail(ctx, hook, m, item.RequestID, func(tx *postgres.Tx) error { return s.settle(tx, item, r, nil) })
	}
	if isRefused(err) {
		return s.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error { return s.settle(tx, item, r, err) })
	}
	return err
}

// isRefused tells what no other attempt would change.
func isRefused(err error) bool {
	return fault.Is(err, fault.InvalidBody) || fault.Is(err, fault.UnsupportedType) || fault.Is(err, fault.NotFound)
}

func (s *Integrations) readStored(ctx context.Context, r Receipt) (email.Message, error) {
	if r.StoragePath == nil {
		return email.Message{}, fault.Missing()
	}
	stored, err := s.Blobs.Open(ctx, *r.StoragePath)
	if err != nil {
		return email.Message{}, err
	}
	defer stored.Close()
	body, err := io.ReadAll(stored)
	if err != nil {
		return email.Message{}, fmt.Errorf("read receipt %s: %w", r.ID, err)
	}
	return email.ReadHook(r.ContentType, body)
}

// settle ends a receipt with its work. What failed keeps its body, so that a person can look at it.
func (s *Integrations) settle(tx *postgres.Tx, item work.Item, r Receipt, refusal error) error {
	columns := map[string]any{"status": ReceiptDone, "finished_at": gorm.Expr("now()"), "storage_path": nil}
	if refusal == nil && r.StoragePath != nil { // unless the email has it, it is nobody's from now on
		if err := tx.Exec("SELECT app_hold_files(?, ?::text[])", r.AccountID, postgres.Strings{*r.StoragePath}).Error; err != nil {
			return fmt.Errorf("let go of what was received: %w", err)
		}
	}
	if refusal != nil {
		columns = map[string]any{"status": ReceiptFailed, "finished_at": gorm.Expr("now()"), "error": reasonOf(refusal)}
	}
	if err := tx.Model(&Receipt{}).Where("id = ? AND status = ?", r.ID, ReceiptWaiting).Updates(columns).Error; err != nil {
		return fmt.Errorf("settle receipt %s: %w", r.ID, err)
	}
	return work.Finish(tx, item, nil)
}

// FailLost tells of receipts whose work failed for good that they failed.
func (s *Integrations) FailLost(ctx context.Context) error {
	return s.DB.AsNobody(ctx, func(tx *postgres.Tx) error { return tx.Exec("SELECT app_fail_lost_receipts()").Error })
}
