package form

import _ "embed"

// Examples of what form tools send. "TRIAL-ID" in them is replaced by a new id each time.
var (
	//go:embed trials/tally.json
	trialTally string
	//go:embed trials/typeform.json
	trialTypeform string
)

// Tool is a form tool whose submissions an integration can receive. Read parses what the tool sends; its error is
// InvalidBody.
type Tool struct {
	Name            string // the name that clients use: the kind of its integrations
	Label           string // the name for people
	IntegrationType string // of its submissions
	Header          string // the header with its signature of the body
	Prefix          string // of the signature, before the base64 of an HMAC-SHA256
	SignsCompact    bool   // whether it may sign the body without white space
	Trial           string // an example of what it sends

	Read func(body []byte) (Incoming, error)
}

// Tools returns every form tool that is accepted.
func Tools() []Tool {
	return []Tool{
		{
			Name: "tally", Label: "Tally", IntegrationType: IntegrationA,
			Header: "Tally-Signature", SignsCompact: true, Trial: trialTally, Read: ReadTally,
		},
		{
			Name: "typeform", Label: "Typeform", IntegrationType: IntegrationB,
			Header: "Typeform-Signature", Prefix: "sha256=", Trial: trialTypeform, Read: ReadTypeform,
		},
	}
}

// ToolNamed returns the form tool with a name, and whether there is one.
func ToolNamed(name string) (tool Tool, found bool) {
	for _, tool := range Tools() {
		if tool.Name == name {
			return tool, true
		}
	}
	return Tool{}, false
}

// ToolNames returns the names of all form tools.
func ToolNames() (names []string) {
	for _, tool := range Tools() {
		names = append(names, tool.Name)
	}
	return names
}

// Types returns every type that a submission may have.
func Types() (types []string) {
	for _, tool := range Tools() {
		types = append(types, tool.IntegrationType)
	}
	return append(types, Manual)
}

// typeOf returns the type of submissions for the name of a form tool, or for the type itself, and whether there is one.
// For "" it returns Manual.
func typeOf(name string) (integrationType string, found bool) {
	if name == "" || name == Manual {
		return Manual, true
	}
	for _, tool := range Tools() {
		if name == tool.Name || name == tool.IntegrationType {
			return tool.IntegrationType, true
		}
	}
	return "", false
}
