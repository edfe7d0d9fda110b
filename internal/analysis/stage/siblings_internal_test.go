package stage

import (
	"slices"
	"testing"

	"dealflow/internal/analysis"
)

// pipelineFor returns a context of a pipeline whose stages are surely for the meanings of these numbers, in this order.
func pipelineFor(meanings ...int) *Context {
	c := &Context{}
	for rank, m := range meanings {
		sense := make([]float64, 12)
		sense[m] = 1
		c.P.Stages = append(c.P.Stages, analysis.Stage{Rank: rank})
		c.likely.Senses = append(c.likely.Senses, sense)
	}
	return c
}

func TestAmongSiblings(t *testing.T) {
	t.Parallel()
	c := pipelineFor(0, 3, 3, 3, 7, 7, 8)
	want := []string{"", "first", "inner", "last", "first", "last", ""}
	for i := range want {
		if got := c.amongSiblings(i); got != want[i] {
			t.Errorf("stage %d is %q among those for the same, want %q", i, got, want[i])
		}
	}
}

func TestStemsOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"03 Term sheet signed": {"term", "shee", "signe"},
		"Due Diligence":        {"due", "dilige"},
		"IC":                   nil,
		"签约":                   {"签", "约"},
		"Getekend":             {"getek"},
		"✅":                    nil,
		"":                     nil,
	} {
		if got := stemsOf(name); !slices.Equal(got, want) {
			t.Errorf("%q has the stems %q, want %q", name, got, want)
		}
	}
}
