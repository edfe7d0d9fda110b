package transfers

import (
	"testing"

	"dealflow/internal/ingest/imports"
	"dealflow/internal/pages/frame"
)

// The label is the text of the link to the import in the list, and the heading of its page.
func TestAnImportOfAnyKindHasALabel(t *testing.T) {
	t.Parallel()
	for _, kind := range append(imports.Kinds(), imports.KindAccount) {
		if shown := intakeOf(&frame.Scene{}, imports.Import{Kind: kind}); shown.What == "" {
			t.Errorf("an import of the kind %s has no label", kind)
		}
	}
}

func TestAnImportThatBroughtNothingIsNotUndone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of   imports.Import
		want bool
	}{
		"brought some":    {imports.Import{Status: imports.StatusCompleted, Created: 1}, true},
		"failed at once":  {imports.Import{Status: imports.StatusFailed}, false},
		"is under way":    {imports.Import{Status: imports.StatusRunning, Created: 1}, false},
		"failed half way": {imports.Import{Status: imports.StatusFailed, Created: 1}, true},
	} {
		if got := (shownImport{Import: test.of}).CanUndo(); got != test.want {
			t.Errorf("an import that %s can be undone: %t", name, got)
		}
	}
}
