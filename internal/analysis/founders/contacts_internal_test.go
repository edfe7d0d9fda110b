package founders

import (
	"slices"
	"testing"

	"dealflow/internal/analysis"
)

func TestAddressesGoToWhomTheyAreNamedAfter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ names, emails, want []string }{
		{[]string{"Ann Lee", "Bo Hay"}, []string{"", "ann@silomind.io"}, []string{"ann@silomind.io", ""}},
		{[]string{"Ann Lee", "Bo Hay"}, []string{"bo@silomind.io", "bo@silomind.io"}, []string{"", "bo@silomind.io"}},
		{[]string{"Ann Lee", "Bo Hay"}, []string{"team@silomind.io", "team@silomind.io"}, []string{"team@silomind.io", ""}},
		{
			[]string{"Ann Lee", "Ann Hay"},
			[]string{"ann@silomind.io", "ann.hay@silomind.io"},
			[]string{"ann@silomind.io", "ann.hay@silomind.io"},
		},
	} {
		var list []analysis.Founder
		for i, name := range tt.names {
			list = append(list, analysis.Founder{Name: name, Email: tt.emails[i]})
		}
		returnAddresses(list)
		var got []string
		for _, f := range list {
			got = append(got, f.Email)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q with %q: got %q, want %q", tt.names, tt.emails, got, tt.want)
		}
	}
}
