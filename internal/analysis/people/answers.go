package people

import (
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// formPeople returns the founders that the answers of a questionnaire name, and last the person who filled it in. That
// person is left out if no answer has their name, if the name is the company's and founders are named, or if the text
// has few answers. If they are left out of a form, their role and email address are added to the founders: see
// fillOnly.
func (r *Finder) formPeople(rd *Names) []Mention {
	name, start, all := r.answeredNames(rd)
	if len(all) > 0 && name != "" && r.IsCompanyAnswer(rd, name) {
		name = "" // {"name": "Acme Robotics", "ceo": "Ann Lee"}
	}
	if name != "" && (rd.IsForm() || rd.AnswerTo("email") != "" && rd.AnswerTo("role") == "" || len(rd.Fields) >= 3) {
		submitter := Mention{
			Name: text.CleanName(name), Start: start, Kind: ByForm, Title: r.submitterTitle(rd.Text),
			Email: answerEmail(rd.Text),
		}
		submitter.Chief = r.isChief(submitter.Title)
		all = append(all, submitter)
	} else if len(all) > 0 && rd.IsForm() {
		r.fillOnly(rd.Text, all)
	}
	return all
}

// answeredNames returns the name of the person who filled in the questionnaire, the byte at which the answer begins,
// and the founders that the questionnaire names. The name is "" if no answer has it, and may be the company's: see
// IsCompanyAnswer.
func (r *Finder) answeredNames(rd *Names) (name string, start int, all []Mention) {
	for _, f := range rd.Fields {
		switch f.Kind {
		case "name":
			person, _ := r.beforeTitle(f.Value)
			if r.isPersonAnswer(person) && (name == "" || r.IsCompanyAnswer(rd, name)) {
				name, start = person, f.Start
			}
		case "first":
			name, start = strings.TrimSpace(f.Value+" "+rd.AnswerTo("last")), f.Start
		case "founder":
			all = append(all, r.founderAnswer(rd, f)...)
		}
	}
	return name, start, all
}

// beforeTitle splits "Imogen Vale, CEO" into the name and the title. If value has no title or begins with one, it
// returns value and "".
func (r *Finder) beforeTitle(value string) (name, title string) {
	if t, ok := r.titleIn(value); ok && t.Start > 1 {
		return strings.Trim(value[:t.Start], " ,(-–"), t.Text
	}
	return value, ""
}

// IsCompanyAnswer reports whether name, the answer to the question "Name", is the company's: no other answer names the
// company, and either name does not look like a person's, or another question asks for the person.
func (r *Finder) IsCompanyAnswer(rd *Names, name string) bool {
	return rd.AnswerTo("company") == "" && (r.Personness(rd, name) < 1 || asksTwice(rd.Text, name))
}

// asksTwice reports whether the name answers a plain "Name" while another question asks for the person, as "Contact
// person".
func asksTwice(rd *text.Text, name string) bool {
	bare, person := false, false
	for _, f := range rd.Fields {
		if f.Kind == "name" {
			bare = bare || lexicon.Fold(f.Label) == "name" && f.Value == name
			person = person || lexicon.Fold(f.Label) != "name"
		}
	}
	return bare && person
}

func (r *Finder) submitterTitle(rd *text.Text) string {
	if role := rd.AnswerTo("role"); role != "" {
		return role
	}
	for _, f := range rd.Fields {
		if _, title := r.beforeTitle(f.Value); f.Kind == "name" && title != "" {
			return title
		}
	}
	return ""
}

// fillOnly adds the answers for role and e-mail address to the people of a form: the role if all has one person, the
// address to that person or to the first one from whose name it is derived.
func (r *Finder) fillOnly(rd *text.Text, all []Mention) {
	if role := rd.AnswerTo("role"); role != "" && len(all) == 1 {
		all[0].Title = role
		all[0].Chief = r.isChief(role)
	}
	email := answerEmail(rd)
	local, _, _ := strings.Cut(email, "@")
	for i := range all {
		if email != "" && (len(all) == 1 || MatchesLocal(all[i].Name, local)) {
			all[i].Email = email
			return
		}
	}
}

// answerEmail returns the email address in the answer to a form's question for one, or "" if there is none.
func answerEmail(rd *text.Text) string {
	return text.FirstAddress(rd.AnswerTo("email"))
}

func (r *Finder) isPersonAnswer(value string) bool {
	n := utf8.RuneCountInString(value)
	if first, _ := utf8.DecodeRuneInString(value); lexicon.IsUnspaced(first) {
		return n <= 8
	}
	return n <= 60 && !strings.ContainsAny(value, "@/:") && len(strings.Fields(value)) <= 5 &&
		!strings.ContainsRune(value, text.Mask)
}

// founderAnswer returns the people in an answer such as "Tom Okafor (CEO), Liz Brandt (CTO)" or "Anders Kjær and Mina
// Sadeghi", all of them as chiefs. A part that begins with a title is that of the person named after it, as in "CEO Tom
// Okafor" (see behindTitle), else of the person before it. People without a title have that of the question, if any:
// see titleAsked. Parts that do not look like a person's name are left out.
func (r *Finder) founderAnswer(rd *Names, f text.Field) []Mention {
	title := titleAsked(f.Label)
	var all []Mention
	for _, item := range splitNames(f.Value) {
		name, own, _ := strings.Cut(item, "(")
		name, own = strings.Trim(name, " .-–"), strings.Trim(own, " )")
		if i := strings.IndexAny(name, "–-"); i > 0 && name[i-1] == ' ' {
			name, own = strings.TrimSpace(name[:i]), strings.Trim(name[i:], " –-")
		}
		t, ok := r.titleIn(name)
		if bearer := r.behindTitle(rd, name, t, all); bearer != "" {
			name, own = bearer, t.Text+" "+own
		} else if ok && len(all) > 0 && t.Start == 0 {
			all[len(all)-1].Title = name
			continue
		} else if ok && t.Start > 1 {
			name, own = strings.Trim(name[:t.Start], " ,-"), name[t.Start:]
		}
		m := Mention{
			Name: name, Title: titleOnly(r, own), Start: f.Start, Kind: ByForm, Chief: true, Email: text.FirstAddress(own),
		}
		if m.Title == "" {
			m.Title = title
		}
		if r.isPersonAnswer(name) && name != "" && lexicon.StartsUpper(name) {
			all = append(all, m)
		}
	}
	return all
}

// behindTitle returns the person in "CEO Tom Okafor", a part of an answer that begins with the title t; "" for none. If
// the last person of before has no title yet, the part may be theirs, as in "Ann Lee, CEO Blue Harbor": then the name
// after the title must begin with a given name or "Dr".
func (r *Finder) behindTitle(rd *Names, part string, t Title, before []Mention) string {
	least := 1
	if n := len(before); n > 0 && before[n-1].Title == "" {
		least = 3
	}
	name := strings.Trim(part[t.End:], " .:-–")
	if t.Text == "" || t.Start > 0 || r.Personness(rd, name) < least {
		return ""
	}
	return name
}

// titleAsked returns the label of a question if it is CEO, CTO or COO, in any case: the answer then names who has this
// title. It returns "" for other labels.
func titleAsked(label string) string {
	switch lexicon.Fold(label) {
	case "ceo", "cto", "coo":
		return strings.TrimSpace(label)
	}
	return ""
}

// titleOnly returns the first title in s, "" for none.
func titleOnly(r *Finder, s string) string {
	t, _ := r.titleIn(s)
	return t.Text
}

// splitNames splits a list of names at commas, semicolons, slashes, line ends, "&", "+" and words such as "and", but
// not inside round brackets. Parts have no spaces around them, and may be empty.
func splitNames(s string) []string {
	for _, joint := range lexicon.List("joints of names") {
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

// DeckPeople returns the founders and chiefs that a deck's slides name, mostly its team slide. number is the number of
// the document, from 1. It does not read pages after the first 24 KB. The Start of each mention is 1<<24 more than its
// byte in the deck, so that they are after those in the text of the submission. Their Org is "".
func (r *Finder) DeckPeople(d analysis.Document, number int) []Mention {
	const mostRead = 24 << 10
	var content strings.Builder
	for _, page := range d.Pages {
		if content.Len() > mostRead {
			break
		}
		content.WriteString(page)
		content.WriteString("\n\n")
	}
	rd := &Names{Text: text.Bare(content.String())}
	rd.Addresses = text.Addresses(rd.Plain)
	rd.Titles = r.titles(rd.Body, rd.Tokens)
	rd.Spans = r.spans(rd)
	var all []Mention
	for _, m := range append(r.titled(rd, rd.Spans), r.cjkPeople(rd.Text)...) {
		if m.Chief && r.Personness(rd, m.Name) >= 1 || m.Chief && lexicon.HasHan(m.Name) {
			m.Start += 1 << 24 // after those of the text
			m.Org, m.Doc = "", number
			all = append(all, m)
		}
	}
	return all
}

// Background returns the first sentence that contains the first word of name, a founder's, and says what somebody did
// before, as text.Tidy returns it; "" for none.
func (r *Finder) Background(rd *text.Text, name string) string {
	for i := range rd.Tokens {
		if i > 0 && rd.Tokens[i].Sentence == rd.Tokens[i-1].Sentence {
			continue
		}
		last := i
		for last+1 < len(rd.Tokens) && rd.Tokens[last+1].Sentence == rd.Tokens[i].Sentence {
			last++
		}
		content := rd.Body[rd.Tokens[i].Start:rd.Tokens[last].End]
		if !strings.Contains(content, lexicon.FirstWord(name)) {
			continue
		}
		for _, h := range r.words.People.Find(rd.Tokens[i : last+1]) {
			if h.Section == "background" {
				tidied, _ := text.Tidy(content)
				return tidied
			}
		}
	}
	return ""
}
