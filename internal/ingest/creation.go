package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// What the subject of a WorkCreate is.
const (
	CreationOfEmail = "email"
	CreationOfForm  = "form"
)

// matchMember is the member of an email's or a submission's metadata that tells which company was made of it, or
// found, and why.
const matchMember = "company_match"

// CreationOrder is the input of a WorkCreate.
type CreationOrder struct {
	Kind string `json:"kind"` // CreationOfEmail or CreationOfForm
}

// Creations makes companies of new emails and submissions.
type Creations struct {
	db      *postgres.DB
	creator *company.Creator
}

// NewCreations makes the maker of companies.
func NewCreations(db *postgres.DB, creator *company.Creator) *Creations {
	return &Creations{db: db, creator: creator}
}

// matched is how matchMember reads.
type matched struct {
	CompanyID    *uuid.UUID `json:"company_id"` // null where no company was made, or not every member sees it
	Created      bool       `json:"created"`
	Reason       string     `json:"reason"`
	FilesLeftOut []string   `json:"files_left_out,omitempty"`
}

// source is what a company is made of: an email or a submission.
type source interface {
	// load reads it and gives what to analyse, or why no company is to be made of it; gorm.ErrRecordNotFound where it is
	// gone or out of the user's sight.
	load(tx *postgres.Tx, accountID, id uuid.UUID) (in company.Arrival, unfit string, err error)
	// lock keeps it for the transaction and tells whether it is still there.
	lock(tx *postgres.Tx, accountID, id uuid.UUID) (bool, error)
	// link makes it the company's, where there is one, and keeps the note in its metadata.
	link(tx *postgres.Tx, accountID, id, companyID uuid.UUID, note json.RawMessage) error
}

// Create does a claimed WorkCreate and finishes it: the company that the email or submission is about is found or
// made, and linked, in one transaction. Of one that is gone, or that says nothing, no company is made. work.ErrLost
// where the attempt was taken away meanwhile; any other error is worth another attempt.
func (c *Creations) Create(ctx context.Context, item work.Item) error {
	about, err := sourceOf(item)
	if err != nil {
		return err
	}
	id := *item.SubjectID
	in, over, err := c.begin(ctx, item, about)
	if err != nil || over {
		return err
	}
	return c.creator.Create(ctx, item.UserID, in, func(tx *postgres.Tx, settle func() (company.Settled, error)) error {
		there, err := about.lock(tx, item.AccountID, id)
		if err != nil {
			return err
		}
		if !there { // deleted while it was analysed
			return work.Finish(tx, item, nil)
		}
		done, err := settle()
		if err != nil {
			return err
		}
		return c.finish(tx, item, about, done)
	})
}

// begin loads what a company is to be made of, or ends the work where none is: it is over then.
func (c *Creations) begin(ctx context.Context, item work.Item, about source) (in company.Arrival, over bool, err error) {
	err = c.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		var unfit string
		in, unfit, err = about.load(tx, item.AccountID, *item.SubjectID)
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound):
			over = true
			return work.Finish(tx, item, nil)
		case err == nil && unfit != "":
			over = true
			return c.finish(tx, item, about, company.Settled{Reason: unfit})
		default:
			return err
		}
	})
	return in, over, err
}

// finish links the company, says why, and ends the work.
func (c *Creations) finish(tx *postgres.Tx, item work.Item, about source, done company.Settled) error {
	note := matched{Created: done.Created, Reason: done.Reason, FilesLeftOut: done.LeftOut}
	if done.Public && done.CompanyID != uuid.Nil {
		note.CompanyID = &done.CompanyID
	}
	encoded, err := json.Marshal(map[string]matched{matchMember: note})
	if err != nil {
		return fmt.Errorf("encode why a company was made: %w", err)
	}
	if err := about.link(tx, item.AccountID, *item.SubjectID, done.CompanyID, encoded); err != nil {
		return err
	}
	return work.Finish(tx, item, note)
}

func sourceOf(item work.Item) (source, error) {
	var todo CreationOrder
	if err := json.Unmarshal(item.Input, &todo); err != nil {
		return nil, fmt.Errorf("read the order: %w", err)
	}
	switch todo.Kind {
	case CreationOfEmail:
		return emails{}, nil
	case CreationOfForm:
		return submissions{}, nil
	default:
		return nil, fmt.Errorf("a company is made of an email or a form, not of %q", todo.Kind)
	}
}
