package connections

import (
	"cmp"
	"math"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/changes"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/watch"
)

// How many changes a page has: defaultChanges if the client requests no number, and maxChanges at most.
const (
	defaultChanges = 100
	maxChanges     = 1000
)

// fromNow is the value that a client sends instead of a cursor to read only changes from now on.
const fromNow = "now"

type wireChange struct {
	Cursor string    `json:"cursor"`
	Kind   string    `json:"kind"`
	Action string    `json:"action"`
	ID     uuid.UUID `json:"id"`
	At     *string   `json:"at"`
}

// changeCursors writes and parses the cursors of an account's changes. The list and the stream of changes use the same
// cursors.
type changeCursors struct{ request.Page }

func (h *Handlers) changeCursors(accountID uuid.UUID) changeCursors {
	return changeCursors{request.Cursors(h.Reader.CursorKeys, "changes\x00"+accountID.String())}
}

func (cc changeCursors) write(p changes.Position) string {
	return *cc.Cursor(&paging.Position{Values: []string{p.Transaction, p.Database}, ID: p.Thing})
}

func (cc changeCursors) show(c changes.Change) wireChange {
	return wireChange{
		Cursor: cc.write(c.Position), Kind: c.Kind, Action: c.Action, ID: c.Position.Thing, At: wire.Time(c.At),
	}
}

// parse parses the text of a cursor from the parameter name. It returns nil if the text is "". If the text is not a
// cursor of this account's changes, it refuses the parameter in q and returns nil.
func (cc changeCursors) parse(q *request.Query, name, cursor string) *changes.Position {
	if cursor == "" {
		return nil
	}
	position, ok := cc.Position(cursor)
	if !ok || len(position.Values) != 2 {
		q.Refuse(name, "must be a cursor of this account's changes, or now")
		return nil
	}
	return &changes.Position{Transaction: position.Values[0], Thing: position.ID, Database: position.Values[1]}
}

// following is a request for the changes of an account, as a list or as a stream. after is the position after which it
// begins; nil for the oldest change that is kept.
type following struct {
	*Handlers

	c         *gin.Context
	accountID uuid.UUID
	cursors   changeCursors
	after     *changes.Position
	now       bool // begin with what happens from now on, not after a cursor
	limit     int
	kinds     []string
}

// followingOf reads the path and the parameters of a request. If header is not "" and the request has this header, the
// header's value replaces that of the parameter "after": browsers send the id of the last event in it when they
// reconnect to a stream. fallback is the limit of a request without one, and most is the highest limit. The error is
// InvalidQuery and names every invalid parameter.
func (h *Handlers) followingOf(c *gin.Context, header string, fallback, most int) (*following, error) {
	accountID := route.PathID(c, "account_id")
	f := &following{Handlers: h, c: c, accountID: accountID, cursors: h.changeCursors(accountID)}
	q := request.ReadQuery(c.Request)
	f.limit = q.Integer("limit", fallback, 1, most)
	f.kinds = q.Choices("kinds", changes.Kinds()...)
	after, sent := q.Text("after")
	if sent && after == "" {
		q.Refuse("after", "must be a cursor of this account's changes, or now")
	}
	if header != "" {
		after = cmp.Or(c.GetHeader(header), after)
	}
	if f.now = after == fromNow; !f.now {
		f.after = f.cursors.parse(q, "after", after)
	}
	return f, q.Err()
}

// read returns at most most changes after f.after, and sets f.after to the position after them. It may return none
// although more changes follow: see Part.More. If the client requested changes from now on, the first call returns none
// and sets the position. It returns the errors of the feed, for example for a caller who is no longer a member.
func (f *following) read(who *postgres.Identity, most int) (changes.Part, error) {
	ctx := f.c.Request.Context()
	if f.now {
		position, err := f.Feed.Now(ctx, who, f.accountID)
		if err != nil {
			return changes.Part{}, err
		}
		f.now, f.after = false, &position
		return changes.Part{Changes: []changes.Change{}, Next: position}, nil
	}
	part, err := f.Feed.Read(ctx, who, f.accountID, f.after, most, f.kinds...)
	if err != nil {
		return part, err
	}
	f.after = &part.Next
	return part, nil
}

