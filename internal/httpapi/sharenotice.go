package httpapi

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
)

// linkExpired is the code of a link whose time is over.
const linkExpired = "link_expired"

// notice is a page that says why there is nothing to see.
type notice struct{ Title, Text string }

// isForPeople reports whether an answer is read by a person in a browser and not by a client of the interface.
func isForPeople(c *gin.Context) bool {
	for _, pages := range []string{sharePath, invitationsPath, verifyPath, resetPath} {
		if strings.HasPrefix(c.Request.URL.Path, pages) {
			return true
		}
	}
	return false
}

func isInvitation(c *gin.Context) bool { return strings.HasPrefix(c.Request.URL.Path, invitationsPath) }

// failPage is fail for the pages for people.
func (a *API) failPage(c *gin.Context, err error) {
	status, told := noticeOf(err)
	if isInvitation(c) {
		kind := kindOf(err)
		if gone, why := refusedInvitation(codeOf(err, kind), kind); gone != 0 {
			status, told = gone, why
		}
	}
	request.Drain(c.Writer, c.Request)
	if failed := a.pages.show(c, status, "notice", told); failed != nil {
		a.Logger.WarnContext(c.Request.Context(), "the notice could not be sent", slog.Any("error", failed))
	}
}

func noticeOf(err error) (int, notice) {
	kind := kindOf(err)
	status, _ := statusOf(kind)
	switch {
	case codeOf(err, kind) == linkExpired:
		return http.StatusGone, notice{"This link has expired", "Please ask the person who sent it to you for a new one."}
	case kind == fault.NotFound:
		return status, notice{
			"There is nothing here",
			"This link does not exist, or it was revoked. Check that you have the whole address, or ask the person who sent " +
				"it to you.",
		}
	case kind == fault.RateLimited:
		return status, notice{"Too many attempts", "Please wait a minute, then open the link again."}
	case kind == fault.Internal || kind == fault.Unavailable:
		return status, notice{"Something went wrong", "The page could not be made. Please try again in a moment."}
	}
	return status, notice{
		"This did not work", "Your browser sent something that this page does not understand. Please open the link again.",
	}
}
