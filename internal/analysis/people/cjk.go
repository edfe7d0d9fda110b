package people

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// cjkPeople returns the people that a Chinese, Japanese or Korean text names, most of them with a title; nil for a text
// in other scripts.
func (r *Finder) cjkPeople(rd *text.Text) []Mention {
	if lexicon.HasHangul(rd.Body) {
		return r.koreanPeople(rd)
	}
	if !lexicon.HasHan(rd.Body) {
		return nil
	}
	var all []Mention
	for _, m := range r.cjk.from.FindAllStringSubmatchIndex(rd.Body, -1) {
		all = append(all, Mention{Name: part(rd.Body, m, 1), Start: m[2], Kind: ByChannel})
	}
	for _, m := range r.cjk.bracketed.FindAllStringSubmatchIndex(rd.Plain, -1) {
		all = append(all, Mention{
			Name: part(rd.Plain, m, 1), Title: part(rd.Plain, m, 3), Org: part(rd.Plain, m, 2), Start: m[2], Chief: true,
		})
	}
	for _, m := range r.cjk.self.FindAllStringSubmatchIndex(rd.Body, -1) {
		all = append(all, Mention{
			Name: part(rd.Body, m, 3), Title: part(rd.Body, m, 2), Org: part(rd.Body, m, 1), Start: m[6], Kind: BySelf,
			Chief: m[4] >= 0,
		})
	}
	if lexicon.IsJapanese(rd.Body) {
		return append(all, r.japanesePeople(rd)...)
	}
	for _, m := range r.cjk.titledPerson.FindAllStringSubmatchIndex(rd.Body, -1) {
		all = append(all, Mention{Name: part(rd.Body, m, 2), Title: part(rd.Body, m, 1), Start: m[4], Chief: true})
	}
	return all
}

func (r *Finder) japanesePeople(rd *text.Text) []Mention {
	var all []Mention
	begins := func(s string) func(string) bool { return func(word string) bool { return strings.HasPrefix(s, word) } }
	for _, m := range r.cjk.japanese.FindAllStringSubmatchIndex(rd.Body, -1) {
		name := part(rd.Body, m, 2)
		if slices.ContainsFunc(lexicon.List("Japanese titles"),
			func(title string) bool { return strings.Contains(name, title) }) {
			continue
		}
		p := Mention{
			Name: name, Title: part(rd.Body, m, 1), Org: r.corporateBefore(rd.Body, m[0]), Start: m[4], Chief: true,
		}
		if slices.ContainsFunc(lexicon.List("Japanese ends of self-introductions"), begins(rd.Body[m[5]:])) {
			p.Kind = BySelf
		}
		all = append(all, p)
	}
	return all
}

func (r *Finder) koreanPeople(rd *text.Text) []Mention {
	var all []Mention
	for _, m := range r.cjk.korean.FindAllStringSubmatchIndex(rd.Body, -1) {
		p := Mention{
			Name: part(rd.Body, m, 3), Title: part(rd.Body, m, 2), Org: part(rd.Body, m, 1), Start: m[6], Chief: true,
		}
		if strings.HasPrefix(rd.Body[m[7]:], "입니다") || strings.HasPrefix(rd.Body[m[7]:], "이라고") ||
			strings.HasPrefix(rd.Body[m[7]:], "라고") {
			p.Kind = BySelf
		}
		all = append(all, p)
	}
	return all
}

func part(s string, m []int, group int) string {
	if m[2*group] < 0 {
		return ""
	}
	return strings.TrimSpace(s[m[2*group]:m[2*group+1]])
}

// corporateBefore returns the name of the last firm in the 90 bytes before byte at, at which the title of a person
// begins: "株式会社アオバ電機" for "株式会社アオバ電機の代表取締役". It returns "" if there is none.
func (r *Finder) corporateBefore(body string, at int) string {
	before := body[max(0, at-90):at]
	all := r.cjk.corporate.FindAllString(before, -1)
	if len(all) == 0 {
		return ""
	}
	return firmName(all[len(all)-1])
}

// firmName returns a firm's name without the words around it: if s begins with "株式会社", it removes the first particle
// after the name and all that follows it; if s ends with "株式会社", it removes all up to the last particle before. It
// returns any other s as it is.
func firmName(s string) string {
	const form = "株式会社"
	if name, ok := strings.CutPrefix(s, form); ok {
		if i := strings.IndexAny(name, "のはがをにでともや"); i > 0 {
			name = name[:i]
		}
		return form + name
	}
	if name, ok := strings.CutSuffix(s, form); ok {
		if i := strings.LastIndexAny(name, "はがをにでともや"); i >= 0 {
			_, size := utf8.DecodeRuneInString(name[i:])
			name = name[i+size:]
		}
		return name + form
	}
	return s
}

// cjkHeading returns the name at the beginning of a note: "微澜医疗:上周…", "カゼノネ(風力…)", "麦田物联 – 之前…". It returns "" for a
// letter, a mail, a chat or a form, for a note that begins otherwise, and for a word that is known, such as a stage.
func (r *Finder) cjkHeading(rd *Scene) string {
	if rd.IsLetter() || len(rd.Mails) > 0 || rd.Chat.Ok || rd.IsForm() {
		return ""
	}
	m := r.cjk.heading.FindStringSubmatch(strings.TrimLeft(rd.Body, " \n"))
	if m == nil || !lexicon.HasHan(m[1]) || r.words.Form.Exact(m[1]) != "" || r.words.Mail.Exact(m[1]) != "" ||
		r.words.Stages.Exact(m[1]) != "" || r.words.Source.Exact(m[1]) != "" {
		return ""
	}
	return m[1]
}

// CjkCompanies returns the names of the firms that a Chinese or Japanese text mentions, some of them more than once;
// nil for a text in other scripts.
func (r *Finder) CjkCompanies(rd *Scene) []string {
	if !lexicon.HasHan(rd.Body) {
		return nil
	}
	var all []string
	if name := r.cjkHeading(rd); name != "" {
		all = append(all, name)
	}
	for _, m := range r.cjk.corporate.FindAllString(rd.Body, -1) {
		all = append(all, firmName(m))
	}
	for _, m := range r.cjk.own.FindAllStringSubmatch(rd.Body, -1) {
		all = append(all, m[1])
	}
	for _, m := range r.cjk.bracketed.FindAllStringSubmatch(rd.Plain, -1) {
		all = append(all, strings.TrimSpace(m[2]))
	}
	if !lexicon.IsJapanese(rd.Body) {
		for _, pattern := range []*regexp.Regexp{r.cjk.chiefs, r.cjk.defined} {
			for _, m := range pattern.FindAllStringSubmatch(rd.Body, -1) {
				all = append(all, m[1])
			}
		}
		for _, m := range r.cjk.company.FindAllStringSubmatch(rd.Body, -1) {
			all = append(all, m[1])
		}
	}
	return all
}
