package lexicon

import "sync"

// organisations returns, by the hash of its squeezed name, the index in organisationKinds of each organisation of
// organisations.lst. The first call parses the file.
var organisations = sync.OnceValue(readOrganisations) //nolint:gochecknoglobals // parsed once, and never changed

// organisationKinds returns the sections of organisations.lst; the first one, "", is that of a name in none.
func organisationKinds() [5]string {
	return [...]string{"", "investor", "corporate", "product", "institution"}
}

func readOrganisations() map[uint64]byte {
	kinds := map[uint64]byte{}
	for _, line := range Lines("organisations.lst") {
		for i, kind := range organisationKinds() {
			if kind == line.Sections {
				kinds[hash(Squeeze(line.Text))] = byte(i)
			}
		}
	}
	return kinds
}

// OrganisationKind returns the section of organisations.lst that has an organisation with this squeezed name:
// "investor", "corporate", "product" or "institution"; "" for a name in none. The names of the file are established
// ones, which texts about deals mention as customers, competitors, investors, employers and tools.
func OrganisationKind(squeezed string) string {
	return organisationKinds()[organisations()[hash(squeezed)]]
}
