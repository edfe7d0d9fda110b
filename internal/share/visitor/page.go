package visitor

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
)

// maxNotes is the maximum number of characters of a company's notes that a page shows: longer notes are cut.
const maxNotes = 100000

// Page is what a link shows.
type Page struct {
	head

	VisitID   uuid.UUID // for Spend; uuid.Nil if the view was not counted
	Companies []Shown
}

// head is what a page shows above the companies.
type head struct {
	Name        *string
	Description *string
	Maker       string // the name of the user who made the link
	Account     string // the name of the team
	ExpiresAt   *time.Time
	ViewOnly    bool
	Watermark   bool
}

// Shown is a company as a visitor of a shared link sees it. It has only what the link's permissions for this company
// allow.
type Shown struct {
	ID       uuid.UUID
	Name     string
	DeckLink *string
	Deck     *company.File // the stored deck; nil where there is none
	Pages    []string      // the text of the deck's pages, as far as they are known

	Details     *Details       // nil at ViewDeck
	Notes       string         // at Full only, as are the attachments
	Attachments []company.File // in the order of the company's own list
}

// Details are a company's fields.
type Details struct {
	Status    string // empty for none
	Color     string // of the status, #RRGGBB
	Source    string
	CreatedAt time.Time
	Summary   string
	Founders  []founder
}

// shownRow is a company as it is read for a page.
type shownRow struct {
	ID          uuid.UUID
	Permissions string
	Name        string
	DeckLink    *string
	Source      string
	Metadata    []byte
	Notes       string
	Status      string
	Color       string
	CreatedAt   time.Time
	Pages       []byte // of the deck, as JSON
}

// Open returns what the link shows now, with the rights of the user who created it, and without private companies. If
// count is true and the link shows a company, Open counts a view by the visitor with this email address, which is "" if
// it is not known. It checks neither the password nor the time of expiry. The error is NotFound if the link was deleted
// after Find.
func (s *Service) Open(ctx context.Context, link PublicLink, email string, count bool) (Page, error) {
	var page Page
	err := s.deps.DB.As(ctx, link.maker, func(tx *postgres.Tx) error {
		var err error
		if page, err = readPage(tx, link); err != nil || !count || len(page.Companies) == 0 {
			return err
		}
		page.VisitID, err = countView(tx, link, email)
		return err
	})
	return page, err
}

func readPage(tx *postgres.Tx, link PublicLink) (Page, error) {
	var page Page
	got := tx.Raw(`SELECT l.name, l.description, l.expires_at, l.view_only, l.watermark, u.name AS maker, a.name AS account
		FROM shared_links l JOIN users u ON u.id = l.created_by JOIN accounts a ON a.id = l.account_id
		WHERE l.account_id = ? AND l.id = ?`, link.AccountID, link.LinkID).Scan(&page.head)
	if err := single(got.RowsAffected, got.Error, "read the shared link"); err != nil {
		return Page{}, err
	}
	var rows []shownRow
	err := tx.Raw(`SELECT c.id, i.permissions, c.name, c.deck_link, c.source, c.metadata, c.created_at,
		COALESCE(s.name, '') AS status, COALESCE(s.color, '') AS color,
			CASE WHEN i.permissions = 'full' THEN left(COALESCE(c.notes, ''), ?) ELSE '' END AS notes, t.pages
		FROM shared_link_companies i
		JOIN companies c ON c.account_id = i.account_id AND c.id = i.company_id
		LEFT JOIN company_files d ON d.company_id = c.id AND d.role = 'deck'
		LEFT JOIN file_texts t ON t.file_id = d.id
		LEFT JOIN company_statuses s ON s.account_id = c.account_id AND s.id = c.company_status_id
		WHERE i.account_id = ? AND i.link_id = ? AND c.visibility <> 'private' ORDER BY
			i.position`, maxNotes, link.AccountID, link.LinkID).Scan(&rows).Error
	if err != nil {
		return Page{}, fmt.Errorf("read the companies of the shared link: %w", err)
	}
	files, err := filesOf(tx, rows)
	if err != nil {
		return Page{}, err
	}
	for _, row := range rows {
		page.Companies = append(page.Companies, row.show(files[row.ID]))
	}
	return page, nil
}

func filesOf(tx *postgres.Tx, rows []shownRow) (map[uuid.UUID][]company.File, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	files := map[uuid.UUID][]company.File{}
	if len(ids) == 0 {
		return files, nil
	}
	var found []company.File
	if err := tx.Where("company_id IN ?", ids).Order("position, created_at, id").Find(&found).Error; err != nil {
		return nil, fmt.Errorf("read the files of the shared link: %w", err)
	}
	for _, file := range found {
		files[file.CompanyID] = append(files[file.CompanyID], file)
	}
	return files, nil
}

// show returns the part of a company that the permissions let a visitor see. Permissions are checked only here and, for
// notes, in the query of readPage.
func (row shownRow) show(files []company.File) Shown {
	shown := Shown{ID: row.ID, Name: row.Name, DeckLink: row.DeckLink}
	for i, file := range files {
		switch {
		case file.Role == company.RoleDeck:
			shown.Deck, shown.Pages = &files[i], pagesOf(row.Pages)
		case row.Permissions == share.Full:
			shown.Attachments = append(shown.Attachments, file)
		}
	}
	if row.Permissions == share.View || row.Permissions == share.Full {
		summary, founders := readMetadata(row.Metadata)
		shown.Details = &Details{
			Status: row.Status, Color: row.Color, Source: row.Source, CreatedAt: row.CreatedAt, Summary: summary,
			Founders: founders,
		}
	}
	if row.Permissions == share.Full {
		shown.Notes = row.Notes
	}
	return shown
}
