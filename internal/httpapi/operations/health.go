package operations

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/respond"
)

// readyTimeout bounds the checks of /readyz. It is short, since the monitor that calls /readyz soon calls it again.
const readyTimeout = 3 * time.Second

// Readiness is what a process reports at /readyz. Anybody may read the texts, so they must not contain addresses or
// passwords.
type Readiness struct {
	Refusal string // why it cannot serve: the database or its migrations; empty when it can
	Redis   string // what is wrong with Redis; empty when it answers
	Storage string // what is wrong with the storage; empty when it accepts and returns files
	Workers int    // how many workers gave a sign of life
}

// wireReadiness is Readiness as it is sent. Degraded names the parts that do not work, though requests are served.
type wireReadiness struct {
	Status   string   `json:"status"`
	Degraded []string `json:"degraded"`
	Redis    string   `json:"redis"`
	Storage  string   `json:"storage"`
	Workers  int      `json:"workers"`
	Version  string   `json:"version"`
}

// Health answers that the process runs.
func (h *Handlers) Health(c *gin.Context) error { return respond.OK(c, gin.H{"status": "ok"}) }

// Ready answers whether the process can serve requests. The error is Unavailable if the process stops or the database
// cannot be used. Without Redis, the storage or workers it answers "degraded" and their names.
func (h *Handlers) Ready(c *gin.Context) error {
	if h.Stopping.Begun() {
		return fault.New(fault.Unavailable, "unavailable",
			fault.Detail{Field: "process", Message: "stops: send requests to another one"})
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyTimeout)
	defer cancel()
	found := h.Readiness(ctx)
	if found.Refusal != "" {
		return fault.New(fault.Unavailable, "unavailable", fault.Detail{Field: "database", Message: found.Refusal})
	}
	shown := wireReadiness{
		Status: "ready", Degraded: []string{}, Redis: "ok", Storage: "ok", Workers: found.Workers, Version: h.Version,
	}
	if found.Redis != "" {
		shown.Redis = found.Redis
		shown.Degraded = append(shown.Degraded, "redis")
	}
	if found.Storage != "" {
		shown.Storage = found.Storage
		shown.Degraded = append(shown.Degraded, "storage")
	}
	if found.Workers == 0 {
		shown.Degraded = append(shown.Degraded, "workers")
	}
	if len(shown.Degraded) > 0 {
		shown.Status = "degraded"
	}
	return respond.OK(c, shown)
}
