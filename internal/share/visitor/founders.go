package visitor

import (
	"encoding/json"
	"strings"
)

// maxFounders is the maximum number of founders of a company that are on a page.
const maxFounders = 50

// founder is a founder in a company's metadata. Each field is "" if the metadata has no text for it.
type founder struct {
	Name, Title, Background, Email, Phone, LinkedIn string
}

// readMetadata returns the summary and at most maxFounders founders from a company's metadata. Clients may store any
// JSON there: readMetadata skips values that do not have the expected type, and founders without any known value.
func readMetadata(metadata []byte) (summary string, founders []founder) {
	var members struct {
		Summary  json.RawMessage `json:"ai_analysis"`
		Founders json.RawMessage `json:"founders"`
	}
	if json.Unmarshal(metadata, &members) != nil {
		return "", nil
	}
	var people []json.RawMessage
	if json.Unmarshal(members.Founders, &people) != nil {
		people = nil
	}
	for _, person := range people {
		var fields map[string]json.RawMessage
		if json.Unmarshal(person, &fields) != nil {
			continue
		}
		person := founder{
			Name: text(fields["name"]), Title: text(fields["title"]), Background: text(fields["background"]),
			Email: text(fields["email"]), Phone: text(fields["phone"]), LinkedIn: text(fields["linkedin_profile"]),
		}
		if person != (founder{}) && len(founders) < maxFounders {
			founders = append(founders, person)
		}
	}
	return text(members.Summary), founders
}

// text returns the value of a JSON string without white space around it. It returns "" for any other JSON.
func text(raw json.RawMessage) string {
	var value string
	if json.Unmarshal(raw, &value) != nil {
		return ""
	}
	return strings.TrimSpace(value)
}
