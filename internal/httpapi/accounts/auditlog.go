package accounts

import (
	"encoding/json"
	"regexp"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/audit"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres/paging"
)

type wireAudit struct {
	ID      uuid.UUID       `json:"id"`
	At      *string         `json:"at"`
	Actor   *wireActor      `json:"actor"`
	Action  string          `json:"action"`
	Target  wireTarget      `json:"target"`
	IP      *string         `json:"ip"`
	Changes json.RawMessage `json:"changes"`
}

type wireActor struct {
	ID    uuid.UUID `json:"id"`
	Name  *string   `json:"name"`
	Email *string   `json:"email"`
}

type wireTarget struct {
	Type string    `json:"type"`
	ID   uuid.UUID `json:"id"`
	Name *string   `json:"name"`
}

func showAudit(e audit.Entry) wireAudit {
	shown := wireAudit{
		ID: e.ID, At: wire.Time(e.At), Action: e.Action, IP: e.IP,
		Target:  wireTarget{Type: e.TargetType, ID: e.TargetID, Name: e.TargetName},
		Changes: e.Changes,
	}
	if e.ActorID != nil {
		shown.Actor = &wireActor{ID: *e.ActorID, Name: e.ActorName, Email: e.ActorEmail}
	}
	return shown
}

// AuditLog answers with a page of the audit log of an account, the newest entry first; the parameters actor_id and
// action restrict it. It first writes the uses and refusals that are still in memory, so that the log of this process
// is complete. The error is InvalidQuery for an invalid parameter, and otherwise that of audit.Log.List.
func (h *Handlers) AuditLog(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	filter := auditFilter(params)
	page := params.Page(h.Reader.CursorKeys)
	if err := params.Err(); err != nil {
		return err
	}
	if err := h.SignIn.WriteUses(c.Request.Context()); err != nil { // so that the log has them
		return err
	}
	list := func(part paging.Page) ([]audit.Entry, *paging.Position, error) {
		filter.Page = part
		return h.Audit.List(c.Request.Context(), route.Identity(c), route.PathID(c, "account_id"), filter)
	}
	return respond.Paged(c, "entries", page.Page, list, showAudit,
		func(next *paging.Position) any { return page.Pagination(next) })
}

func auditFilter(params *request.Query) audit.Filter {
	filter := audit.Filter{ActorID: params.ID("actor_id")}
	if action, sent := params.Text("action"); sent {
		if isAction, err := regexp.MatchString(`^[a-z_]{1,50}\.[a-z_]{1,50}$`, action); err != nil || !isAction {
			params.Refuse("action", "must be an action such as company.updated")
		}
		filter.Action = &action
	}
	return filter
}
