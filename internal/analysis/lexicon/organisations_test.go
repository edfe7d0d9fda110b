package lexicon

import "testing"

func TestOrganisationsAreKnownByKind(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, line := range Lines("organisations.lst") {
		key := Squeeze(line.Text)
		if other := seen[key]; other != "" || len(key) < 2 {
			t.Errorf("[%s] %q is like %q", line.Sections, line.Text, other)
		}
		seen[key] = line.Text
	}
	for name, want := range map[string]string{
		"Goldman Sachs": "investor", "Siemens": "corporate", "Power BI": "product", "ETH Zürich": "institution",
		"Gridmint": "",
	} {
		if got := OrganisationKind(Squeeze(name)); got != want {
			t.Errorf("%s is of kind %q, want %q", name, got, want)
		}
	}
}
