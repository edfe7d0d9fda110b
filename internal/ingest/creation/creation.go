// Package creation creates companies from emails and form submissions that an import or an integration stored.
package creation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/company/analyst"
	"dealflow/internal/company/sources"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// WorkCreate is the kind of work that finds or creates the company of a new email or submission, which is its subject.
const WorkCreate = "ingest.create"

// The kinds of subjects of a WorkCreate.
const (
	OfEmail = "email"
	OfForm  = "form"
)

// matchMember is the member of the metadata of an email or a submission that has the id of its company, and the reason
// why this company was chosen.
const matchMember = "company_match"

// input is the input of a WorkCreate.
type input struct {
	Kind string `json:"kind"` // OfEmail or OfForm
}

// Item returns the work item, to be added by the caller, that finds or creates the company of an email or a submission.
// kind is OfEmail or OfForm; requestID is that of the request that brought the email or submission.
func Item(accountID uuid.UUID, kind string, id uuid.UUID, requestID string) (work.Item, error) {
	encoded, err := json.Marshal(input{Kind: kind})
	if err != nil {
		return work.Item{}, fmt.Errorf("encode the input of %s: %w", WorkCreate, err)
	}
	return work.Item{
		Kind: WorkCreate, Queue: work.Bulk, AccountID: accountID, SubjectID: &id,
		MaxAttempts: work.CreationAttempts, Input: encoded, RequestID: requestID,
	}, nil
}

// Service creates companies from new emails and submissions. It is safe for concurrent use.
type Service struct {
	db      *postgres.DB
	creator *analyst.Creator
}

// New returns a Service that stores in db the companies that creator prepares.
func New(db *postgres.DB, creator *analyst.Creator) *Service {
	return &Service{db: db, creator: creator}
}

// matched is the value of matchMember, encoded as JSON.
type matched struct {
	CompanyID    *uuid.UUID `json:"company_id"` // null if no company was found or made, or not every member sees it
	Created      bool       `json:"created"`
	Reason       string     `json:"reason"`
	FilesLeftOut []string   `json:"files_left_out,omitempty"`

	EarlierPass json.RawMessage `json:"earlier_pass,omitempty"` // when the team rejected the company before
}

// source loads, locks and links emails or form submissions, from which companies are created.
type source interface {
	// load returns the email or submission as an arrival to analyze. If no company is to be created from it, unfit says
	// why. The error is gorm.ErrRecordNotFound if it was deleted or the user does not see it any more.
	load(tx *postgres.Tx, accountID, id uuid.UUID) (in analyst.Arrival, unfit string, err error)
	// lock locks the row of the email or submission until the transaction ends, and reports whether it still exists.
	lock(tx *postgres.Tx, accountID, id uuid.UUID) (bool, error)
	// thing returns the email or submission as a thing of the journal of imports.
	thing(id uuid.UUID) journal.Thing
	// link links the email or submission to the company, unless companyID is uuid.Nil, and stores the note in the
	// metadata.
	link(tx *postgres.Tx, accountID, id, companyID uuid.UUID, note json.RawMessage) error
}

// Create performs a claimed work item of the kind WorkCreate and marks it as done: it finds or creates the company that
// the email or submission is about, and links them, in one transaction. It creates no company if the email or
// submission was deleted or has no content, if its import was undone, or if a submission has a company already. The
// error is work.ErrLost if another worker has taken the attempt over; after any other error the work must be tried
// again.
func (s *Service) Create(ctx context.Context, item work.Item) error {
	from, err := sourceOf(item)
	if err != nil {
		return err
	}
	id := *item.SubjectID
	in, over, err := s.begin(ctx, item, from)
	if err != nil || over {
		return err
	}
	arrival, err := s.creator.Prepare(ctx, item.UserID, in)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, item.UserID, func(tx *postgres.Tx) error {
		there, err := from.lock(tx, item.AccountID, id)
		if err != nil {
			return err
		}
		if !there { // deleted while it was analysed
			return work.Finish(tx, item, nil)
		}
		undone, err := journal.IsUndone(tx, from.thing(id))
		if err != nil {
			return err
		}
		if undone {
			return s.finish(tx, item, from, analyst.Resolved{Reason: importUndone})
		}
		done, err := arrival.Resolve(tx)
		if err != nil {
			return err
		}
		if err := journal.Follow(tx, from.thing(id), made(done)); err != nil {
			return err
		}
		return s.finish(tx, item, from, done)
	})
	arrival.Close(ctx, err)
	return err
}

// importUndone is the reason why no company is created from an email or submission whose import was undone.
const importUndone = "The import that brought it was undone."

// made returns the company and the files that were created from an arrival, for the journal of imports; nil if no
// company was created.
func made(done analyst.Resolved) []journal.Thing {
	if !done.Created {
		return nil
	}
	return append(journal.Things(journal.File, done.Files), journal.Thing{Kind: journal.Company, ID: done.CompanyID})
}

// begin loads the email or submission. If no company must be created from it, begin finishes the work, and over is
// true.
func (s *Service) begin(ctx context.Context, item work.Item, from source) (in analyst.Arrival, over bool, err error) {
	err = s.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		var unfit string
		in, unfit, err = from.load(tx, item.AccountID, *item.SubjectID)
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound):
			over = true
			return work.Finish(tx, item, nil)
		case err == nil && unfit != "":
			over = true
			return s.finish(tx, item, from, analyst.Resolved{Reason: unfit})
		default:
			return err
		}
	})
	return in, over, err
}

// finish links the email or submission to the company, if there is one, and finishes the work. It stores in the
// metadata why this company was chosen, or why there is none. This note names the company only if every member of the
// account sees it.
func (s *Service) finish(tx *postgres.Tx, item work.Item, from source, done analyst.Resolved) error {
	note := matched{Created: done.Created, Reason: done.Reason, FilesLeftOut: done.LeftOut}
	if done.Public && done.CompanyID != uuid.Nil {
		note.CompanyID = &done.CompanyID
		var err error
		if note.EarlierPass, err = sources.EarlierPass(tx, done.CompanyID); err != nil {
			return err
		}
	}
	encoded, err := json.Marshal(map[string]matched{matchMember: note})
	if err != nil {
		return fmt.Errorf("encode why a company was made: %w", err)
	}
	if err := from.link(tx, item.AccountID, *item.SubjectID, done.CompanyID, encoded); err != nil {
		return err
	}
	return work.Finish(tx, item, note)
}

func sourceOf(item work.Item) (source, error) {
	var todo input
	if err := json.Unmarshal(item.Input, &todo); err != nil {
		return nil, fmt.Errorf("read the input of %s: %w", WorkCreate, err)
	}
	switch todo.Kind {
	case OfEmail:
		return emails{}, nil
	case OfForm:
		return submissions{}, nil
	default:
		return nil, fmt.Errorf("a company is made of an email or a form, not of %q", todo.Kind)
	}
}
