package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/blob"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// ReceiverDeps are what a receiver is made of.
type ReceiverDeps struct {
	DB     *postgres.DB
	Blobs  *blob.Store
	Work   *work.Store
	Emails *email.Service
	Logger *slog.Logger
}

// Receiver keeps what was received; it needs no secret. It is the worker's side of integrations.
type Receiver struct{ ReceiverDeps }

// NewReceiver makes a receiver.
func NewReceiver(deps ReceiverDeps) *Receiver { return &Receiver{ReceiverDeps: deps} }

// keepMail keeps a mail and does, in the same transaction, what else is given; that learns whether the mail is new.
func (s *Receiver) keepMail(
	ctx context.Context, hook Hook, m email.Message, requestID string, also func(tx *postgres.Tx, added bool) error,
) (added bool, err error) {
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
	err = s.DB.Write(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
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
		return also(tx, added)
	})
	return added && err == nil, err
}

func (s *Receiver) knows(ctx context.Context, hook Hook, externalID string) (bool, error) {
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
func (s *Receiver) orderCompany(tx *postgres.Tx, hook Hook, kind string, id uuid.UUID, requestID string) error {
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

// TakeIn does a claimed WorkReceive and finishes it: the mail is kept, or its receipt says why it cannot be. Any
// other error is worth another attempt.
func (s *Receiver) TakeIn(ctx context.Context, item work.Item) error {
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
		_, err = s.keepMail(ctx, hook, m, item.RequestID, func(tx *postgres.Tx, _ bool) error { return s.settle(tx, item, r, nil) })
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

func (s *Receiver) readStored(ctx context.Context, r Receipt) (email.Message, error) {
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
func (s *Receiver) settle(tx *postgres.Tx, item work.Item, r Receipt, refusal error) error {
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

// SweepFiles removes files of emails that have been nobody's longer than age, and gives their number.
func (s *Receiver) SweepFiles(ctx context.Context, age time.Duration) (int, error) {
	return s.Emails.Sweep(ctx, age)
}

// Tidy marks receipts whose work failed for good as failed, and forgets tokens of Mailgun that count no longer.
func (s *Receiver) Tidy(ctx context.Context) error {
	return s.DB.AsNobody(ctx, func(tx *postgres.Tx) error {
		err := tx.Exec("SELECT app_fail_lost_receipts(), app_forget_mailgun_tokens(make_interval(secs => ?))", tokenMemory.Seconds()).Error
		if err != nil {
			return fmt.Errorf("tidy receipts and tokens: %w", err)
		}
		return nil
	})
}
