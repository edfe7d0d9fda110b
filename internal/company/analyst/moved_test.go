package analyst_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/merge"
	"dealflow/internal/testkit"
)

// TestATextFollowsItsFile merges two companies, or undoes their merge, while a worker reads a file that the merge
// moves. The text must then belong to the company that has the file.
func TestATextFollowsItsFile(t *testing.T) {
	t.Parallel()
	for name, undone := range map[string]bool{"a merge": false, "the undo of a merge": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			one := testkit.Company(t, s.DB, s.Team, s.Owner, company.VisibilityTeam)
			other := testkit.Company(t, s.DB, s.Team, s.Owner, company.VisibilityTeam)
			file, err := s.Attach(t, s.Owner, other, "lo-basic-12.pdf", nil)
			if err != nil {
				t.Fatal(err)
			}
			merges, last := merge.New(s.DB), one
			move := func() {
				if _, err := merges.Merge(t.Context(), s.Owner, other, merge.Request{IntoID: one}); err != nil {
					t.Errorf("merge: %v", err)
				}
			}
			if undone {
				move()
				last = other
				move = func() {
					if _, err := merges.Undo(t.Context(), s.Owner, one); err != nil {
						t.Errorf("undo: %v", err)
					}
				}
			}
			moved, deps := false, s.Deps
			deps.Timed = func(string, string, time.Duration) { // behind the reading
				if !moved {
					moved = true
					move()
				}
			}
			item, err := s.Work.Claim(t.Context(), s.last(), time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if err := analyst.New(deps).Read(t.Context(), item); err != nil {
				t.Fatal(err)
			}
			got := testkit.Texts(t, s.URL, "SELECT company_id::text FROM file_texts WHERE file_id = $1", file.ID)
			if len(got) != 1 || uuid.MustParse(got[0]) != last {
				t.Errorf("the text is one of %v, and the file one of %s", got, last)
			}
		})
	}
}
