package paging

// PartSize is the maximum number of bytes of the rows of one part of a page. A part has at least one row, even if that
// row is larger.
const PartSize = 1 << 20

// Budget is the number of bytes of rows that may still be read for a part of a page. A nil Budget is unlimited; of its
// methods, only Spent and Later may be called then.
type Budget struct {
	size  int
	left  int
	any   bool // whether a row was read
	spent bool // a row was too large for what was left
	later bool // of a part that is not the first
}

// Begin resets the budget to its full size, for a query that runs for the first time or again.
func (b *Budget) Begin() { b.left, b.any, b.spent = b.size, false, false }

// Spend takes the size of a row, in bytes, from the budget, and reports whether the row belongs to the part. The first
// row always belongs to it. Once a row does not, no later row does.
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

// Part returns the page with a budget: a list that passes the page to Query.Within reads rows of at most so many bytes
// together, but at least one row. If the budget ends the page early, the list returns the position of the last row that
// it read.
func (p Page) Part(bytes int) Page {
	p.budget = &Budget{size: bytes}
	return p
}

// InParts reads a page of a list and calls use with the rows: once, even if there are none, or once for each part of at
// most PartSize bytes, so that a large page is not in memory all at once. A single row may be larger than PartSize.
// list must pass the page that it is called with to Query.Within. Each part is read in a transaction of its own, as
// each page is. InParts returns the position after which the next page begins; nil at the end. It stops at the first
// error of list or use.
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
