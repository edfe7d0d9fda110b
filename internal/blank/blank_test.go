package blank

import "testing"

func TestTrim(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		" \t\n\u00a0\u2003\u3000\u2028": "",
		"\u200b":                        "",
		"\ufeff \u2060\u00ad\u200d":     "", // byte order mark, word joiner, soft hyphen, joiner
		"\u202e\u2066\u2069":            "", // directions
		"\u3164\u115f\uffa0":            "", // Hangul fillers
		"\u2800":                        "", // a cell of Braille without dots
		"\ufe0f\U000e0101\u180b":        "", // variation selectors
		"\u034f\u17b4":                  "", // a joiner of graphemes, a vowel that is not written
		"\U000e0041":                    "", // a tag
		"\x01\u0085":                    "", // control characters
		" Acme\u00a0":                   "Acme",
		"\u200bAcme\u200b":              "\u200bAcme\u200b",
		"می\u200cخواهم":                 "می\u200cخواهم",
		"❤️":                            "❤️",
		"\u0600":                        "\u0600", // an Arabic number sign
		".":                             ".",
		"\u0301":                        "\u0301", // an accent is drawn on a circle
		"\ufffd":                        "\ufffd",
	} {
		if got := Trim(text); got != want {
			t.Errorf("Trim(%+q) = %+q, want %+q", text, got, want)
		}
		if Is(text) != (want == "") {
			t.Errorf("Is(%+q) = %t", text, Is(text))
		}
	}
}
