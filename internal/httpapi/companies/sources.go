package companies

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/company/sources"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// wireSource is who brought a company, through what and when first. ID is the id of the first email or submission, or
// of the import; Times is how often they brought it; First is true if the company was created from it.
type wireSource struct {
	Through string     `json:"through"`
	Name    *string    `json:"name"`
	Email   *string    `json:"email"`
	ID      *uuid.UUID `json:"id"`
	Times   int        `json:"times"`
	At      *string    `json:"at"`
	First   bool       `json:"first"`
}

// wirePass is a decision of the team against a company: Stage is the status that the company got, such as "Rejected".
type wirePass struct {
	Stage  string  `json:"stage"`
	By     *string `json:"by"`
	At     *string `json:"at"`
	Reason *string `json:"reason"`
}

func showSource(s sources.Source) wireSource {
	return wireSource{
		Through: s.Through, Name: s.Name, Email: s.Email, ID: s.Thing, Times: s.Times, At: wire.Time(s.At),
		First: s.First,
	}
}

func showPass(p sources.Pass) wirePass {
	return wirePass{Stage: p.Stage, By: p.By, At: wire.Time(p.At), Reason: p.Reason}
}

// GetSources answers with the earliest 100 sources of a company and the latest 100 decisions of the team against it,
// its passes. earlier_pass is the latest of these; it is null if there is none, or if the present status of the company
// is one by which a team decides against a company. The errors are those of sources.Service.Background.
func (h *Handlers) GetSources(c *gin.Context, who *postgres.Identity) error {
	found, err := h.Sources.Background(c.Request.Context(), who, route.PathID(c, "id"))
	if err != nil {
		return err
	}
	var earlier *wirePass
	if pass := found.Earlier(); pass != nil {
		shown := showPass(*pass)
		earlier = &shown
	}
	return respond.OK(c, gin.H{
		"sources": respond.All(found.Sources, showSource), "passes": respond.All(found.Passes, showPass),
		"earlier_pass": earlier,
	})
}
