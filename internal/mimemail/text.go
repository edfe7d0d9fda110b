package mimemail

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// storable returns a text as Postgres can store it: with U+FFFD in place of invalid UTF-8, and without NUL characters.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// firstOf returns the first whole characters of a text that fit into length bytes.
func firstOf(text string, length int) string {
	if len(text) <= length {
		return text
	}
	for length > 0 && !utf8.RuneStart(text[length]) {
		length--
	}
	return text[:length]
}

// distinct returns the values, each once, in the order in which they first occur. It changes the given slice.
func distinct(values []string) []string {
	seen := make(map[string]bool, len(values))
	return slices.DeleteFunc(values, func(value string) bool {
		again := seen[value]
		seen[value] = true
		return again
	})
}
