package email

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"dealflow/internal/blank"
	"dealflow/internal/fault"
	"dealflow/internal/jsontext"
	"dealflow/internal/mimemail"
)

// jsonRow is an email as one JSON object.
type jsonRow struct {
	ExternalID  string          `json:"external_id"`
	MessageID   string          `json:"message_id"`
	FromEmail   string          `json:"from_email"`
	FromName    string          `json:"from_name"`
	ToEmails    oneOrMore       `json:"to_emails"`
	Subject     *string         `json:"subject"`
	Content     string          `json:"content"`
	HTML        string          `json:"html"`
	Date        string          `json:"date"`
	Tags        oneOrMore       `json:"tags"`
	Metadata    json.RawMessage `json:"metadata"`
	Attachments []jsonFile      `json:"attachments"`
}

type jsonFile struct {
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	Content     string `json:"content_base64"`
}

// oneOrMore is a list of strings. In JSON, a single string may replace a list with one element.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if raw[0] == '"' {
		*o = make(oneOrMore, 1)
		return json.Unmarshal(raw, &(*o)[0])
	}
	return json.Unmarshal(raw, (*[]string)(o))
}

// ReadRow reads an email that is one JSON object, such as a line of NDJSON. HTML is used only if there is no content.
// If the object has no id, ExternalID is a hash of its content. Of many attachments the last are put into an archive,
// as mimemail.Pack does. The error is InvalidBody for what jsontext.ReadRow refuses; for a missing or invalid sender;
// for an invalid date, metadata or base64; and for what Check refuses.
func ReadRow(raw []byte) (Message, error) {
	var row jsonRow
	if err := jsontext.ReadRow(raw, &row); err != nil {
		return Message{}, err
	}
	m := Message{
		Draft: Draft{ToEmails: addressesIn(row.ToEmails), Subject: row.Subject, Content: row.Content, Tags: row.Tags},
	}
	if m.Content == "" && row.HTML != "" {
		m.Content = mimemail.HTMLText(row.HTML)
	}
	m.ExternalID = row.knownAs()
	problems := row.sender(&m)
	problems = append(problems, row.dated(&m)...)
	for i, file := range row.Attachments {
		content, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(file.Content), ""))
		if err != nil {
			problems = append(problems, fault.Detail{
				Field: fmt.Sprintf("attachments.%d.content_base64", i), Message: "is not base64",
			})
		}
		m.Files = append(m.Files, incoming(file, content, i))
	}
	if len(problems) > 0 {
		return Message{}, fault.New(fault.InvalidBody, "invalid_field", problems...)
	}
	m.Files, _ = mimemail.Pack(m.Files)
	return m, m.check()
}

// knownAs returns the ExternalID of the email: the external id that was given, else the Message-ID, else a hash of the
// row without its tags and metadata.
func (r jsonRow) knownAs() string {
	switch id := strings.TrimSpace(r.ExternalID); {
	case strings.HasPrefix(id, "<") && mimemail.MessageID(id) != "":
		return mimemail.MessageID(id)
	case id != "":
		return id
	case mimemail.MessageID(r.MessageID) != "":
		return mimemail.MessageID(r.MessageID)
	}
	r.Tags, r.Metadata = nil, nil // they are the team's, and not part of the email
	encoded, _ := json.Marshal(r) // strings and lists of strings
	return mimemail.ContentID(encoded)
}

func (r jsonRow) sender(m *Message) []fault.Detail {
	if strings.TrimSpace(r.FromEmail) == "" {
		return []fault.Detail{{Field: "from_email", Message: "is required"}}
	}
	found := mimemail.ParseAddresses(r.FromEmail)
	if len(found) == 0 {
		return []fault.Detail{{Field: "from_email", Message: "is no email address"}}
	}
	m.FromEmail, m.FromName = found[0].Address, r.FromName
	if m.FromName == "" {
		m.FromName = found[0].Name
	}
	return nil
}

// addressesIn returns the addresses in texts that may also contain names. A text without an address is returned without
// the space around it.
func addressesIn(given []string) []string {
	var all []string
	for _, one := range given {
		found := mimemail.ParseAddresses(one)
		if len(found) == 0 {
			all = append(all, strings.TrimSpace(one))
		}
		for _, a := range found {
			all = append(all, a.Address)
		}
	}
	return all
}

// dated sets the metadata of m to the metadata of the row. If the row has a date, it is added as the member "date", in
// UTC. dated returns what is wrong with the metadata or the date, or nil.
func (r jsonRow) dated(m *Message) []fault.Detail {
	m.Metadata = r.Metadata
	if string(r.Metadata) == "null" {
		m.Metadata = nil
	}
	members := map[string]json.RawMessage{}
	if m.Metadata != nil && (json.Unmarshal(m.Metadata, &members) != nil || members == nil) {
		return []fault.Detail{{Field: "metadata", Message: "must be a JSON object"}}
	}
	if strings.TrimSpace(r.Date) == "" {
		return nil
	}
	when, err := mimemail.ParseDate(r.Date)
	if err != nil {
		return []fault.Detail{{Field: "date", Message: "is no date: write it as in RFC 3339, such as 2026-03-02T10:00:00Z"}}
	}
	members["date"] = json.RawMessage(`"` + when.UTC().Format(time.RFC3339) + `"`)
	m.Metadata, _ = json.Marshal(members) // every member was read from JSON
	return nil
}

func incoming(file jsonFile, content []byte, position int) mimemail.File {
	kind, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(file.ContentType)), ";")
	if kind == "" {
		kind = "application/octet-stream"
	}
	name := blank.Trim(file.Filename[strings.LastIndexAny(file.Filename, `/\`)+1:])
	if name == "" {
		name = fmt.Sprintf("attachment %d", position+1)
	}
	return mimemail.File{Filename: name, ContentType: kind, Content: content}
}
