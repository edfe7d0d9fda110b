package rules_test

import (
	"testing"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
)

func TestIsClosing(t *testing.T) {
	t.Parallel()
	rules := rules.New(links.DefaultDeckClasses())
	for name, want := range map[string]bool{
		"Invested": true, "Closed": true, "Won": true, "Closed Won": true, "Closed - Lost": true, "Passed": true,
		"Pass": true, "Lost": true, "Rejected": true, "Declined": true,
		"PASSED": true, "7. Passed": true, "Deal lost": true, "Portfolio": true, "Archived": true, "Not a fit": true,
		"Funded": true, "Abgelehnt": true, "Refusé": true,
		"投資済み": true, "已拒绝": true, "Passed (declined)": true, "Dead": true, "❌ Rejected": true,
		"New": false, "Inbox": false, "Lead": false, "Initial Review": false, "Screening": false, "First Meeting": false,
		"Due Diligence": false, "Term Sheet": false,
		"Investment Committee": false, "Partner meeting": false, "Term sheet signed": false, "On hold": false,
		"Watchlist": false, "Negotiation": false, "": false,
		"Reaching out": false, "Closing": false, "Later": false, "???": false,
	} {
		if got := rules.IsClosing(name); got != want {
			t.Errorf("IsClosing(%q) = %v, want %v", name, got, want)
		}
	}
}
