package postgres_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func TestStringsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	for name, written := range map[string]postgres.Strings{
		"nil": nil, "empty": {}, "one": {"a"}, "order and doubles": {"b", "a", "b"}, "empty text": {""},
		"not null": {"NULL", "null"},
		"syntax":   {`{`, `}`, `,`, `"`, `\`, `a"b\c`, "{a,b}", " ", "\n\t"}, "letters": {"é", "日本語", "😀"},
	} {
		var read postgres.Strings
		err := db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
			return tx.Raw("SELECT ?::text[]", written).Row().Scan(&read)
		})
		if err != nil || !slices.Equal(read, written) || read == nil {
			t.Errorf("%s: %q came back as %q, %v", name, written, read, err)
		}
		err = db.Read(t.Context(), postgres.AsUser(uuid.Nil), postgres.Value(&read, "SELECT $1::text::text[]", written))
		if err != nil || !slices.Equal(read, written) || read == nil {
			t.Errorf("%s: %q came back in a pipeline as %q, %v", name, written, read, err)
		}
	}
}

func TestStringsRefuseWhatIsNoArray(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]any{
		"a number": int64(1), "a broken array": "{a",
		"a null": []byte("\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x19\x00\x00\x00\x01\x00\x00\x00\x01\xff\xff\xff\xff"),
	} {
		var read postgres.Strings
		if err := read.Scan(source); err == nil {
			t.Errorf("%s was read as %q", name, read)
		}
	}
}
