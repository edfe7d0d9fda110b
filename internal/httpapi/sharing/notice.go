package sharing

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
)

// linkExpired is the code of the error for a link that has expired.
const linkExpired = "link_expired"

// notice is a page that says why what was requested is not shown.
type notice struct{ Title, Text string }

// Refuse answers with the page that says why what was requested is not shown. The status is 410 for a link that has
// expired, and otherwise that of the API for the kind of err.
func (h *Handlers) Refuse(c *gin.Context, err error) error {
	status, text := noticeOf(err)
	request.Drain(c.Writer, c.Request)
	return h.Pages.show(c, status, "notice", text)
}

func noticeOf(err error) (int, notice) {
	kind := respond.KindOf(err)
	status, _ := respond.StatusOf(kind)
	switch {
	case respond.CodeOf(err) == linkExpired:
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
