package ingest

import (
	"errors"
	"strings"

	"dealflow/internal/fault"
)

// reasonLength is how many characters the text of Reason has at most.
const reasonLength = 500

// Reason returns a text for people that says why a row or a mail was refused, such as "name is empty; the row has no
// text": the details of a fault.Error, or the message of an error without details. It cuts the text after reasonLength
// characters. err must not be nil.
func Reason(err error) string {
	text := err.Error()
	if refused, found := errors.AsType[*fault.Error](err); found && len(refused.Details) > 0 {
		var parts []string
		for _, d := range refused.Details {
			if d.Field == "body" {
				d.Field = "the row"
			}
			parts = append(parts, d.Field+" "+d.Message)
		}
		text = strings.Join(parts, "; ")
	}
	runes := []rune(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", ""))
	return string(runes[:min(len(runes), reasonLength)])
}
