package mimemail

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
)

// decodeHead decodes the value of a header with addresses to UTF-8 text that can be stored in the database. It cuts a
// value that is longer than maxAddressField bytes.
func decodeHead(value string) string {
	text, _ := readable([]byte(firstOf(value, maxAddressField)), "")
	return strings.TrimSpace(storable(quoteWords(text)))
}

// ParseAddresses parses a header of addresses: names, groups, comments, encoded words, and much that mail programs
// write against the rules. It leaves out entries without an address and addresses of more than MaxAddress characters.
// It returns nil if none is left.
func ParseAddresses(list string) []*mail.Address {
	if list == "" {
		return nil
	}
	list = withoutRoutes(list)
	found, err := enmime.ParseAddressList(list)
	if err != nil {
		found = looseAddresses(list)
	}
	var kept []*mail.Address
	for _, a := range found {
		a.Address, a.Name = storable(strings.TrimSpace(a.Address)), strings.TrimSpace(decodeWords(a.Name))
		if a.Address != "" && utf8.RuneCountInString(a.Address) <= MaxAddress {
			kept = append(kept, a)
		}
	}
	return kept
}

// withoutRoutes returns addresses without the obsolete route before them: "<c@d>" for "<@a,@b:c@d>".
func withoutRoutes(list string) string {
	var out strings.Builder
	for {
		begin := strings.Index(list, "<@")
		if begin < 0 {
			break
		}
		out.WriteString(list[:begin+1])
		list = list[begin+1:]
		if end := strings.IndexAny(list, "<>\":"); end >= 0 && list[end] == ':' {
			list = list[end+1:]
		}
	}
	out.WriteString(list)
	return out.String()
}

// withoutComments returns the part of an address that is outside round brackets.
func withoutComments(address string) string {
	var out strings.Builder
	depth := 0
	for i := range len(address) {
		switch c := address[i]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth == 0:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// looseAddresses returns the first address in each piece between commas or semicolons. It skips pieces without one.
func looseAddresses(list string) []*mail.Address {
	var found []*mail.Address
	for _, piece := range splitOutsideQuotes(list) {
		if one, err := mail.ParseAddress(piece); err == nil {
			found = append(found, one)
		} else if one := looseAddress(piece); one != nil {
			found = append(found, one)
		}
	}
	return found
}

func looseAddress(piece string) *mail.Address {
	name, rest, bracketed := strings.Cut(piece, "<")
	if bracketed {
		address, _, _ := strings.Cut(withoutComments(rest), ">")
		if address = strings.Trim(strings.Join(strings.Fields(address), ""), "\"'"); strings.Contains(address, "@") {
			return &mail.Address{Name: strings.Trim(name, "\"' \t"), Address: strings.TrimPrefix(address, "mailto:")}
		}
	}
	for word := range strings.FieldsSeq(piece) {
		word = strings.Trim(word, "<>()[]\"',;:")
		if at := strings.LastIndexByte(word, '@'); at > 0 && at < len(word)-1 {
			before, _, _ := strings.Cut(piece, word)
			return &mail.Address{Name: strings.Trim(before, "\"'<([ \t"), Address: strings.TrimPrefix(word, "mailto:")}
		}
	}
	return nil
}

// splitOutsideQuotes cuts at commas and semicolons that are not quoted, in brackets or in a comment. If one of the
// quotes is never closed, none of them quotes anything.
func splitOutsideQuotes(list string) []string {
	var pieces []string
	quoted, depth, begin := false, 0, 0
	closes := strings.Count(list, `"`)%2 == 0
	for i := range len(list) {
		switch c := list[i]; {
		case c == '"' && closes:
			quoted = !quoted
		case quoted:
		case c == '<' || c == '(':
			depth++
		case c == '>' || c == ')':
			depth = max(0, depth-1)
		case (c == ',' || c == ';') && depth == 0:
			pieces = append(pieces, list[begin:i])
			begin = i + 1
		}
	}
	return append(pieces, list[begin:])
}

// MessageID returns the first Message-ID in a header in the form in which it is stored and compared: in angle brackets.
// In place of one that is longer than MaxID it returns a hash. It returns "" if there is none.
func MessageID(written string) string {
	if ids := messageIDs(written); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// messageIDs returns the Message-IDs in the first maxAddressField bytes of a header, each once, in the form that
// MessageID returns. Without any in angle brackets, it takes words with "@", or the only word.
func messageIDs(written string) []string {
	written, _ = readable([]byte(firstOf(written, maxAddressField)), "")
	seen := map[string]bool{}
	var found []string
	keep := func(id string) {
		id = strings.Join(strings.Fields(storable(id)), "")
		if id = "<" + id + ">"; id != "<>" && !seen[id] {
			seen[id] = true
			found = append(found, shortID(id))
		}
	}
	rest := written
	for {
		_, after, opened := strings.Cut(rest, "<")
		id, behind, closed := strings.Cut(after, ">")
		if !opened || !closed {
			break
		}
		keep(id)
		rest = behind
	}
	if len(found) == 0 {
		for word := range strings.FieldsSeq(written) {
			if strings.Contains(word, "@") || !strings.ContainsAny(strings.TrimSpace(written), " \t") {
				keep(strings.Trim(word, "<>"))
			}
		}
	}
	return found
}

// shortID returns the id, or a hash of it if it is too long to be stored.
func shortID(id string) string {
	if utf8.RuneCountInString(id) <= MaxID {
		return id
	}
	return ContentID([]byte(id))
}
