package respond

import (
	"context"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/postgres"
)

// OwnPage is a page of a list of what is the caller's own.
type OwnPage[R any] func(context.Context, *postgres.Identity, postgres.Page) ([]R, *postgres.Place, error)

// ListPage is a page of a list of what belongs to an account, a company or a record.
type ListPage[R any] func(context.Context, *postgres.Identity, uuid.UUID, postgres.Page) ([]R, *postgres.Place, error)

// All returns what is shown of a list's rows; [] of none.
func All[R, W any](rows []R, show func(R) W) []W {
	shown := make([]W, len(rows))
	for i, row := range rows {
		shown[i] = show(row)
	}
	return shown
}

// Own answers with a page of a list that is short by nature, of what is the caller's own. It is called member in the
// answer.
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

// List is Own for what belongs to something; param is what that is called in the path.
func List[R, W any](reader request.Reader, c *gin.Context, who *postgres.Identity, param, member string,
	list ListPage[R], show func(R) W,
) error {
	return Own(reader, c, who, member, list.of(c, param), show)
}

// Filtered answers with a page of a list of what belongs to the account of the path; filtered reads its filters.
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

// of returns the list of what belongs to the thing that the path names.
func (l ListPage[R]) of(c *gin.Context, param string) OwnPage[R] {
	return func(ctx context.Context, who *postgres.Identity, page postgres.Page) ([]R, *postgres.Place, error) {
		owner, err := route.PathID(c, param)
		if err != nil {
			return nil, nil, err
		}
		return l(ctx, who, owner, page)
	}
}

func answerPage[R, W any](
	c *gin.Context, who *postgres.Identity, member string, page request.Page, list OwnPage[R], show func(R) W,
) error {
	rows, next, err := list(c.Request.Context(), who, page.Page)
	if err != nil {
		return err
	}
	return OK(c, gin.H{member: All(rows, show), "pagination": page.Pagination(next)})
}
