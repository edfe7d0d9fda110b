package webhook

import "dealflow/internal/changes"

// TypeTest is the type of a message that Test sends. Such a message is about no change.
const TypeTest = "webhook.test"

// Types returns the types of messages that a webhook can choose. TypeTest is not one of them.
func Types() []string {
	var types []string
	for _, kind := range changes.Kinds() {
		for _, action := range changes.Actions() {
			types = append(types, kind+"."+action)
		}
	}
	return types
}