// ListChanges answers with a page of the changes after a cursor, the oldest first, or of the oldest ones that are kept.
// A page may be empty although has_more is true. With "now" in place of a cursor the page is empty, and next_cursor is
// the present position. The error is Gone if changes after the cursor are no longer kept, and otherwise that of
// changes.Feed.Read.
func (h *Handlers) ListChanges(c *gin.Context, who *postgres.Identity) error {
	f, err := h.followingOf(c, "", defaultChanges, maxChanges)
	if err != nil {
		return err
	}
	part, err := f.read(who, f.limit)
	if err != nil {
		return err
	}
	return respond.OK(c, gin.H{
		"changes": respond.All(part.Changes, f.cursors.show), "next_cursor": f.cursors.write(part.Next),
		"has_more": part.More,
	})
}

// StreamChanges streams the changes after a cursor, and new ones when they happen, as server-sent events. It ends when
// as many were sent as the parameter limit says, if the request has one, or when the client hangs up or the process is
// to stop. Errors before the first event are answered as on other routes; later ones end the stream. A HEAD request
// gets the headers only.
func (h *Handlers) StreamChanges(c *gin.Context, who *postgres.Identity) error {
	f, err := h.followingOf(c, "Last-Event-ID", math.MaxInt32, math.MaxInt32)
	if err != nil {
		return err
	}
	watching := h.FeedWatcher.Watch(f.accountID)
	defer watching.Close()
	part, err := f.read(who, min(f.limit, defaultChanges))
	if err != nil {
		return err
	}
	respond.BeginEvents(c)
	if c.Request.Method == http.MethodHead {
		return nil
	}
	return f.stream(watching, part)
}

// stream sends part and then the changes that follow it. It returns nil when the limit is reached, the client has hung
// up, or the process is to stop, and otherwise the error that ended the stream. It checks the caller's key or session
// again for each part.
func (f *following) stream(watching *watch.Watch, part changes.Part) error {
	pulse := time.NewTicker(respond.EventPulse)
	defer pulse.Stop()
	for {
		if err := f.send(part); err != nil {
			return err
		}
		f.limit -= len(part.Changes)
		if f.limit == 0 || !part.More && !f.wait(watching, pulse.C) {
			return nil
		}
		who, err := f.Identities.Credential(f.c)
		if err != nil {
			return err
		}
		if part, err = f.read(who, min(f.limit, defaultChanges)); err != nil {
			return err
		}
	}
}

// wait waits for a change or the next pulse, and returns true. It returns false if the client has hung up or the
// process is to stop.
func (f *following) wait(watching *watch.Watch, pulse <-chan time.Time) bool {
	select {
	case <-f.c.Request.Context().Done():
		return false
	case <-f.Stopping:
		return false // the client reconnects, to another process
	case <-pulse:
	case <-watching.Changed():
	}
	return true
}

// send sends the changes as events. It then sends a comment with the id of the position up to which changes were
// searched, which may be later than the last change that the client sees. With it, a client that sees few changes can
// reconnect with a recent cursor, and notices that the stream works.
func (f *following) send(part changes.Part) error {
	for _, change := range part.Changes {
		shown := f.cursors.show(change)
		body, err := wire.Encode(shown)
		if err != nil {
			return err
		}
		if err := respond.SendText(f.c,
			"id: "+shown.Cursor+"\nevent: "+change.Type()+"\ndata: "+string(body)+"\n\n"); err != nil {
			return err
		}
	}
	return respond.SendText(f.c, ": alive\nid: "+f.cursors.write(part.Next)+"\n\n")
}
