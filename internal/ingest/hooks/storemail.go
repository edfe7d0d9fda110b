package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/blob"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/ingest"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Receiver stores received mails. It is the part of integrations that workers run, and needs none of their secrets. It
// is safe for concurrent use.
type Receiver struct {
	db     *postgres.DB
	blobs  *blob.Store
	work   *work.Store
	emails *email.Service
	logger *slog.Logger
}

// NewReceiver returns a Receiver. All arguments are required.
func NewReceiver(db *postgres.DB, blobs *blob.Store, rows *work.Store, emails *email.Service,
	logger *slog.Logger,
) *Receiver {
	return &Receiver{db: db, blobs: blobs, work: rows, emails: emails, logger: logger}
}

// keepMail stores a mail as an email with its files, unless the account has the email already, and reports whether the
// email is new. In both cases it calls the function also with this report, in the same transaction; if also fails, no
// email is stored. The error is InvalidBody if the mail has no valid id or sender, and otherwise that of also, the
// storage or the database.
func (r *Receiver) keepMail(
	ctx context.Context, hook Hook, m email.Message, requestID string, also func(tx *postgres.Tx, added bool) error,
) (added bool, err error) {
	if err := m.Check(); err != nil {
		return false, err
	}
	known, err := r.knows(ctx, hook, m.ExternalID)
	if err != nil {
		return false, err
	}
	if !known { // an email that the account has already has its files
		if err := r.emails.StoreFiles(ctx, hook.AccountID, &m); err != nil {
			return false, err
		}
	}
	err = r.db.Write(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		if !known {
			var id uuid.UUID
			var err error
			if id, added, err = r.emails.Add(tx, hook.AccountID, m.Draft); err != nil {
				return err
			}
			if added {
				if err := r.addCreation(tx, hook, creation.OfEmail, id, requestID); err != nil {
					return err
				}
			}
		}
		return also(tx, added)
	})
	return added && err == nil, err
}

func (r *Receiver) knows(ctx context.Context, hook Hook, externalID string) (bool, error) {
	var known bool
	err := r.db.As(ctx, *hook.RunsAs, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT EXISTS (SELECT 1 FROM emails WHERE account_id = ? AND external_id = ?)", hook.AccountID,
			externalID).Scan(&known).Error
	})
	if err != nil {
		return false, fmt.Errorf("look for an email: %w", err)
	}
	return known, nil
}

// addCreation adds the work that finds or creates the company of a new email or submission. It does nothing unless the
// integration creates companies.
func (r *Receiver) addCreation(tx *postgres.Tx, hook Hook, kind string, id uuid.UUID, requestID string) error {
	if !hook.CreateCompanies {
		return nil
	}
	item, err := creation.Item(hook.AccountID, kind, id, requestID)
	if err != nil {
		return err
	}
	return r.work.Add(tx, item)
}

// StoreMail performs a claimed work item of the kind WorkReceive and marks it as done: it stores the mail as an email,
// or writes to its receipt why that is impossible. If the receipt was deleted or is not waiting, it only marks the item
// as done. After an error the work must be tried again.
func (r *Receiver) StoreMail(ctx context.Context, item work.Item) error {
	var receipt Receipt
	err := r.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		return tx.First(&receipt, "id = ?",
			item.SubjectID).Error
	})
	// the receipt was deleted with its integration, or its mail is stored already
	if errors.Is(err, gorm.ErrRecordNotFound) || err == nil && receipt.Status != ReceiptWaiting {
		return r.db.As(ctx, item.UserID, func(tx *postgres.Tx) error { return work.Finish(tx, item, nil) })
	}
	if err != nil {
		return fmt.Errorf("load receipt %s: %w", item.SubjectID, err)
	}
	hook := Hook{
		ID: receipt.IntegrationID, AccountID: receipt.AccountID, Kind: FromEmail,
		CreateCompanies: receipt.CreateCompanies, RunsAs: &item.UserID,
	}
	m, err := r.readStored(ctx, receipt)
	if err == nil {
		_, err = r.keepMail(ctx, hook, m, item.RequestID, func(tx *postgres.Tx,
			_ bool,
		) error {
			return r.finishReceipt(tx, item, receipt, nil)
		})
	}
	if isRefused(err) {
		return r.db.As(ctx, item.UserID, func(tx *postgres.Tx) error { return r.finishReceipt(tx, item, receipt, err) })
	}
	return err
}

// isRefused reports whether another attempt will have the same error: InvalidBody, UnsupportedType, or NotFound for a
// mail that is no longer in storage.
func isRefused(err error) bool {
	return fault.Is(err, fault.InvalidBody) || fault.Is(err, fault.UnsupportedType) || fault.Is(err, fault.NotFound)
}

func (r *Receiver) readStored(ctx context.Context, receipt Receipt) (email.Message, error) {
	if receipt.StoragePath == nil {
		return email.Message{}, fault.NewNotFound()
	}
	stored, err := r.blobs.Open(ctx, *receipt.StoragePath)
	if err != nil {
		return email.Message{}, err
	}
	defer stored.Close()
	body, err := io.ReadAll(stored)
	if err != nil {
		return email.Message{}, fmt.Errorf("read receipt %s: %w", receipt.ID, err)
	}
	return email.ReadHook(receipt.ContentType, body)
}

// finishReceipt marks a receipt as done or, if refusal is not nil, as failed with that reason, and finishes the work.
// The body of a failed receipt remains in storage, so that a person can look at it.
func (r *Receiver) finishReceipt(tx *postgres.Tx, item work.Item, receipt Receipt, refusal error) error {
	columns := map[string]any{"status": ReceiptDone, "finished_at": gorm.Expr("now()"), "storage_path": nil}
	if refusal == nil && receipt.StoragePath != nil { // from now on the body is kept only where the email has it as a file
		if err := tx.Exec("SELECT app_hold_files(?, ?::text[])", receipt.AccountID,
			postgres.Strings{*receipt.StoragePath}).Error; err != nil {
			return fmt.Errorf("let go of what was received: %w", err)
		}
	}
	if refusal != nil {
		columns = map[string]any{"status": ReceiptFailed, "finished_at": gorm.Expr("now()"), "error": ingest.Reason(refusal)}
	}
	if err := tx.Model(&Receipt{}).Where("id = ? AND status = ?", receipt.ID,
		ReceiptWaiting).Updates(columns).Error; err != nil {
		return fmt.Errorf("finish receipt %s: %w", receipt.ID, err)
	}
	return work.Finish(tx, item, nil)
}

// FailLostReceipts marks waiting receipts, of all accounts, as failed if no work for them is queued or running, unless
// they are younger than a minute.
func (r *Receiver) FailLostReceipts(ctx context.Context) error {
	return r.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		if err := tx.Exec("SELECT app_fail_lost_receipts()").Error; err != nil {
			return fmt.Errorf("fail lost receipts: %w", err)
		}
		return nil
	})
}
