package hooks

// Limits of integrations; lengths are in characters.
const (
	maxIntegrationName = 255
	maxSigningKey      = 255
	maxIntegrations    = 200 // in an account
)

// atOnce is the largest size, in bytes, of a mail that is stored as an email while its sender waits, which takes a few
// milliseconds. A larger mail is written to storage, and a worker stores the email.
const atOnce = 256 << 10
