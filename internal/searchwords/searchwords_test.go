package searchwords

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// What Plain finds must be what the schema finds; where it is not sure, it must find nothing.
func TestPlainWordsAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	dice := rand.New(rand.NewPCG(31, 2026)) // the same texts each time
	plain := 0
	check := func(tx *postgres.Tx, text string) {
		encoded, err := json.Marshal(map[string]any{
			"a": text, "b": []any{1, text + "x", map[string]string{text: "c"}}, "d": nil,
		})
		if err != nil {
			t.Fatal(err)
		}
		words := Plain(Strings(encoded, strings.ToUpper(text), text+"\n"+text, "Ada@Example.com")...)
		if words == "" {
			return
		}
		plain++
		var same bool
		err = tx.Raw(`SELECT ?::text::tsvector = app_vector(app_words(concat_ws(E'\n', ?::text, ?::text, ?::text,
			app_strings(?::jsonb))))`,
			words, strings.ToUpper(text), text+"\n"+text, "Ada@Example.com", string(encoded)).Scan(&same).Error
		if err != nil || !same {
			t.Fatalf("%q has the words %q, which is not what the schema finds (%v)", text, words, err)
		}
	}
	err := db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
		for r := rune(1); r < 0x3100; r++ { // each character by itself, between and beside letters
			if r < 0x80 || isPlainGap(r) || r%97 == 0 {
				check(tx, "Ab"+string(r)+"c "+string(r)+"D")
			}
		}
		for range 300 {
			var text strings.Builder
			for range dice.IntN(60) {
				text.WriteRune(rune(1 + dice.IntN(0x7f)))
				text.WriteString([]string{"", "", "’", "Word", strings.Repeat("x", 70), "…", "\u00a0", "€9", " – "}[dice.IntN(9)])
			}
			check(tx, text.String())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if plain < 500 {
		t.Errorf("only %d texts were plain", plain)
	}
	for _, text := range []string{
		"caf\u00e9", "\u2163", "\u212a", "\ufb01", "\u2017", "\u203e", "\u2122", "\u691c", "e\u0301",
	} {
		if words := Plain(text); words != "" {
			t.Errorf("%q has the words %q, want none: the database must find them", text, words)
		}
	}
}
