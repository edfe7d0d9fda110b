package creation

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"dealflow/internal/email"
)

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// oneLine returns a text as one line, with each run of white space in it replaced by one space, and none at its ends.
// So a value from outside cannot begin a new line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// emailText returns an email as the text from which a company is created: lines with its sender, date and subject, an
// empty line, and its content.
func emailText(mail email.Email) string {
	from := oneLine(mail.FromEmail)
	if name := oneLine(mail.FromName); name != "" {
		from = name + " <" + from + ">"
	}
	subject := ""
	if mail.Subject != nil {
		subject = oneLine(*mail.Subject)
	}
	return "From: " + from + "\nDate: " + sentAt(mail) + "\nSubject: " + subject + "\n\n" + mail.Content
}

// sentAt returns the date of an email in the form of a mail's header: the one in its metadata, or, if there is none,
// when the email arrived. It returns a date that it cannot parse unchanged, in one line.
func sentAt(mail email.Email) string {
	var own struct {
		Date string `json:"date"`
	}
	_ = json.Unmarshal(mail.Metadata, &own) // metadata that a client gave may hold anything there
	if sent, err := time.Parse(time.RFC3339, own.Date); err == nil {
		return sent.Format(time.RFC1123Z)
	}
	if own.Date != "" {
		return oneLine(own.Date)
	}
	return mail.CreatedAt.UTC().Format(time.RFC1123Z)
}

// answer is one answer of a form submission.
type answer struct {
	Key   string          `json:"key"`
	Label *string         `json:"label"`
	Type  *string         `json:"type"`
	Value json.RawMessage `json:"value"`
}

// option is one of the choices of a question. The value of the answer is the id of the chosen option, or a list of such
// ids.
type option struct {
	ID    any     `json:"id"`
	Text  *string `json:"text"`
	Label *string `json:"label"`
}

// formText returns the answers of a form as the text from which a company is created: a line such as "Name: Acme" for
// each answer. It leaves out answers that are empty or of an unknown shape, and the boxes that isTick reports. The
// error is about data that is not a list.
func formText(data json.RawMessage) (string, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return "", err
	}
	var lines []string
	for _, one := range raw {
		var a answer
		if err := json.Unmarshal(one, &a); err != nil {
			continue // elements of other shapes are refused on arrival
		}
		if value := a.words(one); !isBlank(value) && !a.isTick() {
			lines = append(lines, a.title()+": "+value)
		}
	}
	return strings.Join(lines, "\n"), nil
}

// isTick reports whether the answer is one box of a question with checkboxes. After the answer to the whole question,
// Tally sends each of its boxes as an answer of its own, which is true or false.
func (a answer) isTick() bool {
	return a.Type != nil && *a.Type == "CHECKBOXES" && (string(a.Value) == "true" || string(a.Value) == "false")
}

func (a answer) title() string {
	title := oneLine(a.Key)
	if a.Label != nil && !isBlank(*a.Label) {
		title = oneLine(*a.Label)
	}
	return strings.TrimRight(title, ": ")
}

// words returns the answer's value as text, with the texts of options in place of their ids; "" if there is no value.
// raw is the whole answer as JSON.
func (a answer) words(raw json.RawMessage) string {
	var choices struct {
		Options []option `json:"options"`
	}
	_ = json.Unmarshal(raw, &choices) // options of another shape name nothing
	texts := map[string]string{}
	for _, o := range choices.Options {
		if id, named := o.ID.(string); named && o.Text != nil {
			texts[id] = *o.Text
		} else if named && o.Label != nil {
			texts[id] = *o.Label
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(a.Value))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return ""
	}
	return say(value, texts)
}

// say returns a value of JSON as text: "yes" or "no" for a boolean, the elements of a list separated by commas, "" for
// null; for an object its link, text, label or email address, or else its members as "name: value". texts has the texts
// of options by their ids.
func say(value any, texts map[string]string) string {
	switch v := value.(type) {
	case string:
		if text, known := texts[v]; known {
			return text
		}
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case []any:
		return sayAll(v, texts)
	case map[string]any:
		return sayMembers(v, texts)
	default:
		return ""
	}
}

func sayAll(values []any, texts map[string]string) string {
	var said []string
	for _, value := range values {
		if words := say(value, texts); words != "" {
			said = append(said, words)
		}
	}
	return strings.Join(said, ", ")
}

func sayMembers(members map[string]any, texts map[string]string) string {
	for _, name := range []string{"url", "file_url", "text", "label", "email"} {
		if words, is := members[name].(string); is && words != "" {
			return words
		}
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if words := say(members[name], texts); words != "" {
			said = append(said, say(name, texts)+": "+words)
		}
	}
	return strings.Join(said, "; ")
}
