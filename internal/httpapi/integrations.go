package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/httpapi/wire"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/postgres"
)

// hooksPath is where integrations send to, with their token behind it.
const hooksPath = "/hooks/"

// wireIntegration is what is shown of an integration: never its secret, nor Mailgun's key.
type wireIntegration struct {
	ID              uuid.UUID `json:"id"`
	Kind            string    `json:"kind"`
	Name            string    `json:"name"`
	Enabled         bool      `json:"enabled"`
	CreateCompanies bool      `json:"create_companies"`
	HookURL         string    `json:"hook_url"`
	CreatedAt       *string   `json:"created_at"`
}

// wireReceipt is something that was received and not taken in at once.
type wireReceipt struct {
	ID          uuid.UUID `json:"id"`
	Status      string    `json:"status"`
	ContentType string    `json:"content_type"`
	Size        int64     `json:"size"`
	Error       *string   `json:"error"`
	CreatedAt   *string   `json:"created_at"`
	FinishedAt  *string   `json:"finished_at"`
}

func (a *API) showIntegration(i hooks.Integration) wireIntegration {
	return wireIntegration{
		ID: i.ID, Kind: i.Kind, Name: i.Name, Enabled: i.Enabled, CreateCompanies: i.CreateCompanies,
		HookURL:   a.PublicURL + hooksPath + i.HookToken,
		CreatedAt: wire.Time(i.CreatedAt),
	}
}

func showReceipt(r hooks.Receipt) wireReceipt {
	shown := wireReceipt{
		ID: r.ID, Status: r.Status, ContentType: r.ContentType, Size: r.SizeBytes, Error: r.Error,
		CreatedAt: wire.Time(r.CreatedAt),
	}
	if r.FinishedAt != nil {
		shown.FinishedAt = wire.Time(*r.FinishedAt)
	}
	return shown
}

func (a *API) listIntegrations(c *gin.Context) error {
	return answerList(a, c, "account_id", "integrations", a.Integrations.List, a.showIntegration)
}

// createIntegration answers with the secret, this once.
func (a *API) createIntegration(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := hooks.NewIntegration{Kind: body.RequiredText("kind"), Name: body.RequiredText("name")}
	if create := body.Boolean("create_companies"); create != nil {
		in.CreateCompanies = *create
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return a.answerSecret(c, http.StatusCreated, func(ctx context.Context) (hooks.Integration, string, error) {
		return a.Integrations.Create(ctx, caller.UserID, accountID, in)
	})
}

// changeIntegration changes only what the body names.
func (a *API) changeIntegration(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	body.NotNull("name", "enabled", "create_companies")
	changes := hooks.Change{
		Name: body.Text("name"), Enabled: body.Boolean("enabled"), CreateCompanies: body.Boolean("create_companies"),
		SigningKey: body.ClearableText("signing_key"),
	}
	if err := body.Err(changes.Check); err != nil {
		return err
	}
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	changed, err := a.Integrations.Change(c.Request.Context(), caller.UserID, accountID, id, changes)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"integration": a.showIntegration(changed)})
}

// rotateIntegration answers with the new secret, this once.
func (a *API) rotateIntegration(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return a.answerSecret(c, http.StatusOK, func(ctx context.Context) (hooks.Integration, string, error) {
		return a.Integrations.Rotate(ctx, caller.UserID, accountID, id)
	})
}

// answerSecret answers with an integration and its new secret, which is shown this once.
func (a *API) answerSecret(
	c *gin.Context, status int, do func(context.Context) (hooks.Integration, string, error),
) error {
	var secret string
	return answerOnce(a, c, status, func(ctx context.Context) (made hooks.Integration, err error) {
		made, secret, err = do(ctx)
		return made, err
	}, func(made hooks.Integration) any {
		return gin.H{"integration": a.showIntegration(made), "secret": secret}
	})
}

func (a *API) deleteIntegration(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Integrations.Delete(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Integration deleted"})
}

func (a *API) listReceipts(c *gin.Context) error {
	return answerOwn(a, c,
		"receipts", func(ctx context.Context, who *postgres.Identity,
			page postgres.Page,
		) ([]hooks.Receipt, *postgres.Place, error) {
			accountID, id, err := recordIDs(c, "id")
			if err != nil {
				return nil, nil, err
			}
			return a.Integrations.Receipts(ctx, who, accountID, id, page)
		}, showReceipt)
}
