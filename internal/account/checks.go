package account

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// Address returns an email address without the space around it. The error is InvalidBody unless it is one plain address
// without a display name, of at most maxAddress bytes.
func Address(email string) (string, error) {
	email = strings.TrimSpace(email)
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > maxAddress {
		return "", fault.Field("email", "is no email address")
	}
	return email, nil
}

// CheckName returns a name without the space around it. The error is InvalidBody for the field if the name is empty or
// has more than maxName characters.
func CheckName(field, value string) (string, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return "", fault.Field(field, "is empty")
	}
	if utf8.RuneCountInString(value) > maxName {
		return "", fault.Field(field, fmt.Sprintf("has more than %d characters", maxName))
	}
	return value, nil
}
