package visitor

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
)

// Bounds of the visits that are kept. Whoever has a link can create as many visits as the rate limit allows.
const (
	maxVisits      = 10_000           // of a link: about this many of the newest are kept
	visitOpen      = 24 * time.Hour   // how long after its opening times can be added to a visit
	maxPageTime    = 4 * time.Hour    // of one page of one visit
	maxTimeAtOnce  = 10 * time.Minute // of one page in one report
	maxTimesAtOnce = 100
	maxPage        = 1000 // the highest number of a page
)

// countView counts a view of the link, stores a visit, and returns its id. After every thousandth view it deletes all
// visits of the link except the newest maxVisits, so that a link has at most 11,000.
func countView(tx *postgres.Tx, link PublicLink, email string) (uuid.UUID, error) {
	var views int64
	if err := tx.Raw("UPDATE shared_links SET view_count = view_count + 1 WHERE id = ? RETURNING view_count",
		link.LinkID).Scan(&views).Error; err != nil {
		return uuid.Nil, fmt.Errorf("count a view of link %s: %w", link.LinkID, err)
	}
	id := uuid.New()
	err := tx.Exec("INSERT INTO link_visits (id, account_id, link_id, email) VALUES (?, ?, ?, NULLIF(?, ''))", id,
		link.AccountID, link.LinkID, email).Error
	if err != nil {
		return uuid.Nil, fmt.Errorf("note a visit of link %s: %w", link.LinkID, err)
	}
	if views%(maxVisits/10) != 0 {
		return id, nil
	}
	err = tx.Exec(`DELETE FROM link_visits WHERE id IN
		(SELECT id FROM link_visits WHERE account_id = ? AND link_id = ? ORDER BY opened_at DESC, id DESC OFFSET ?)`,
		link.AccountID, link.LinkID, maxVisits).Error
	if err != nil {
		return uuid.Nil, fmt.Errorf("forget old visits of link %s: %w", link.LinkID, err)
	}
	return id, nil
}

// Spend adds, to a visit of the link, how long pages were in sight. It counts at most maxTimeAtOnce for a page at once,
// and maxPageTime in all.
//
// Since anybody who knows the id of a visit can send times, it drops some without an error: all times if there are more
// than maxTimesAtOnce, or if the visit is not of this link or was opened more than visitOpen ago; otherwise times of
// companies that the link does not show, times of pages not between 1 and maxPage, and times that are not positive.
func (s *Service) Spend(ctx context.Context, link PublicLink, visit uuid.UUID, times []share.PageTime) error {
	if len(times) == 0 || len(times) > maxTimesAtOnce {
		return nil
	}
	sent, err := json.Marshal(times)
	if err != nil {
		return fmt.Errorf("encode times: %w", err)
	}
	return s.deps.DB.As(ctx, link.maker, func(tx *postgres.Tx) error {
		err := tx.Exec(`INSERT INTO link_page_times AS t (account_id, visit_id, company_id, page, milliseconds)
			SELECT v.account_id, v.id, i.company_id, n.page, LEAST(sum(n.milliseconds), ?) FROM link_visits v
				JOIN shared_link_companies i ON i.account_id = v.account_id AND i.link_id = v.link_id
				JOIN companies c ON c.id = i.company_id AND c.visibility <> 'private'
				JOIN json_to_recordset(?) AS n (company_id uuid, page integer, milliseconds bigint) ON n.company_id = i.company_id
			WHERE v.account_id = ? AND v.link_id = ? AND v.id = ? AND v.opened_at > ? AND n.page BETWEEN 1 AND ?
			AND n.milliseconds > 0
			GROUP BY v.account_id, v.id, i.company_id, n.page
			ON CONFLICT (account_id, visit_id, company_id, page) DO UPDATE
			SET milliseconds = LEAST(t.milliseconds + EXCLUDED.milliseconds, ?)`,
			maxTimeAtOnce.Milliseconds(), string(sent), link.AccountID, link.LinkID, visit, s.deps.Now().Add(-visitOpen),
			maxPage, maxPageTime.Milliseconds()).Error
		if err != nil {
			return fmt.Errorf("keep the time of visit %s: %w", visit, err)
		}
		return nil
	})
}

// Deck returns the stored deck of a company that the link shows, and whether its pages carry the visitor's address. The
// error is NotFound if the link does not show the company or the company has no stored deck. Deck does not check
// whether the link has expired or needs a password.
func (s *Service) Deck(ctx context.Context, link PublicLink, companyID uuid.UUID) (file company.File, watermark bool,
	err error,
) {
	var found struct {
		company.File

		Watermark bool
	}
	err = s.deps.DB.As(ctx, link.maker, func(tx *postgres.Tx) error {
		got := tx.Raw(`SELECT f.*, l.watermark FROM shared_links l
			JOIN shared_link_companies i ON i.account_id = l.account_id AND i.link_id = l.id AND i.company_id = ?
			JOIN companies c ON c.account_id = i.account_id AND c.id = i.company_id AND c.visibility <> 'private'
			JOIN company_files f ON f.company_id = c.id AND f.role = 'deck'
			WHERE l.account_id = ? AND l.id = ?`, companyID, link.AccountID, link.LinkID).Scan(&found)
		return single(got.RowsAffected, got.Error, "read the deck of the shared link")
	})
	if err == nil && found.StoragePath == nil {
		err = fault.NewNotFound()
	}
	return found.File, found.Watermark, err
}

// pagesOf parses the texts of a deck's pages, a JSON array of strings. It returns nil if raw is empty or anything else.
func pagesOf(raw []byte) []string {
	var pages []string
	if len(raw) == 0 || json.Unmarshal(raw, &pages) != nil {
		return nil
	}
	return pages
}
