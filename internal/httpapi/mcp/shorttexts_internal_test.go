package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShortTextsKeepTheBeginnings(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", "é", "日", "😀", `"`, `\`, "\n", "\u0001", `\u`, "\u2028", "a\"\\u0022"} {
		for _, before := range []string{"", "a", "ab", "abc"} {
			long := before + strings.Repeat(unit, listedText)
			given, err := json.Marshal(map[string]any{"long": long, "short": unit, "list": []any{1.5, nil, long, unit}})
			if err != nil {
				t.Fatal(err)
			}
			var s shortTexts
			for _, b := range given { // as if it came byte by byte
				_, _ = s.Write([]byte{b})
			}
			var kept struct {
				Long, Short string
				List        []any
			}
			if err := json.Unmarshal(s.kept.Bytes(), &kept); err != nil {
				t.Fatalf("%q: %v", unit, err)
			}
			if !strings.HasPrefix(long, kept.Long) || len(kept.Long) < listedText/6 || len(kept.Long) > listedText+utf8.UTFMax ||
				kept.Short != unit || kept.List[2] != kept.Long || kept.List[3] != unit || len(kept.List) != 4 {
				t.Errorf("%q: %d bytes are kept of %d", unit, len(kept.Long), len(long))
			}
		}
	}
}
