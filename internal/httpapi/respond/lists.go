package respond

import (
	"context"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// OwnPage returns a page of a list of the caller's own things, and the position where the next page begins, nil at the
// end.
type OwnPage[R any] func(context.Context, *postgres.Identity, paging.Page) ([]R, *paging.Position, error)

// ListPage returns a page of a list of the things that belong to the account, company or record with an id, and the
// position where the next page begins, nil at the end.
type ListPage[R any] func(context.Context, *postgres.Identity, uuid.UUID, paging.Page) ([]R, *paging.Position, error)

// All applies show to every row of a list. For no rows it returns an empty slice and not nil, so that JSON has [] and
// not null.
func All[R, W any](rows []R, show func(R) W) []W {
	shown := make([]W, len(rows))
	for i, row := range rows {
		shown[i] = show(row)
	}
	return shown
}

// Own answers with a page of a list of the caller's own things, in the named member of data. Since such a list is
// short, the page has up to 1000 rows if the request has no limit. The error is InvalidQuery if a parameter is invalid,
// and otherwise that of list.
func Own[R, W any](
	reader request.Reader, c *gin.Context, who *postgres.Identity, member string, list OwnPage[R], show func(R) W,
) error {
	params := request.ReadQuery(c.Request)
	page := params.WholePage(reader.CursorKeys)
	if err := params.Err(); err != nil {
		return err
	}
	return answerPage(c, who, member, page, list, show)
}

// List answers as Own does, with a page of the things that belong to the account, company or record whose id is the
// path parameter param.
func List[R, W any](reader request.Reader, c *gin.Context, who *postgres.Identity, param, member string,
	list ListPage[R], show func(R) W,
) error {
	return Own(reader, c, who, member, list.of(c, param), show)
}

// Filtered answers with a page of a list of the things of the account in the path. filtered reads the filters from the
// query, and returns the list that applies them. Without a limit the page has 25 rows. The error is InvalidQuery if a
// parameter is invalid, and otherwise that of the list.
func Filtered[R, W any](reader request.Reader, c *gin.Context, who *postgres.Identity, member string,
	filtered func(*request.Query) ListPage[R], show func(R) W,
) error {
	params := request.ReadQuery(c.Request)
	list := filtered(params)
	page := params.Page(reader.CursorKeys)
	if err := params.Err(); err != nil {
		return err
	}
	return answerPage(c, who, member, page, list.of(c, "account_id"), show)
}

// of returns the list of the things that belong to the account, company or record whose id is the path parameter param.
func (l ListPage[R]) of(c *gin.Context, param string) OwnPage[R] {
	return func(ctx context.Context, who *postgres.Identity, page paging.Page) ([]R, *paging.Position, error) {
		return l(ctx, who, route.PathID(c, param), page)
	}
}

func answerPage[R, W any](
	c *gin.Context, who *postgres.Identity, member string, page request.Page, list OwnPage[R], show func(R) W,
) error {
	return Paged(c, member, page.Page, func(part paging.Page) ([]R, *paging.Position, error) {
		return list(c.Request.Context(), who, part)
	}, show, func(next *paging.Position) any { return page.Pagination(next) })
}
