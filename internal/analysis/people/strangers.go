package people

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
)

// Strangers are those of a text who are plainly no founders: to whom it was sent, whom it greets, or who have
// another's title.
type Strangers struct {
	Names, Addresses map[string]bool
}

// Has reports whether a name or an address is a stranger's.
func (s Strangers) Has(name, email string) bool {
	return s.Names[lexicon.Squeeze(name)] || s.Addresses[strings.ToLower(strings.TrimSpace(email))]
}
