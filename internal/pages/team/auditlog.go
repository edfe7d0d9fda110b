package team

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/audit"
	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres/paging"
)

// entriesSize is how many entries of the audit log a page shows.
const entriesSize = 50

// auditPage has the data of the page of an account's audit log, with the filters in its address.
type auditPage struct {
	Tabs    formpage.Tabs
	Entries []auditEntry
	Action  string // only entries of this action are shown; "" for all
	Actor   string // only entries of the user with this id are shown; "" for all
	Older   string // the address of older entries; "" for none
	Newest  string // the address of the newest entries; "" on their page
}

// auditEntry is an entry as pages show it.
type auditEntry struct {
	audit.Entry

	Changed string // what changed, a line for each
	Alone   string // the address of only the entries of the same actor; "" without an actor
}

func (p *pages) auditPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	if err := p.deps.SignIn.WriteUses(r.Context()); err != nil { // so that the log has the last uses
		return err
	}
	model := auditPage{Tabs: teamTabs(s, "/audit"), Action: actionOf(r)}
	filter := audit.Filter{Page: paging.First(entriesSize)}
	if model.Action != "" {
		filter.Action = &model.Action
	}
	if actor, err := uuid.Parse(r.URL.Query().Get("actor")); err == nil {
		filter.ActorID, model.Actor = &actor, actor.String()
	}
	if filter.After = positionOf(r.URL.Query()); filter.After != nil {
		filter.Number = 2 // any number but 1; After decides which entries are read
		model.Newest = model.url(r, nil)
	}
	found, next, err := p.deps.Audit.List(r.Context(), s.Who, s.Account.ID, filter)
	if err != nil {
		return err
	}
	for _, one := range found {
		shown := auditEntry{Entry: one, Changed: indented(one.Changes)}
		if one.ActorID != nil {
			shown.Alone = auditPage{Action: model.Action, Actor: one.ActorID.String()}.url(r, nil)
		}
		model.Entries = append(model.Entries, shown)
	}
	if next != nil {
		model.Older = model.url(r, next)
	}
	return p.frame.Show(w, http.StatusOK, "audit", s.Page("Audit log", "team", model))
}

// actionOf returns the action in the query of a request; "" if there is none, or it is malformed.
func actionOf(r *http.Request) string {
	action := strings.TrimSpace(r.URL.Query().Get("action"))
	if isAction, err := regexp.MatchString(`^[a-z_]{1,50}\.[a-z_]{1,50}$`, action); err != nil || !isAction {
		return ""
	}
	return action
}

// positionOf returns the position in a query, after which a page of entries begins; nil, for the newest entries, if the
// query has no valid one. It only decides which entries are skipped, so it needs no signature.
func positionOf(query url.Values) *paging.Position {
	at, err := time.Parse(time.RFC3339Nano, query.Get("at"))
	if err != nil {
		return nil
	}
	id, err := uuid.Parse(query.Get("behind"))
	if err != nil {
		return nil
	}
	return new(paging.At(at, id))
}

// url returns the address of the page of the entries after a position, with the same filters. The position nil is for
// the newest entries.
func (a auditPage) url(r *http.Request, behind *paging.Position) string {
	query := url.Values{}
	for name, value := range map[string]string{"action": a.Action, "actor": a.Actor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if behind != nil {
		query.Set("at", behind.Values[0])
		query.Set("behind", behind.ID.String())
	}
	return (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
}

// indented returns JSON with indents, and "" for null, nothing or invalid JSON.
func indented(changes json.RawMessage) string {
	var out bytes.Buffer
	if len(changes) == 0 || string(changes) == "null" || json.Indent(&out, changes, "", "  ") != nil {
		return ""
	}
	return out.String()
}
