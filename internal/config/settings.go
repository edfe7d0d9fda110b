package config

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
)

// APISettings returns the environment variables of cmd/api, each as NAME=default, for its help.
func APISettings() []string { return variables(reflect.TypeFor[API]()) }

// WorkerSettings returns the environment variables of cmd/worker, each as NAME=default, for its help.
func WorkerSettings() []string { return variables(reflect.TypeFor[Worker]()) }

func variables(settings reflect.Type) []string {
	var found []string
	for field := range settings.Fields() {
		if name := field.Tag.Get("env"); name != "" {
			found = append(found, name+"="+field.Tag.Get("envDefault"))
		} else if field.Type.Kind() == reflect.Struct {
			found = append(found, variables(field.Type)...)
		}
	}
	return found
}

// Misspelled returns a sentence for each variable of the environment that is not a setting, but whose name resembles
// that of one so much that it is probably a typing error. The sentence names both.
func Misspelled() []string {
	var known []string
	for _, settings := range []reflect.Type{
		reflect.TypeFor[API](), reflect.TypeFor[Worker](), reflect.TypeFor[Up](), reflect.TypeFor[Client](),
	} {
		for _, variable := range variables(settings) {
			name, _, _ := strings.Cut(variable, "=")
			known = append(known, name)
		}
	}
	var sentences []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(known, name) {
			continue
		}
		if near := slices.IndexFunc(known, func(setting string) bool { return resembles(name, setting) }); near >= 0 {
			sentences = append(sentences, fmt.Sprintf("%s is no setting and has no effect; did you mean %s?", name, known[near]))
		}
	}
	return sentences
}

// resembles reports whether name is probably a typing error for setting, which is in capitals: whether it differs by
// at most one letter or by two neighboring letters that changed places. Case, underscores, hyphens and dots do not
// count. It reports false for a setting of fewer than six characters, since other variables may have similar names.
func resembles(name, setting string) bool {
	if len(setting) < 6 {
		return false
	}
	plain := strings.NewReplacer("_", "", "-", "", ".", "")
	a, b := plain.Replace(strings.ToUpper(name)), plain.Replace(setting)
	start := commonStart(a, b)
	a, b = a[start:], b[start:]
	end := commonStart(reversed(a), reversed(b))
	a, b = a[:len(a)-end], b[:len(b)-end]
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return len(a) <= 1 && len(b) <= 1 || swapped
}

func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func reversed(text string) string {
	letters := []byte(text)
	slices.Reverse(letters)
	return string(letters)
}
