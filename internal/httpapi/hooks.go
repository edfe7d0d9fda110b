package httpapi

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/ingest/hooks"
)

// hookSubject returns for whom a request to a hook is counted: its token, whoever sends; "" for what can be no token.
func hookSubject(token string) string {
	if token == "" || len(token) > maxHookToken {
		return ""
	}
	return "hook:" + token
}

const maxHookToken = 100

// receiveHook takes in what an integration sends: 202 once it is durable, 200 where it came before.
func (a *API) receiveHook(c *gin.Context) error {
	if err := a.refuseOutage(); err != nil {
		return err
	}
	hook, err := a.Integrations.Find(c.Request.Context(), c.Param("token"))
	if fault.Is(err, fault.NotFound) { // so that nobody tries one token after the other
		if limited := a.limit(c, "address:"+source(c)); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	if coding := c.GetHeader("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fault.New(fault.UnsupportedType, "unsupported_content_encoding",
			fault.Detail{Field: "Content-Encoding", Message: "must be identity: send the body uncompressed"})
	}
	leave, err := a.admission.enter(hook.ID)
	if err != nil {
		return err
	}
	defer leave()
	added, err := a.Integrations.Receive(c.Request.Context(), hook, hooks.Delivery{
		ContentType: c.GetHeader("Content-Type"), Proof: proofOf(c.Request), RequestID: requestIDOf(c), Body: c.Request.Body,
		Turn: a.admission.store,
	})
	if err != nil {
		return err
	}
	if added {
		return a.answer(c, http.StatusAccepted, gin.H{"status": "accepted"})
	}
	return a.ok(c, gin.H{"status": "duplicate"})
}

func proofOf(r *http.Request) hooks.Proof {
	proof := hooks.Proof{
		Signature: r.Header.Get("X-Hook-Signature"), Tally: r.Header.Get("Tally-Signature"),
		Typeform: r.Header.Get("Typeform-Signature"),
	}
	if _, password, sent := r.BasicAuth(); sent {
		proof.Password = &password
	}
	return proof
}
