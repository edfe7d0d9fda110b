package account

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"dealflow/internal/blank"
	"dealflow/internal/fault"
)

// Address returns an email address without the space around it. The error is InvalidBody if the text is not one plain
// address without a display name, has more than maxAddress bytes, or is an address that the database would take for
// that of another mailbox.
func Address(email string) (string, error) {
	email = strings.TrimSpace(email)
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > maxAddress || isLookalike(email) {
		return "", fault.Field("email", "is no email address")
	}
	return email, nil
}

// isLookalike reports whether the database would take an address for that of another mailbox. The database compares
// addresses in small letters, in which gİthub.example is github.example; for those who deliver mails they are two
// hosts. A link that is mailed for the owner of one address must not reach the owner of the other. isLookalike also
// returns true for a domain that is not ASCII and is invalid or, in small letters, not in the normal form of IDNA.
func isLookalike(address string) bool {
	for _, r := range address {
		if r > unicode.MaxASCII && unicode.ToLower(r) <= unicode.MaxASCII {
			return true
		}
	}
	domain := address[strings.LastIndexByte(address, '@')+1:]
	if strings.IndexFunc(domain, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return false
	}
	delivered, err := idna.Lookup.ToUnicode(domain)
	return err != nil || delivered != strings.ToLower(domain)
}

// CheckName returns a name without the space around it. The error is InvalidBody for the field if the name is blank or
// has more than maxName characters.
func CheckName(field, value string) (string, error) {
	value = blank.Trim(value)
	if value == "" {
		return "", fault.Field(field, "is empty")
	}
	if utf8.RuneCountInString(value) > maxName {
		return "", fault.Field(field, fmt.Sprintf("has more than %d characters", maxName))
	}
	return value, nil
}
