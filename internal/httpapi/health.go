package httpapi

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
)

// readyTimeout bounds the questions behind /readyz: whoever watches asks again soon.
const readyTimeout = 3 * time.Second

// Readiness is what a process says of itself at /readyz. The texts are read by whoever asks, so they hold no
// addresses and no passwords.
type Readiness struct {
	Refusal string // why it cannot serve: the database or its migrations; empty when it can
	Redis   string // what is wrong with Redis; empty when it answers
	Storage string // what is wrong with the storage; empty when it takes and returns files
	Workers int    // how many workers gave a sign of life
}

// wireReadiness is Readiness as it is told. Degraded names what does not work though requests are served.
type wireReadiness struct {
	Status   string   `json:"status"`
	Degraded []string `json:"degraded"`
	Redis    string   `json:"redis"`
	Storage  string   `json:"storage"`
	Workers  int      `json:"workers"`
	Version  string   `json:"version"`
}

func (a *API) health(c *gin.Context) error { return a.ok(c, gin.H{"status": "ok"}) }

func (a *API) ready(c *gin.Context) error {
	if a.isStopping() {
		return fault.New(fault.Unavailable, "stopping",
			fault.Detail{Field: "process", Message: "stops: send requests to another one"})
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyTimeout)
	defer cancel()
	found := a.Ready(ctx)
	if found.Refusal != "" {
		return fault.New(fault.Unavailable, "not_ready", fault.Detail{Field: "database", Message: found.Refusal})
	}
	told := wireReadiness{
		Status: "ready", Degraded: []string{}, Redis: "ok", Storage: "ok", Workers: found.Workers, Version: a.version,
	}
	if found.Redis != "" {
		told.Redis = found.Redis
		told.Degraded = append(told.Degraded, "redis")
	}
	if found.Storage != "" {
		told.Storage = found.Storage
		told.Degraded = append(told.Degraded, "storage")
	}
	if found.Workers == 0 {
		told.Degraded = append(told.Degraded, "workers")
	}
	if len(told.Degraded) > 0 {
		told.Status = "degraded"
	}
	return a.ok(c, told)
}

// isStopping reports whether the process has been told to stop and serves on only for a moment.
func (a *API) isStopping() bool {
	select {
	case <-a.Stopping:
		return true
	default:
		return false
	}
}

// leaveConnection tells the client of a process that stops to use the connection no more. Connections that are idle
// stay open until nobody should send requests any more: closing one at once could cross with a request.
func (a *API) leaveConnection(c *gin.Context) {
	if a.isStopping() {
		c.Header("Connection", "close")
	}
}
