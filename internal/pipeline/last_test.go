package pipeline_test

import (
	"testing"

	"dealflow/internal/pipeline"
	"dealflow/internal/testkit"
)

func TestNothingIsTooFarBackForOneMore(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	testkit.Exec(t, s.url, "UPDATE company_statuses SET rank = 2147483647 WHERE name = 'Passed'")
	for range 2 {
		if made, err := s.pipelines.Create(t.Context(), s.owner, s.accountID, pipeline.NewStatus{Name: "Last"}); err != nil ||
			made.Rank != 2147483647 {
			t.Errorf("a status has rank %d, %v", made.Rank, err)
		}
	}
	text := pipeline.NewField{Name: "First", FieldType: "text"}
	if _, err := s.pipelines.CreateField(t.Context(), s.owner, s.accountID, text); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, s.url, "UPDATE field_settings SET position = 2147483647")
	text.Name = "Last"
	if made, err := s.pipelines.CreateField(t.Context(), s.owner, s.accountID, text); err != nil ||
		made.Position != 2147483647 {
		t.Errorf("a field has position %d, %v", made.Position, err)
	}
}
