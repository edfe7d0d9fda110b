package companies

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/merge"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// wireMerge is a merge of two companies.
type wireMerge struct {
	ID         uuid.UUID       `json:"id"`
	CompanyID  uuid.UUID       `json:"company_id"`
	MergedID   uuid.UUID       `json:"merged_id"`
	MergedName string          `json:"merged_name"`
	MergedBy   *string         `json:"merged_by"`
	MergedAt   *string         `json:"merged_at"`
	UndoneBy   *string         `json:"undone_by"`
	UndoneAt   *string         `json:"undone_at"`
	Kept       json.RawMessage `json:"kept"`
}

// wireConflict is a field for which two companies have different values.
type wireConflict struct {
	Field   string          `json:"field"`
	Keep    string          `json:"keep"`
	Choices []string        `json:"choices"`
	Into    json.RawMessage `json:"into"`
	Merged  json.RawMessage `json:"merged"`
	Value   json.RawMessage `json:"value"`
}

// wireMoves counts what a merge moves.
type wireMoves struct {
	Files       int `json:"files"`
	Minutes     int `json:"meeting_minutes"`
	Submissions int `json:"form_submissions"`
	Emails      int `json:"emails"`
	Links       int `json:"shared_links"`
}

func showMerge(m merge.Merge) wireMerge {
	shown := wireMerge{
		ID: m.ID, CompanyID: m.CompanyID, MergedID: m.MergedID, MergedName: m.MergedName, MergedBy: m.MergedBy,
		MergedAt: wire.Time(m.MergedAt), UndoneBy: m.UndoneBy, Kept: m.Kept,
	}
	if m.UndoneAt != nil {
		shown.UndoneAt = wire.Time(*m.UndoneAt)
	}
	return shown
}

// Merge merges the company of the path into the one that the body names. keep in the body says, for fields that differ,
// whose value stays. In a dry run it changes nothing, and answers with what the merge would change. The errors are
// those of the body (see request.Object) and of merge.Service.Merge.
func (h *Handlers) Merge(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	wanted := merge.Request{Keep: readKeep(body), DryRun: body.Flag("dry_run")}
	body.RequiredText("into_company_id")
	if into := body.ID("into_company_id"); into != nil {
		wanted.IntoID = *into
	}
	if err := body.Err(nil); err != nil {
		return err
	}
	id := route.PathID(c, "id")
	return respond.Once(c, http.StatusOK, func(ctx context.Context) (merge.Done, error) {
		return h.Merges.Merge(ctx, caller.UserID, id, wanted)
	}, func(done merge.Done) any {
		var made *wireMerge
		if !wanted.DryRun {
			shown := showMerge(done.Merge)
			made = &shown
		}
		return gin.H{
			"company": showCompany(done.Company), "merge": made, "moves": wireMoves(done.Preview.Moves),
			"conflicts": respond.All(done.Preview.Conflicts, func(c merge.Conflict) wireConflict { return wireConflict(c) }),
		}
	})
}

func readKeep(body *request.Object) map[string]string {
	raw, sent := body.Value("keep")
	if !sent {
		return nil
	}
	var keep map[string]string
	if json.Unmarshal(raw, &keep) != nil {
		body.Refuse("keep", "must be an object of into, merged or both by the names of fields")
	}
	return keep
}

// ListMerges answers with a page of the merges into a company, and into companies that were merged into it later, the
// latest first. The errors are those of the query (see request.Query) and of merge.Service.List.
func (h *Handlers) ListMerges(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "id", "merges", h.Merges.List, showMerge)
}

// Unmerge undoes the merge by which the company was merged into another one, or else the latest merge into it. What
// people have changed since stays; the answer lists it in conflicts. The errors are those of merge.Service.Undo.
func (h *Handlers) Unmerge(c *gin.Context, caller account.Caller) error {
	id := route.PathID(c, "id")
	return respond.Once(c, http.StatusOK, func(ctx context.Context) (merge.Done, error) {
		return h.Merges.Undo(ctx, caller.UserID, id)
	}, func(done merge.Done) any {
		return gin.H{"company": showCompany(done.Company), "conflicts": done.Merge.Kept, "merge": showMerge(done.Merge)}
	})
}
