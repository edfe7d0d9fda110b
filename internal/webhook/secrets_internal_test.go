package webhook

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/seal"
)

func TestOldSecretsSignForTheirDay(t *testing.T) {
	t.Parallel()
	box, err := seal.New([][]byte{[]byte("a secret of thirty-two characters")}, sealPurpose)
	if err != nil {
		t.Fatal(err)
	}
	s, id, now := &Service{box: box}, uuid.New(), time.Now()
	sealed := func(text string) []byte { return box.Seal(id.String(), text) }
	row := secrets{Secret: sealed("a"), ReadAt: now}
	rotate := func(at time.Time, next string) {
		row.ReadAt = at
		old, err := s.retire(id, row)
		if err != nil {
			t.Fatal(err)
		}
		row = secrets{Secret: sealed(next), OldSecret: old, OldSecretUntil: new(at.Add(rotation)), ReadAt: at}
	}
	want := func(name string, at time.Time, want ...string) {
		row.ReadAt = at
		var got []string
		for _, one := range s.old(id, row) {
			got = append(got, one.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q sign, want %q", name, got, want)
		}
	}
	want("before any rotation", now)
	rotate(now, "b")
	rotate(now.Add(20*time.Hour), "c")
	want("after two rotations", now.Add(21*time.Hour), "b", "a")
	want("after the day of the first", now.Add(25*time.Hour), "b")
	want("after both days", now.Add(45*time.Hour))
	rotate(now.Add(25*time.Hour), "d")
	want("after the third rotation", now.Add(26*time.Hour), "c", "b")

	row = secrets{Secret: sealed("b"), OldSecret: sealed("whsec_YQ=="), OldSecretUntil: new(now.Add(time.Hour))}
	want("in the form of earlier versions", now, "whsec_YQ==")
	rotate(now, "c")
	want("and after a rotation of it", now, "b", "whsec_YQ==")
	want("until its day ends", now.Add(2*time.Hour), "b")
	row.OldSecret = []byte("sealed by another key")
	want("with another key", now)
}
