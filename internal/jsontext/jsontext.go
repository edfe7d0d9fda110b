// Package jsontext checks that the JSON of requests, and of rows of files, can be stored exactly as it was sent.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// Limits of JSON beyond its syntax. Postgres stores neither NUL nor half a surrogate pair, and not every size of
// number. Whatever Postgres would change or refuse is refused here, so that clients read exactly what they have sent.
const (
	maxDepth        = 100
	maxNumberLength = 400 // characters
	maxExponent     = 308 // as in a double
)

// ReadRow decodes a row of a file, which must be one JSON object, into the value that into points to. The error is
// InvalidBody if the row is not an object in UTF-8 of the form of into, and for what Check refuses; into may then be
// partly set.
func ReadRow(row []byte, into any) error {
	if !utf8.Valid(row) {
		return fault.Field("body", "is not valid UTF-8: if it has another charset, name it in Content-Type")
	}
	if string(bytes.TrimSpace(row)) == "null" { // no error of package json
		return fault.Field("body", "must be a JSON object, not a JSON null")
	}
	if err := json.Unmarshal(row, into); err != nil {
		return fault.JSON(err)
	}
	if err := checkValid(row); err != nil {
		return fault.Field(Blame(row), err.Error())
	}
	return nil
}

// Blame returns the name of the first member, in the order of the names, whose value Check refuses. It returns "body"
// if there is none, or if object is not a JSON object.
func Blame(object []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) == nil {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if Check(members[name]) != nil {
				return name
			}
		}
	}
	return "body"
}

// Check returns nil if text is valid JSON that can be stored without a change, and otherwise an error that says what is
// wrong. It refuses invalid UTF-8, NUL characters, half a surrogate pair, nesting deeper than maxDepth, and numbers
// that are too long or have too large an exponent. It checks the text itself, since decoding would replace some of
// these without an error.
func Check(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("is not valid UTF-8")
	}
	if !json.Valid(text) {
		return errors.New("is not valid JSON")
	}
	return checkValid(text)
}

// checkValid is Check for text that is valid JSON in UTF-8.
func checkValid(text []byte) error {
	for i, depth := 0, 0; i < len(text); {
		length := 1
		var err error
		switch char := text[i]; {
		case char == '"':
			length, err = checkString(text[i:])
		case char == '-' || char >= '0' && char <= '9':
			length, err = checkNumber(text[i:])
		case char == '{' || char == '[':
			depth++
		case char == '}' || char == ']':
			depth--
		}
		if depth > maxDepth {
			err = fmt.Errorf("is nested deeper than %d levels", maxDepth)
		}
		if err != nil {
			return err
		}
		i += length
	}
	return nil
}

// checkString returns the length, in bytes and with both quotes, of the JSON string at the beginning of text, which
// must be valid JSON. It returns the error of checkEscape for an escape that is refused.
func checkString(text []byte) (int, error) {
	for i := 1; ; i++ {
		switch {
		case text[i] == '"':
			return i + 1, nil
		case text[i] != '\\':
		case text[i+1] != 'u':
			i++
		default:
			skip, err := checkEscape(text[i:])
			if err != nil {
				return 0, err
			}
			i += skip - 1
		}
	}
}

// checkEscape returns the length in bytes of the escape \uXXXX at the beginning of text, or of the two escapes of a
// surrogate pair. It returns an error for NUL and for half a pair. text must be the rest of valid JSON.
func checkEscape(text []byte) (int, error) {
	const length = len(`\u0000`)
	first := hex(text[2:length])
	if first == 0 {
		return 0, errors.New("holds a NUL character")
	}
	if !utf16.IsSurrogate(first) {
		return length, nil
	}
	rest := text[length:]
	if bytes.HasPrefix(rest, []byte(`\u`)) && utf16.DecodeRune(first, hex(rest[2:length])) != utf8.RuneError {
		return 2 * length, nil
	}
	return 0, errors.New("holds half of a surrogate pair")
}

func hex(digits []byte) rune {
	value, _ := strconv.ParseUint(string(digits), 16, 16) // json.Valid has checked that they are digits
	return rune(value)
}

// checkNumber returns the length in bytes of the JSON number at the beginning of text. It returns an error for a number
// of more than maxNumberLength characters, and for an exponent above maxExponent or below its negative.
func checkNumber(text []byte) (int, error) {
	length := bytes.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && r != '-' && r != '+' && r != '.' && r != 'e' && r != 'E'
	})
	if length < 0 {
		length = len(text)
	}
	number := text[:length]
	if length > maxNumberLength {
		return 0, fmt.Errorf("holds a number of more than %d characters", maxNumberLength)
	}
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		exponent, err := strconv.Atoi(string(number[e+1:]))
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return 0, fmt.Errorf("holds a number whose exponent is beyond %d", maxExponent)
		}
	}
	return length, nil
}
