package account_test

import (
	"testing"

	"dealflow/internal/account"
)

// TestAddressesAreOfOneMailbox checks that email addresses are refused that in lower case are those of other mailboxes.
func TestAddressesAreOfOneMailbox(t *testing.T) {
	t.Parallel()
	for address, valid := range map[string]bool{
		"ada@fund.example":        true,
		"Ada.L+x@Fund.Example":    true,
		"ada@[192.0.2.1]":         true,
		"jörg@bücher.example":     true,
		"JÖRG@BÜCHER.example":     true,
		"kim@xn--bcher-kva.com":   true,
		"ada@例え.example":          true,
		"vıctim@fund.example":     true, // a letter of its own, which stays what it is
		"victim@gİthub.example":   false,
		"vİctim@fund.example":     false,
		"\u212Aim@fund.example":   false,
		"ada@stra\u1E9Ee.example": false,
		"ada@ｆｕｎｄ.example":        false,
	} {
		if _, err := account.Address(address); (err == nil) != valid {
			t.Errorf("%q: %v, want valid %v", address, err, valid)
		}
	}
}
