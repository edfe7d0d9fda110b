package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"
)

// recoverPanic answers a panic of a handler with 500. It passes on http.ErrAbortHandler, which drops the connection.
func (a *API) recoverPanic(c *gin.Context) {
	defer func() {
		panicked := recover()
		if panicked == nil {
			return
		}
		if err, ok := panicked.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(panicked)
		}
		a.Logger.ErrorContext(c.Request.Context(), "a handler panicked", "panic", fmt.Sprint(panicked), "stack",
			string(debug.Stack()))
		a.fail(c, fmt.Errorf("panic: %v", panicked))
	}()
	c.Next()
}
