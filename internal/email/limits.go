package email

import "dealflow/internal/mimemail"

// Limits; lengths are in characters.
const (
	MaxAddress    = mimemail.MaxAddress
	MaxExternalID = mimemail.MaxID
	MaxTags       = 100
	MaxTag        = 100
	MaxCompanies  = 100
)
