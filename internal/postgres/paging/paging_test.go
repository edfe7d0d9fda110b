package paging_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

type row struct {
	ID        uuid.UUID
	CreatedAt time.Time
}

// Two rows were created at the same microsecond: the id decides which of them comes first.
func TestPagesHoldEveryRowOnce(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	const rows = `(SELECT gen_random_uuid() AS id, timestamptz '2026-11-24 10:00:00.000001Z' + n / 2 * interval '1 second'
		AS created_at FROM generate_series(1, 7) AS n) AS listed`
	for name, order := range map[string]paging.Order{"oldest first": paging.Oldest(), "newest first": paging.Newest()} {
		var behind, numbered []row
		err := db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
			if err := tx.Exec("CREATE TEMP TABLE listed ON COMMIT DROP AS SELECT * FROM " + rows).Error; err != nil {
				return err
			}
			read := func(page paging.Page) (found []row, next *paging.Position) {
				if err := page.Of(order)(tx.Table("listed")).Find(&found).Error; err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return paging.Cut(page, found, func(r *row) paging.Position { return paging.At(r.CreatedAt, r.ID) })
			}
			page, next := read(paging.First(3))
			behind = append(behind, page...)
			for next != nil {
				page, next = read(paging.Page{Limit: 3, After: next})
				behind = append(behind, page...)
			}
			for number := range 3 {
				page, _ = read(paging.Page{Limit: 3, Number: number + 1})
				numbered = append(numbered, page...)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ids := func(rows []row) (ids []uuid.UUID) {
			for _, r := range rows {
				ids = append(ids, r.ID)
			}
			return ids
		}
		if len(behind) != 7 || !slices.Equal(ids(behind), ids(numbered)) {
			t.Errorf("%s: by position %v, by number %v", name, ids(behind), ids(numbered))
		}
		if order.Descending != behind[0].CreatedAt.After(behind[6].CreatedAt) {
			t.Errorf("%s: from %v to %v", name, behind[0].CreatedAt, behind[6].CreatedAt)
		}
	}
}

func TestAPageBehindAPositionSkipsNoRows(t *testing.T) {
	t.Parallel()
	at := paging.At(time.Date(2026, 11, 24, 12, 0, 0, 1500, time.FixedZone("", 3600)), uuid.Max)
	page := paging.Page{Number: 4, Limit: 10}
	if value, id := page.Behind(); page.Skip() != 30 || value != nil || id != nil {
		t.Errorf("page 4 skips %d rows, and begins behind %v, %v", page.Skip(), value, id)
	}
	page.After = &at
	value, id := page.Behind()
	if page.Skip() != 0 || *id != uuid.Max || *value != "2026-11-24T11:00:00.000001Z" {
		t.Errorf("a page behind a position skips %d rows, and begins behind %q, %v", page.Skip(), *value, *id)
	}
}
