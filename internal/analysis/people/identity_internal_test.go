package people

import "testing"

// TestAnIdentityIsWhatNamesSay wants the identities of names to agree with the comparison of the names, which takes
// names in ASCII as they are.
func TestAnIdentityIsWhatNamesSay(t *testing.T) {
	t.Parallel()
	names := []string{
		"", "Tamsin", "Tamsin Hale", "tamsin hale", "Tamsin  Hale", "Dr. Tamsin Hale", "Tamsin M. Hale", "TAMSINHALE",
		"Tamsin Hall",
		"José", "Jose Ruiz", "José Ruiz", "JOSÉ ANTONIO RUIZ", "Łukasz Wiśniewski",
		"Lukasz Wisniewski", "Strauß", "Strauss Kim",
		"李明", "李 明", "佐藤健", "김민수", "김 민수", "O'Neil", "Oneil Park", "Prof. Dr. Müller", "Muller", "- Hale", "–",
	}
	same := map[[2]string]bool{
		{"Tamsin", "Tamsin Hale"}: true, {"Tamsin Hale", "Tamsin Hall"}: false, {"José", "Jose Ruiz"}: true,
		{"李 明", "李明"}: true, {"Dr. Tamsin Hale", "tamsin hale"}: true, {"Strauß", "Strauss Kim"}: true,
	}
	for _, a := range names {
		for _, b := range names {
			got := IdentityOf(a).Is(IdentityOf(b))
			if want := SamePerson(a, b); got != want {
				t.Errorf("%q and %q: identities say %v, names %v", a, b, got, want)
			}
			if want, known := same[[2]string{a, b}]; known && got != want {
				t.Errorf("%q and %q are one person: %v", a, b, got)
			}
		}
	}
}
