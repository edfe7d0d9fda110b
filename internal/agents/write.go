package agents

import (
	"context"

	"github.com/google/uuid"

	"dealflow/client"
)

// repeatable is embedded in the arguments of a tool of which a second call would do something again, such as adding
// another company. A second call with the same key and arguments returns the first answer and does nothing. The same
// key with other arguments is refused. Without a key, every call is carried out.
type repeatable struct {
	IdempotencyKey string `json:"idempotency_key,omitempty" jsonschema:"of your own, such as a UUID: the same call with the same key does nothing a second time"`
}

func (r repeatable) options() []client.Option {
	if r.IdempotencyKey == "" {
		return nil
	}
	return []client.Option{client.IdempotencyKey(r.IdempotencyKey)}
}

func change(
	ctx context.Context, api *client.Client, id uuid.UUID, body client.ChangeCompanyBody,
) (companyFound, error) {
	changed, err := api.ChangeCompany(ctx, id, client.ChangeCompanyParams{}, body)
	if err != nil {
		return companyFound{}, err
	}
	return showBriefly(id, changed.Company), nil
}

// showBriefly returns a company as it is shown in lists, but with this id.
func showBriefly(id uuid.UUID, one client.Company) companyFound {
	shown := showCompany(one, nil)
	names := []string{}
	for _, one := range shown.Untrusted.Founders {
		names = append(names, one.Name)
	}
	return companyFound{
		ID: id, AccountID: shown.AccountID, Status: shown.Status, Source: shown.Source, UpdatedAt: deref(shown.UpdatedAt),
		Untrusted: brief{shown.Untrusted.Name, cut(shown.Untrusted.Summary, quoteSize), names},
	}
}
