package hooks

// Limits of integrations; lengths are in characters.
const (
	maxIntegrationName = 255
	maxSigningKey      = 255
	maxIntegrations    = 200 // in an account
)

// atOnce is how large a mail may be, in bytes, to become an email while its sender waits, which takes a few
// milliseconds. A larger mail is put into storage, and a worker makes the email.
const atOnce = 256 << 10
