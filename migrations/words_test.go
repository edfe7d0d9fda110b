package migrations_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"dealflow/internal/testkit"
	"dealflow/migrations"
)

// Migrations 30 and 61 make words and keys by shorter ways: on any text they must be those that the functions before
// made.
func TestCheaperWordsAreTheSameWords(t *testing.T) {
	t.Parallel()
	pool := openAsOwner(t, testkit.AdminURL(t, testkit.NewDatabaseURL(t)))
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, migrations.Files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	texts := randomTexts()
	answers := func(version int64) []string {
		if _, err := provider.UpTo(t.Context(), version); err != nil {
			t.Fatal(err)
		}
		return wordsOf(t, pool, texts)
	}
	for _, version := range []int64{30, 61} {
		before, after := answers(version-1), answers(version)
		for i := range before {
			if before[i] != after[i] {
				t.Fatalf("%q:\nbefore %d %s\nafter  %s", texts[i], version, before[i], after[i])
			}
		}
	}
}

func wordsOf(t *testing.T, pool *sql.DB, texts []string) []string {
	t.Helper()
	return column(t, pool, `SELECT concat_ws(' | ', app_fold(t), app_cut(app_fold(t), false), app_words(t),
		app_vector(app_words(t)), app_query(t), app_name_key(t),
			app_strings(jsonb_build_object('a', t, 'b', jsonb_build_array(t, 1, t))),
			(SELECT string_agg(kind || ' ' || value, ', ' ORDER BY kind, value)
				FROM app_company_keys(t, 'https://www.' || t, jsonb_build_object('founders',
					jsonb_build_array(jsonb_build_object('email', t),
					jsonb_build_object('email', 'x' || t), jsonb_build_object('email', upper(t)))))))
		FROM unnest($1::text[]) WITH ORDINALITY AS g (t, place) ORDER BY place`, texts)
}

// randomTexts returns texts of every kind that the functions handle differently: ASCII, Latin, dense scripts, all of
// Unicode, long words, names with legal forms.
func randomTexts() []string {
	dice := rand.New(rand.NewPCG(30, 2026)) // the same texts each time
	from := func(first, last rune) func() rune { return func() rune { return first + dice.Int32N(last-first+1) } }
	anything := func() rune {
		if r := from(1, 0x10ffff)(); r < 0xd800 || r > 0xdfff {
			return r
		}
		return 'ß'
	}
	kinds := []func() rune{
		from(1, 0x7f), from('A', 'z'), from(0x80, 0x24f), from(0x2000, 0x214f), from(0x300, 0x5ff), from(0x0e00, 0x0fff),
		from(0x3000, 0x31ff), from(0x4e00, 0x4fff),
		from(0xac00, 0xad00), from(0xf900, 0xffff), anything,
	}
	texts := []string{
		"ada@acme.example", "Ada@Mail.Acme.co.uk", "Acme Holding Ltd", "acme  inc", strings.Repeat("word ", 14) + "gmbh",
		`a\b "c", "d"`, "", " ",
		"ß", "STRASSE", "İstanbul I ı", "ﬁnd ① ａｃｍｅ", strings.Repeat("a", 200) + " b", strings.Repeat("é", 200),
	}
	for range 1500 {
		var text strings.Builder
		for range dice.IntN(8) {
			kind := kinds[dice.IntN(len(kinds))]
			for range dice.IntN(12) {
				text.WriteRune(kind())
			}
			if dice.IntN(3) > 0 {
				text.WriteByte(' ')
			}
		}
		texts = append(texts, text.String())
	}
	names := []string{
		"Acme", "The Co", "Foo & Söhne", "ООО Ромашка", "株式会社テスト", "a", "co", "Untitled Company", "jane@acme.io", "acme.io",
	}
	endings := []string{
		"Inc", "Inc.", "GmbH & Co. KG", "S.A.", "s. r. o.", "Sp. z o.o.", "and Co", "de", "de CV", "S.A. de C.V.", "A.Ş.",
		"Anonim Şirketi", "Pvt Ltd", "Tata", "ООО", "有限公司", "(株)", "FZ LLC",
	}
	for _, name := range names {
		for _, ending := range endings {
			texts = append(texts, name+" "+ending, fmt.Sprintf("%s, %s %s", name, endings[dice.IntN(len(endings))], ending))
		}
	}
	return slices.DeleteFunc(texts, func(text string) bool { return strings.ContainsRune(text, 0) })
}
