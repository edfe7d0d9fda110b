package companies

import (
	"net/http"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/meeting"
	"dealflow/internal/pages/frame"
)

// writeMinutes adds the minutes of a meeting about the company, and redirects back. The error is InvalidBody for a date
// that is not a day, and otherwise that of sent or meeting.Service.Create.
func (p *pages) writeMinutes(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, sent, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	draft := meeting.Draft{Title: sent.Get("title"), Content: new(sent.Get("content")), CompanyID: &view.ID}
	if date := sent.Get("date"); date != "" {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return fault.Field("date", "must be a date such as 2026-11-30")
		}
		draft.MeetingDate = &day
	}
	if _, err := p.deps.Meetings.Create(r.Context(), s.Caller.UserID, s.Account.ID, draft); err != nil {
		return err
	}
	return back(w, r, s, view.ID, sent)
}
