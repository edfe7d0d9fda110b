package connections

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/secret"
)

// HookSubject returns the subject under which requests to a hook are counted, whoever sends them: "hook:" and the
// token. It returns "" for a text that does not have the form of a token; such requests are counted for the client's
// address.
func HookSubject(token string) string {
	if !secret.IsOne(token) {
		return ""
	}
	return "hook:" + token
}

// ReceiveHook stores what an integration sends. It answers 202 once that is durable, and 200 if the integration has
// sent the same before. The error is Unavailable while the database is known to be unreachable or too many uploads are
// being received. It is NotFound for an unknown token, or RateLimited if the client's address has sent too many unknown
// ones; Forbidden for an integration that is switched off; and UnsupportedType for a compressed body. Other errors are
// those of hooks.Service.Receive.
func (h *Handlers) ReceiveHook(c *gin.Context) error {
	if err := h.Identities.RefuseOutage(); err != nil {
		return err
	}
	if HookSubject(c.Param("token")) == "" { // it was counted for its address, and needs no query
		return fault.NewNotFound()
	}
	hook, err := h.Integrations.Find(c.Request.Context(), c.Param("token"))
	if fault.Is(err, fault.NotFound) { // limits how many tokens a client can try
		if limited := limits.CountAddress(c, h.Limiter); limited != nil {
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
	leave, err := h.Admission.Enter(hook.ID)
	if err != nil {
		return err
	}
	defer leave()
	added, err := h.Integrations.Receive(c.Request.Context(), hook, hooks.Delivery{
		ContentType: c.GetHeader("Content-Type"), Proof: proofOf(c.Request, hook.Kind), RequestID: route.RequestID(c),
		Body: c.Request.Body,
		Turn: h.Admission.Store,
	})
	if err != nil {
		return err
	}
	if added {
		return respond.Answer(c, http.StatusAccepted, gin.H{"status": "accepted"})
	}
	return respond.OK(c, gin.H{"status": "duplicate"})
}

// proofOf returns what a request has to prove that the service of an integration sent it: the signature, the password
// of Basic authentication, and the header of the form tool if the kind is that of a tool. It checks none of them.
func proofOf(r *http.Request, kind string) hooks.Proof {
	proof := hooks.Proof{Signature: r.Header.Get("X-Hook-Signature")}
	if tool, isTool := form.ToolNamed(kind); isTool {
		proof.FormTool = r.Header.Get(tool.Header)
	}
	if _, password, sent := r.BasicAuth(); sent {
		proof.Password = &password
	}
	return proof
}
