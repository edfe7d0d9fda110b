package paging

// PartSize is how many bytes the rows of one part of a page have at most, except that a part has at least one row.
const PartSize = 1 << 20

// Budget is how many bytes of rows may still be read for a part of a page. A nil Budget has no end.
type Budget struct {
	size  int
	left  int
	any   bool // whether a row was read
	spent bool // a row was too large for what was left
	later bool // of a part that is not the first
}

// Begin makes the budget whole, for a query that is run, or run again.
func (b *Budget) Begin() { b.left, b.any, b.spent = b.size, false, false }

// Spend takes the size of a row from the budget, in bytes, and reports whether the row belongs to the part. The first
// row always does; behind one that does not, none does.
func (b *Budget) Spend(size int) bool {
	if b.spent || b.any && size > b.left {
		b.spent = true
		return false
	}
	b.any = true
	b.left -= size
	return true
}

// Spent reports whether a row did not belong to the part.
func (b *Budget) Spent() bool { return b != nil && b.spent }

// Later reports whether the part is not the first of its page.
func (b *Budget) Later() bool { return b != nil && b.later }

// Budget returns the budget of a page that is read in parts, else nil.
func (p Page) Budget() *Budget { return p.budget }

// Part returns the page, of which a list reads no more than fits in so many bytes, and at least one row. The list then
// returns the position of the last of these rows.
func (p Page) Part(bytes int) Page {
	p.budget = &Budget{size: bytes}
	return p
}

// InParts reads a page of a list, and calls use with its rows: once with all of them, or several times, so that no more
// than PartSize bytes of rows are in memory at once. The queries of list must be Within the page that list is called
// with. Later parts are read by other transactions, as later pages are. InParts returns the position after which the
// next page begins, which is nil at the end.
func InParts[R any](
	page Page, list func(Page) ([]R, *Position, error), use func(rows []R) error,
) (next *Position, err error) {
	left, most := page.Limit, page.Limit
	for later := false; ; later = true {
		part := Budget{size: PartSize, later: later}
		page.budget, page.Limit = &part, min(most, left)
		rows, next, err := list(page)
		if err != nil {
			return nil, err
		}
		if err := use(rows); err != nil {
			return nil, err
		}
		if left -= len(rows); left == 0 || next == nil {
			return next, nil
		}
		page.After, most = next, len(rows) // what the database sends beyond the part is read for nothing
		if !part.spent {
			most *= 2
		}
	}
}
