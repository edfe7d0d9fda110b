package people

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
)

// Strangers are the people in a text who are certainly not founders: its recipients, those whom it greets, those with
// the title of another role, and those of another company. Names are squeezed, addresses in lower case; an entry that
// is false is not a stranger.
type Strangers struct {
	Names, Addresses map[string]bool
}

// Has reports whether a name or an address is a stranger's.
func (s Strangers) Has(name, email string) bool {
	return s.Names[lexicon.Squeeze(name)] || s.Addresses[strings.ToLower(strings.TrimSpace(email))]
}
