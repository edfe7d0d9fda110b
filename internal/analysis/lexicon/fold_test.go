package lexicon

import (
	"math"
	"strings"
	"testing"
)

// TestLettersFoldAsInAnyText wants each letter, alone and between others, to fold as the rules of Unicode say.
func TestLettersFoldAsInAnyText(t *testing.T) {
	t.Parallel()
	for r := range rune(math.MaxUint16) {
		for _, text := range []string{string(r), "É" + string(r) + "가" + string(r)} {
			if got, want := Fold(text), foldAny(text); got != want {
				t.Fatalf("%+q folds to %+q, want %+q", text, got, want)
			}
		}
	}
}

// TestCases wants IsUpper and IsLower to report whether strings.ToUpper and strings.ToLower leave a text unchanged.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "ACME", "Acme", "acme", "42", "ÄÖ", "äö", "ß", "İ", "ǅ", "株式", "A\xff", "a\xff", "\ufffd",
	} {
		if got, want := IsUpper(text), strings.ToUpper(text) == text; got != want {
			t.Errorf("IsUpper(%+q) = %v", text, got)
		}
		if got, want := IsLower(text), strings.ToLower(text) == text; got != want {
			t.Errorf("IsLower(%+q) = %v", text, got)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, seed := range []string{
		"José ANTONIO", "e\u0301\u0323", "\u1112\u1161\u11ab 한국", "が か\u3099", "İstanbul ıŁØß", "Αθήνα Ώ",
		"العَرَبِيَّة آ", "क़", "\xff\xfe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Fold(text), foldAny(text); got != want {
			t.Errorf("%+q folds to %+q, want %+q", text, got, want)
		}
	})
}
