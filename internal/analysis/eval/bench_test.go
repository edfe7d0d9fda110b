package eval_test

import (
	"testing"

	"dealflow/internal/analysis"
)

// BenchmarkAnalyze analyzes in turn the labelled texts of 1,500 to 2,600 bytes that have no documents.
func BenchmarkAnalyze(b *testing.B) {
	var inputs []analysis.Input
	found := newLinkReaders()
	for _, set := range setNames(b) {
		for _, s := range readSamples(b, set) {
			if len(s.Text) >= 1500 && len(s.Text) <= 2600 && len(s.Documents) == 0 {
				inputs = append(inputs, s.input(found))
			}
		}
	}
	rules := builtIn()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := rules.Analyze(b.Context(), inputs[i%len(inputs)]); err != nil {
			b.Fatal(err)
		}
	}
}
