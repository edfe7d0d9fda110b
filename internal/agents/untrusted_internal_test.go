package agents

import "testing"

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text         string
		offset, size int
		want         string
		next         int // 0: the end
	}{
		{"", 0, 4, "", 0},
		{"größer", 0, 4, "größ", 4},
		{"größer", 4, 4, "er", 0},
		{"größer", 0, 6, "größer", 0},
		{"größer", 9, 4, "", 0},
		{"a\x00b\x1bc\r\nd\te", 0, 9, "abc\nd\te", 0},
		{"a\u202Eb\u2066c\U000E0041d", 0, 9, "abcd", 0},
		{"a\U000E0159\U000E015Fb\u200B\u2062\uFEFFc", 0, 9, "abc", 0}, // "ig" in variation selectors
		{"\u2764\uFE0F \u0646\u200C\u0645", 0, 9, "\u2764\uFE0F \u0646\u200C\u0645", 0},
		{"👩‍👧 नमस्ते", 0, 20, "👩‍👧 नमस्ते", 0}, // joiners are part of what people see
	} {
		got := partOf(tc.text, tc.offset, tc.size)
		next := 0
		if got.NextOffset != nil {
			next = *got.NextOffset
		}
		if got.Text != tc.want || next != tc.next {
			t.Errorf("%q from %d: %q, then %d; want %q, %d", tc.text, tc.offset, got.Text, next, tc.want, tc.next)
		}
	}
	if got := cut("größer", 4); got != "größ…" {
		t.Errorf("cut to %q", got)
	}
}
