package analysis

import (
	"strings"
	"unicode/utf8"
)

// formPeople returns the people that the answers of a questionnaire name: the one who filled it in, and the founders.
func (r *Rules) formPeople(rd *reading) []mention {
	name, start := "", 0
	var all []mention
	for _, f := range rd.fields {
		switch f.kind {
		case "name":
			person, _ := r.beforeTitle(f.value)
			if r.isPersonAnswer(person) && (name == "" || r.isCompanyAnswer(rd, name)) {
				name, start = person, f.start
			}
		case "first":
			name, start = strings.TrimSpace(f.value+" "+rd.answerTo("last")), f.start
		case "founder":
			all = append(all, r.founderAnswer(f)...)
		}
	}
	if len(all) > 0 && name != "" && r.isCompanyAnswer(rd, name) {
		name = "" // {"name": "Acme Robotics", "ceo": "Ann Lee"}
	}
	if name != "" && (rd.isForm() || rd.answerTo("email") != "" && rd.answerTo("role") == "" || len(rd.fields) >= 3) {
		submitter := mention{
			name: cleanName(name), start: start, kind: byForm, title: r.submitterTitle(rd), email: rd.answerEmail(),
		}
		submitter.chief = r.isChief(submitter.title)
		all = append(all, submitter)
	} else if len(all) > 0 && rd.isForm() {
		r.fillOnly(rd, all)
	}
	return all
}

// beforeTitle parts "Imogen Vale, CEO" into the name and the title.
func (r *Rules) beforeTitle(value string) (name, title string) {
	if t, ok := r.titleIn(value); ok && t.start > 1 {
		return strings.Trim(value[:t.start], " ,(-–"), t.text
	}
	return value, ""
}

// isCompanyAnswer tells the answer to "Name" that is the company's, where another one asks for the person.
func (r *Rules) isCompanyAnswer(rd *reading, name string) bool {
	return rd.answerTo("company") == "" && (r.personness(rd, name) < 1 || rd.asksTwice(name))
}

// asksTwice reports whether the name answers a bare "Name", where another question asks for the person: "Contact
// person".
func (rd *reading) asksTwice(name string) bool {
	bare, person := false, false
	for _, f := range rd.fields {
		if f.kind == "name" {
			bare = bare || fold(f.label) == "name" && f.value == name
			person = person || fold(f.label) != "name"
		}
	}
	return bare && person
}

func (r *Rules) submitterTitle(rd *reading) string {
	if role := rd.answerTo("role"); role != "" {
		return role
	}
	for _, f := range rd.fields {
		if _, title := r.beforeTitle(f.value); f.kind == "name" && title != "" {
			return title
		}
	}
	return ""
}

// fillOnly returns the only founder of a form the role and the address that are beside their name.
func (r *Rules) fillOnly(rd *reading, all []mention) {
	if role := rd.answerTo("role"); role != "" && len(all) == 1 {
		all[0].title = role
		all[0].chief = r.isChief(role)
	}
	email := rd.answerEmail()
	local, _, _ := strings.Cut(email, "@")
	for i := range all {
		if email != "" && (len(all) == 1 || matchesLocal(all[i].name, local)) {
			all[i].email = email
			return
		}
	}
}

// answerEmail returns the address that a form asks for.
func (rd *reading) answerEmail() string {
	return firstAddress(rd.answerTo("email"))
}

func (r *Rules) isPersonAnswer(value string) bool {
	n := utf8.RuneCountInString(value)
	if first, _ := utf8.DecodeRuneInString(value); isUnspaced(first) {
		return n <= 8
	}
	return n <= 60 && !strings.ContainsAny(value, "@/:") && len(strings.Fields(value)) <= 5 &&
		!strings.ContainsRune(value, mask)
}

// founderAnswer reads "Tom Okafor (CEO), Liz Brandt (CTO)" or "Anders Kjær and Mina Sadeghi". An answer that is a title
// belongs to the name before it.
func (r *Rules) founderAnswer(f field) []mention {
	title := ""
	if folded := fold(f.label); folded == "ceo" || folded == "cto" || folded == "coo" {
		title = strings.TrimSpace(f.label)
	}
	var all []mention
	for _, item := range splitNames(f.value) {
		name, own, _ := strings.Cut(item, "(")
		name, own = strings.Trim(name, " .-–"), strings.Trim(own, " )")
		if i := strings.IndexAny(name, "–-"); i > 0 && name[i-1] == ' ' {
			name, own = strings.TrimSpace(name[:i]), strings.Trim(name[i:], " –-")
		}
		if t, ok := r.titleIn(name); ok && len(all) > 0 && t.start == 0 {
			all[len(all)-1].title = name
			continue
		} else if ok && t.start > 1 {
			name, own = strings.Trim(name[:t.start], " ,-"), name[t.start:]
		}
		m := mention{
			name: name, title: titleOnly(r, own), start: f.start, kind: byForm, chief: true, email: firstAddress(own),
		}
		if m.title == "" {
			m.title = title
		}
		if r.isPersonAnswer(name) && name != "" && startsUpper(name) {
			all = append(all, m)
		}
	}
	return all
}

// titleOnly returns the title in what is behind a name, without addresses.
func titleOnly(r *Rules, s string) string {
	t, _ := r.titleIn(s)
	return t.text
}

// splitNames parts a list of names at commas, semicolons and "and", not inside brackets.
func splitNames(s string) []string {
	for _, joint := range []string{
		" and ", " und ", " et ", " y ", " e ", " & ", " + ", " en ", " i ", " ve ", "、", "，", "和",
	} {
		s = strings.ReplaceAll(s, joint, ", ")
	}
	var parts []string
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',', ';', '/', '\n':
			if depth <= 0 {
				parts = append(parts, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

// deckPeople returns the founders and chiefs that a deck's slides name, mostly its team slide.
func (r *Rules) deckPeople(d Document, number int) []mention {
	const mostRead = 24 << 10
	var text strings.Builder
	for _, page := range d.Pages {
		if text.Len() > mostRead {
			break
		}
		text.WriteString(page)
		text.WriteString("\n\n")
	}
	rd := &reading{text: text.String()}
	rd.body = rd.text
	rd.tokens = tokenize(rd.body)
	rd.address = addresses(rd.text)
	rd.titleList = r.titles(rd.body, rd.tokens)
	rd.spanList = r.spans(rd)
	var all []mention
	for _, m := range append(r.titled(rd, rd.spanList), r.cjkPeople(rd)...) {
		if m.chief && r.personness(rd, m.name) >= 1 || m.chief && hasHan(m.name) {
			m.start += 1 << 24 // behind those of the text
			m.org, m.doc = "", number
			all = append(all, m)
		}
	}
	return all
}

// background returns the sentence that tells what a founder did before, if one names them.
func (r *Rules) background(rd *reading, name string) string {
	for i := range rd.tokens {
		if i > 0 && rd.tokens[i].sentence == rd.tokens[i-1].sentence {
			continue
		}
		last := i
		for last+1 < len(rd.tokens) && rd.tokens[last+1].sentence == rd.tokens[i].sentence {
			last++
		}
		text := rd.body[rd.tokens[i].start:rd.tokens[last].end]
		if !strings.Contains(text, firstWord(name)) {
			continue
		}
		for _, h := range r.people.find(rd.tokens[i : last+1]) {
			if h.section == "background" {
				tidied, _ := tidy(text)
				return tidied
			}
		}
	}
	return ""
}
