package plain_test

import (
	"reflect"
	"slices"
	"testing"

	"dealflow/internal/company/plain"
	"dealflow/internal/testkit"
)

// A column that is not a plain field has code of its own wherever companies are made, read, merged and exported.
func TestEveryColumnIsPlainOrHasItsOwnCode(t *testing.T) {
	t.Parallel()
	known := append(plain.Names(), "id", "account_id", "name", "deck_storage_path", "visibility", "source",
		"source_content", "company_status_id", "metadata", "external_id", "edited", "words", "created_by", "updated_by",
		"created_at", "updated_at")
	for _, column := range testkit.Texts(t, testkit.DatabaseURL(t), `SELECT attname FROM pg_attribute
		WHERE attrelid = 'companies'::regclass AND attnum > 0 AND NOT attisdropped`) {
		if !slices.Contains(known, column) {
			t.Errorf("no code knows companies.%s: see \"Add a field to a company\" in CONTRIBUTING.md", column)
		}
	}
}

func TestPlainReturnsEveryField(t *testing.T) {
	t.Parallel()
	var fields plain.Fields[string]
	for _, field := range fields.Plain() {
		*field.Value = field.Name
	}
	value := reflect.ValueOf(fields)
	for i := range value.NumField() {
		if value.Field(i).String() == "" {
			t.Errorf("Plain does not return %s", value.Type().Field(i).Name)
		}
	}
}
