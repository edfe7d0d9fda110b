// Package respond writes answers: the envelope, the statuses of errors, ETags, lists, and the part of an answer that is
// stored for repeated requests. It depends on no resource.
package respond

import (
	"mime"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
)

// Success is the envelope of an answer that is not an error. AuthType says how the caller was authenticated: "api_key"
// or "session"; it is "" and left out if no caller is known.
type Success struct {
	Success  bool   `json:"success"`
	Data     any    `json:"data"`
	AuthType string `json:"authType,omitempty"`
}

const jsonMediaType = "application/json"

// OK answers 200 with data in the envelope.
func OK(c *gin.Context, data any) error { return Answer(c, http.StatusOK, data) }

// Message answers 200 with a sentence for people.
func Message(c *gin.Context, text string) error { return OK(c, gin.H{"message": text}) }

// Answer answers with data in the envelope.
func Answer(c *gin.Context, status int, data any) error {
	return JSON(c, status, Envelope(c, data))
}

// Envelope returns the envelope of an answer to this request.
func Envelope(c *gin.Context, data any) Success {
	body := Success{Success: true, Data: data}
	if caller, known := route.Caller(c); known {
		body.AuthType = "api_key"
		if caller.SessionID != uuid.Nil {
			body.AuthType = "session"
		}
	}
	return body
}

// JSON answers with body as JSON. It encodes all of body before it sends anything: if that fails, it sends nothing and
// returns the error.
func JSON(c *gin.Context, status int, body any) error {
	encoded, err := wire.Encode(body)
	if err != nil {
		return err
	}
	c.Header("Content-Type", jsonMediaType) // gin would keep one that a handler set before it failed
	c.Data(status, jsonMediaType, append(encoded, '\n'))
	return nil
}

// Empty answers with a status and no body.
func Empty(c *gin.Context, status int) {
	c.Status(status)
	c.Writer.WriteHeaderNow()
}

// Attachment returns the Content-Disposition of a download with this file name, encoded by RFC 6266 unless it is plain
// ASCII. It returns only "attachment" if the name is "" or cannot be written.
func Attachment(name string) string {
	if name == "" {
		return "attachment"
	}
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": name}); value != "" {
		return value
	}
	return "attachment"
}
