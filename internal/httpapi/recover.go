package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"
)

// recoverPanic makes a 500 of a panic. http.ErrAbortHandler stays what it is: the way to drop a connection.
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
