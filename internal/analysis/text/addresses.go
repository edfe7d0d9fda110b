package text

import (
	"mime"
	"net/mail"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// Address is an e-mail address exactly as in the text, from byte Start up to, not including, End.
type Address struct {
	Email        string
	Local, Label string   // "ann" and "acme" of "ann@acme.io"; set by Reader.Read alone
	Parts        []string // as LocalParts returns them; set by Reader.Read alone
	Start, End   int
}

// LocalParts returns the parts of an address before the "@" that may be names, in lower case: "ann" and "lee" of
// "Ann.Lee+deals". It returns nil for the address of an office.
func LocalParts(local string) []string {
	local, _, _ = strings.Cut(strings.ToLower(local), "+")
	if IsRoleAddress(local) {
		return nil
	}
	return strings.FieldsFunc(local, func(r rune) bool { return r < utf8.RuneSelf && (r < 'a' || r > 'z') })
}

// Addresses returns the e-mail addresses of a text in their order, repeated ones too; nil for none. What follows the
// "@" must be a host with a dot. An address has at most 64 bytes before the "@" and less than 256 after it: of a longer
// one, only the bytes nearest to the "@" are returned.
func Addresses(text string) []Address {
	const longest = 64
	var all []Address
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '@')
		if i < 0 {
			return all
		}
		at := from + i
		from = at + 1
		start, end := at, at+1
		for start > 0 && at-start < longest && lexicon.IsLocalByte(text[start-1]) {
			start--
		}
		for end < len(text) && end-at < 4*longest && lexicon.IsHostByte(text[end]) {
			end++
		}
		start += len(text[start:at]) - len(strings.TrimLeft(text[start:at], ".'-"))
		end -= len(text[at:end]) - len(strings.TrimRight(text[at:end], ".-"))
		if i := strings.LastIndexByte(text[at:end], '.'); start < at && i > 1 && end-at-i > 2 &&
			strings.Trim(text[at+i+1:end], "0123456789-") != "" {
			all = append(all, Address{Email: text[start:end], Start: start, End: end})
		}
	}
}

// FirstAddress returns the first e-mail address of a text, as it is written; "" for none.
func FirstAddress(text string) string {
	if all := Addresses(text); len(all) > 0 {
		return all[0].Email
	}
	return ""
}

// IsRoleAddress reports whether the part of an address before the "@", in lower case, is an office, such as "info" or
// "noreply", and not a person.
func IsRoleAddress(local string) bool {
	if strings.Contains(local, "noreply") || strings.Contains(local, "no-reply") ||
		strings.HasPrefix(local, "notification") {
		return true
	}
	return lexicon.In("offices of addresses", local)
}

// IsCompanyAddress reports whether the part of an address before the "@", in lower case, is an office, such as "info"
// or "sales", which suggests that the domain is the company's own. Other offices, such as "deals" or "noreply", do not:
// investors or services use them, too.
func IsCompanyAddress(local string) bool {
	return lexicon.In("offices of companies", local)
}

// ReadPerson parses "Ann Lee <ann@acme.io>", "ann@acme.io (Ann Lee)" and the like, also in encoded words. A missing
// part is "". The address is in lower case.
func ReadPerson(value string) (name, email string) {
	value = decodeWords(value)
	if a, err := mail.ParseAddress(strings.NewReplacer("[mailto:", "<", "]", ">").Replace(value)); err == nil &&
		a.Name != "" {
		return CleanName(a.Name), strings.ToLower(a.Address)
	}
	found := Addresses(value)
	if len(found) == 0 {
		return CleanName(value), ""
	}
	name = CleanName(value[:found[0].Start])
	if name == "" {
		name = CleanName(value[found[0].End:])
	}
	return name, strings.ToLower(found[0].Email)
}

// CleanName returns a name without brackets and quotes around it, without a " via " and what follows, and "Ann Lee" for
// "Lee, Ann" if both parts are single words. It returns "" if the name has an "@", a slash or a line end, or more than
// 60 characters.
func CleanName(s string) string {
	s = strings.Trim(s, " \"'<>()[]*,;:")
	s, _, _ = strings.Cut(s, " via ")
	if last, first, ok := strings.Cut(s, ", "); ok && !strings.Contains(first, " ") && !strings.Contains(last, " ") {
		s = first + " " + last
	}
	if strings.ContainsAny(s, "@/\n") || utf8.RuneCountInString(s) > 60 {
		return ""
	}
	return s
}

func decodeWords(s string) string {
	decoded, err := new(mime.WordDecoder).DecodeHeader(s)
	if err != nil {
		return s
	}
	return decoded
}

// IsFreeMail reports whether a host is a mail provider's.
func (r *Reader) IsFreeMail(host string) bool {
	return r.providers.Has(host)
}
