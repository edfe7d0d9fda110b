package seal_test

import (
	"bytes"
	"errors"
	"testing"

	"dealflow/internal/seal"
)

func TestATextOpensInItsPlaceAlone(t *testing.T) {
	t.Parallel()
	old, fresh := bytes.Repeat([]byte("o"), 32), bytes.Repeat([]byte("f"), 32)
	box := func(purpose string, keys ...[]byte) *seal.Box {
		t.Helper()
		made, err := seal.New(keys, purpose)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	sealed := box("tests", old).Seal("here", "text")
	if text, err := box("tests", fresh, old).Open("here", sealed); err != nil || text != "text" {
		t.Errorf("after a new key: %q, %v", text, err)
	}
	for name, open := range map[string]func() (string, error){
		"another place":   func() (string, error) { return box("tests", old).Open("there", sealed) },
		"another purpose": func() (string, error) { return box("others", old).Open("here", sealed) },
		"another key":     func() (string, error) { return box("tests", fresh).Open("here", sealed) },
		"no sealed text":  func() (string, error) { return box("tests", old).Open("here", nil) },
	} {
		if text, err := open(); !errors.Is(err, seal.ErrKey) || text != "" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := seal.New(nil, "tests"); err == nil {
		t.Error("a box is made without a key")
	}
}
