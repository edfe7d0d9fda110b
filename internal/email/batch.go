package email

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/searchwords"
)

// batchStatement stores many emails at once. They are sorted, so that two transactions with the same emails wait for
// each other and do not deadlock, and so that the index grows at its end.
const batchStatement = `INSERT INTO emails (account_id, id, external_id, from_email, from_name, to_emails, subject,
	content, content_preview, tags, attachments_count, metadata, raw_storage_path, words)
	SELECT $1::uuid, r.id, r.external_id, r.from_email, r.from_name, r.to_emails::text[], r.subject, r.content,
		r.content_preview, r.tags::text[], r.attachments_count,
		r.metadata::jsonb, r.raw_storage_path, r.words::tsvector
	FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
		$10::text[], $11::integer[], $12::text[], $13::text[], $14::text[])
		AS r (id, external_id, from_email, from_name, to_emails, subject, content, content_preview, tags,
			attachments_count, metadata, raw_storage_path, words)
	ORDER BY r.external_id
	ON CONFLICT (account_id, external_id) DO NOTHING RETURNING id`

// unsortedWords is the largest size of the list of words that wait to be sorted into the index while batches are
// written; SortWords sorts them meanwhile.
const unsortedWords = "64MB"

// SortWords sorts into the index the words of the emails that AddBatch stored. Searches also find these emails before
// that, but more slowly.
func (s *Service) SortWords(ctx context.Context) error {
	return s.db.AsNobody(ctx, func(tx *postgres.Tx) error { return tx.Exec("SELECT app_sort_email_words()").Error })
}

// AddBatch stores emails of the account, which have passed Check, in the transaction of one of its members, and returns
// the ids of the new ones, in no order. It chooses an ID for a draft without one. It skips emails whose ExternalID the
// account has; no two drafts may have the same. It links new emails to the companies to which their addresses belong,
// and ignores the CompanyIDs of the drafts. The error is the database's.
func (s *Service) AddBatch(tx *postgres.Tx, accountID uuid.UUID, drafts []*Draft) ([]uuid.UUID, error) {
	var c columns
	for _, d := range drafts {
		if d.ID == uuid.Nil {
			d.ID = postgres.NewID()
		}
		if err := c.add(d.row(accountID)); err != nil {
			return nil, err
		}
	}
	if err := tx.Exec("SELECT set_config('gin_pending_list_limit', ?, true)", unsortedWords).Error; err != nil {
		return nil, fmt.Errorf("put off sorting words: %w", err)
	}
	added, err := tx.Returning(batchStatement, accountID, c.ids, c.externalIDs, c.fromEmails, c.fromNames, c.toEmails,
		c.subjects, c.contents, c.previews, c.tags,
		c.attachments, c.metadata, c.raws, c.words)
	if err != nil {
		return nil, fmt.Errorf("store emails: %w", err)
	}
	return added, s.completeNew(tx, accountID, drafts, added)
}

// completeNew stores the attachments of the drafts whose ids are in added, and links their emails to companies.
func (s *Service) completeNew(tx *postgres.Tx, accountID uuid.UUID, drafts []*Draft, added []uuid.UUID) error {
	fresh := make(map[uuid.UUID]bool, len(added))
	for _, id := range added {
		fresh[id] = true
	}
	var kept []*Draft
	for _, d := range drafts {
		if !fresh[d.ID] {
			continue
		}
		kept = append(kept, d)
		if err := attach(tx.DB, Email{ID: d.ID, AccountID: accountID}, d.Attachments); err != nil {
			return err
		}
	}
	return s.linkKnown(tx, accountID, kept...)
}

// Check returns InvalidBody for an ExternalID or FromEmail that is missing or too long, and for tags that are too many,
// blank or too long. It does not check companies and metadata.
func (d Draft) Check() error { return d.check() }

// columns are the values of many emails, a slice for each column.
type columns struct {
	ids, externalIDs, fromEmails, fromNames, toEmails, contents, previews, tags, metadata, words []string
	subjects, raws                                                                               []*string
	attachments                                                                                  []int32
}

func (c *columns) add(row Email) error {
	to, err := row.ToEmails.Value()
	if err != nil {
		return err
	}
	tags, err := row.Tags.Value()
	if err != nil {
		return err
	}
	c.ids, c.externalIDs = append(c.ids, row.ID.String()), append(c.externalIDs, row.ExternalID)
	c.fromEmails, c.fromNames = append(c.fromEmails, row.FromEmail), append(c.fromNames, row.FromName)
	c.toEmails, c.tags = append(c.toEmails, fmt.Sprint(to)), append(c.tags, fmt.Sprint(tags))
	c.subjects, c.contents, c.previews = append(c.subjects, row.Subject), append(c.contents, row.Content),
		append(c.previews, row.ContentPreview)
	//nolint:gosec // G115: few
	c.attachments, c.metadata = append(c.attachments, int32(row.AttachmentsCount)),
		append(c.metadata, string(row.Metadata))
	c.raws, c.words = append(c.raws, row.RawStoragePath), append(c.words, plainWords(row))
	return nil
}

// plainWords returns the words by which the search finds an email; "" if only the database can find them: see
// searchwords.Plain.
func plainWords(row Email) string {
	texts := append([]string{row.FromName, row.FromEmail, row.Content}, row.ToEmails...)
	if row.Subject != nil {
		texts = append(texts, *row.Subject)
	}
	return searchwords.Plain(texts...)
}
