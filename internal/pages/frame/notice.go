package frame

import (
	"log/slog"
	"net/http"
)

// Notice has the data of a page with only a title and a text, such as why something failed and what to do.
type Notice struct{ Title, Text string }

// ShowNotice responds with a notice, also to somebody who is not signed in.
func (s *Server) ShowNotice(w http.ResponseWriter, status int, notice Notice) error {
	return s.Show(w, status, "notice", Page{Title: notice.Title, Model: notice})
}

// fail responds with a page about an error. Visitor.Failed logs the error and returns the status; without a Visitor,
// the status is 500 and nothing is logged.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	if v := VisitorOf(r); v.Failed != nil {
		status = v.Failed(err)
	}
	s.Refuse(w, r, status, err)
}

// Refuse responds with this status and a page about an error. The page shows the details of the error only if the
// status is 400, 409, 413 or 415.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	protect(w.Header())
	if failed := s.ShowNotice(w, status, noticeOf(status, err)); failed != nil {
		s.options.Logger.WarnContext(r.Context(), "the notice could not be sent", slog.Any("error", failed))
	}
}

func noticeOf(status int, err error) Notice {
	switch status {
	case http.StatusNotFound, http.StatusForbidden:
		return Notice{
			"There is nothing here",
			"The page does not exist, or it is not for you. Check the address, or ask whoever sent it to you.",
		}
	case http.StatusTooManyRequests:
		return Notice{"Too many requests", "Please wait a minute, then try again."}
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return Notice{"That did not work", details(err)}
	}
	return Notice{
		"Something went wrong",
		"Please try again in a moment. If it stays so, tell your operator the time at which it happened.",
	}
}
