package merge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"dealflow/internal/company"
	"dealflow/internal/testkit/cputime"
)

// TestManyUnknownFieldsCostLittle checks that a request to keep the values of many fields that the companies do not
// have takes no more time than reading it.
func TestManyUnknownFieldsCostLittle(t *testing.T) {
	t.Parallel()
	const many = 60_000
	var members strings.Builder
	keep := map[string]string{}
	for n := range many {
		fmt.Fprintf(&members, `"m%05d":1,`, n)
		keep[fmt.Sprintf("metadata.x%05d", n)] = Into
	}
	var one company.View
	one.Metadata = json.RawMessage("{" + members.String() + `"last":1}`)
	var err error
	if took := cputime.Of(func() { _, err = compare(one, one, keep) }); took > 3*time.Second || err == nil {
		t.Errorf("%d unknown fields took %v: %v", many, took, err)
	}
}
