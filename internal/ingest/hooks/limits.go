package hooks

// Limits of integrations; lengths are in characters.
const (
	maxIntegrationName = 255
	maxSigningKey      = 255
	maxIntegrations    = 200 // in an account
)
