package founders

import (
	"slices"
	"sort"
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// Founders returns the company's founders and chiefs among the people that the text and its documents name, with their
// contacts and the evidence for each, in the order in which they are named. company is the company's name. Founders
// leaves out referrers, advisers, bankers and the investor's own people, and all after the first 12.
func (r *Finder) Founders(rd *naming.Subject, in analysis.Input, company string) []Found {
	persons := append([]people.Mention{}, rd.Mentions...)
	for i, d := range in.Documents {
		persons = append(persons, r.people.DeckPeople(d, i+1)...)
	}
	outsiders := r.Outsiders(rd.Scene, persons, company)
	var kept []people.Mention
	for _, p := range persons {
		if !outsiders[lexicon.Squeeze(p.Name)] && r.isFounder(rd, p, persons) {
			kept = merge(kept, p)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].Start < kept[j].Start })
	const most = 12
	kept = kept[:min(len(kept), most)]
	list := make([]analysis.Founder, 0, len(kept))
	for i := range kept {
		kept[i].Name = wholeName(rd.Text, kept[i].Name)
	}
	for _, p := range kept {
		list = append(list, analysis.Founder{Name: people.PlainName(p.Name), Title: p.Title, Email: p.Email})
	}
	r.FillContacts(rd.Cast, list)
	found := make([]Found, 0, len(list))
	for i, f := range list {
		found = append(found, Found{Founder: f, Decision: r.FounderDecision(rd.Scene, in, f, kept[i], len(list))})
	}
	return found
}

// wholeName returns the full name of a sender or recipient of a mail whose first name is name: "Ann Lee" for "Ann" if a
// mail is from "Ann Lee". It returns other names unchanged.
func wholeName(rd *text.Text, name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	for _, h := range rd.Mails {
		for _, one := range append([]string{h.Name}, h.To...) {
			if full, _ := text.ReadPerson(one); strings.Contains(full, " ") &&
				lexicon.Fold(lexicon.FirstWord(full)) == lexicon.Fold(name) &&
				len(strings.Fields(full)) <= 4 {
				return full
			}
		}
	}
	return name
}

// Found is a founder, with the evidence that they are one.
type Found struct {
	analysis.Founder
	Decision evidence.Decision
}

// FounderDecision returns the decision that f is a founder: their name, else their address, the features from which the
// confidence is computed, and the span in which they are named. m is the mention of f, and others the number of all
// founders found, f included. Confidence is not set.
func (r *Finder) FounderDecision(rd *people.Scene, in analysis.Input, f analysis.Founder, m people.Mention,
	others int,
) evidence.Decision {
	d := evidence.Decision{Value: f.Name, Features: evidence.Features{m.Kind.String(): 1}}
	if d.Value == "" {
		d.Value = f.Email
	}
	local, host, _ := strings.Cut(f.Email, "@")
	d.Features.Set("confirmed", m.Seen > 0)
	d.Features.Set("chief", m.Chief)
	d.Features.Set("address", f.Email != "")
	d.Features.Set("own_address", f.Email != "" && people.MatchesLocal(f.Name, local))
	d.Features.Set("free_address", f.Email != "" && r.text.IsFreeMail(host))
	d.Features.Set("one_word", !strings.Contains(f.Name, " ") && !lexicon.HasHan(f.Name))
	d.Features.Set("stranger", r.people.Personness(rd.Names, f.Name) < 1 && !lexicon.HasHan(f.Name))
	d.Features.Set("several", others > 1)
	d.Features.Set("many", others > 3)
	d.Features.Set("introduced", rd.Introduces)
	if m.Doc > 0 {
		d.Features.Set("deck", true)
		d.At = evidence.SpanOnPage(in.Documents[m.Doc-1], m.Doc, f.Name)
		return d
	}
	d.At = rd.SpanOfName(f.Name, m.Start)
	if d.At.Literal != "" {
		d.At = rd.SpanOfName(lexicon.FirstWord(f.Name), m.Start).Or(d.At)
	}
	return d
}

// Outsiders returns the names, squeezed, of the people who cannot be founders: those with a title that is not a
// founder's or chief's, those of another company, and those whom the text only greets. It also returns the company's
// own name if a mention has it and isNoPerson reports true for it.
func (r *Finder) Outsiders(rd *people.Scene, persons []people.Mention, company string) map[string]bool {
	out := map[string]bool{}
	own := lexicon.Squeeze(company)
	for _, p := range persons {
		org := lexicon.Squeeze(r.naming.Brand(p.Org))
		foreign := org != "" && own != "" && !strings.HasPrefix(org, own) && !strings.HasPrefix(own, org)
		switch {
		case own != "" && lexicon.Squeeze(p.Name) == own && r.isNoPerson(rd.Names, p.Name),
			p.Title != "" && !p.Chief && !rd.AlsoChief(p.Name),
			foreign && r.isOfAnotherCompany(rd, p), isSpokenTo(rd, p):
			out[lexicon.Squeeze(p.Name)] = true
		}
	}
	return out
}

// isOfAnotherCompany reports whether a person certainly belongs to p.Org, the company named with them. The caller has
// found that p.Org is not the company that the text is about.
func (r *Finder) isOfAnotherCompany(rd *people.Scene, p people.Mention) bool {
	return p.Kind == people.BySignature || p.Kind == people.ByTitle && (r.words.IsInvestorName(p.Org) || rd.Introduces)
}

// isSpokenTo reports whether the text only greets this person: they write nothing in it, and have no founder's title.
func isSpokenTo(rd *people.Scene, p people.Mention) bool {
	greeted := rd.Greeted[lexicon.Squeeze(p.Name)] || rd.Greeted[lexicon.Squeeze(lexicon.FirstWord(p.Name))]
	return greeted && !rd.AlsoChief(p.Name) && !speaks(rd.Cast, p.Name)
}

// isNoPerson reports whether a name that equals the company's is not also a person's: "Pepperwood AI" as the sender of
// a mail, "Kelp & Sons".
func (r *Finder) isNoPerson(rd *people.Names, name string) bool {
	last := name[strings.LastIndexByte(name, ' ')+1:]
	return !r.words.Given[lexicon.Fold(lexicon.FirstWord(name))] || r.words.Company.Exact(last) != "" ||
		r.people.Personness(rd, name) < 1
}

// speaks reports whether this person says or writes something in the text, or is the one to whom the investor writes. A
// signature counts only above a quoted mail, and only if the person is no recipient.
func speaks(rd *people.Cast, name string) bool {
	for _, p := range rd.Mentions {
		if !people.SamePerson(p.Name, name) {
			continue
		}
		switch p.Kind { //nolint:exhaustive // the others do not show who speaks
		case people.BySelf, people.ByForm, people.ByChannel, people.ByRecipient, people.ByChat:
			return true
		case people.BySignature: // whoever signs the answer may be greeted in what it quotes
			if rd.Quotes() && !rd.IsQuoted(p.Start) && !isAddressee(rd.Text, name) {
				return true
			}
		}
	}
	return wrote(rd.Text, name)
}

// wrote reports whether a mail in the text is from this person. It compares only letters and digits of the names.
func wrote(rd *text.Text, name string) bool {
	for _, h := range rd.Mails {
		if lexicon.Squeeze(h.Name) == lexicon.Squeeze(name) {
			return true
		}
	}
	return false
}

// isFounder reports whether a mention shows, by its kind, that the person is one of the company's founders or chiefs.
// persons are all mentions.
func (r *Finder) isFounder(rd *naming.Subject, p people.Mention, persons []people.Mention) bool {
	switch p.Kind {
	case people.ByTitle:
		return p.Chief
	case people.ByForm, people.ByMeeting, people.ByRecipient:
		return true
	case people.BySender:
		return r.isFounderMail(rd, p)
	case people.BySignature:
		return r.signsAsFounder(rd, p, persons)
	case people.ByDeed:
		return p.Org == "" || r.isOfCompany(rd, p)
	case people.BySelf, people.ByChannel, people.ByChat, people.ByContact, people.BySpoken:
		return r.speaksAsFounder(rd, p, persons)
	}
	return false
}

// speaksAsFounder reports whether a mention of kind BySelf, ByChannel, ByChat, ByContact or BySpoken shows a founder:
// in the first four kinds the person writes or speaks, in the last others talk about them.
func (r *Finder) speaksAsFounder(rd *naming.Subject, p people.Mention, persons []people.Mention) bool {
	if p.Kind == people.BySpoken {
		return r.isSpokenOf(rd, p) && !people.HasChief(persons)
	}
	if p.Kind == people.ByContact {
		return !rd.Replies && !people.HasChief(persons) && r.writesFor(rd, p)
	}
	if rd.Introduces || p.Kind == people.BySelf && rd.Replies {
		return false
	}
	return p.Kind != people.ByChat || !othersLead(persons, p.Name)
}

// isSpokenOf reports whether the text says about somebody, by a full name or a given name, that they belong to the
// company.
func (r *Finder) isSpokenOf(rd *naming.Subject, p people.Mention) bool {
	return p.Org != "" && r.isOfCompany(rd, p) &&
		(strings.Contains(p.Name, " ") || r.words.Given[lexicon.Fold(p.Name)])
}

func (r *Finder) isOfCompany(rd *naming.Subject, p people.Mention) bool {
	return lexicon.Squeeze(r.naming.Brand(p.Org)) == lexicon.Squeeze(rd.Company)
}

// signsAsFounder reports whether a signature is a founder's: the text is a letter or has words that only founders use,
// it neither introduces nor answers the founders, and signsForCompany reports true.
func (r *Finder) signsAsFounder(rd *naming.Subject, p people.Mention, persons []people.Mention) bool {
	return !rd.Introduces && !rd.Replies && (rd.IsLetter() || rd.FounderVoice) && r.signsForCompany(rd.Names, p, persons)
}

// writesFor reports whether the mention's address is at the company's domain. An address at a mail provider does not
// show where its owner works; it counts too, unless the text introduces somebody or its owner signs the text.
func (r *Finder) writesFor(rd *naming.Subject, p people.Mention) bool {
	_, host, _ := strings.Cut(p.Email, "@")
	label, key := links.DomainLabel(host), lexicon.Squeeze(rd.Company)
	own := key != "" && label != "" && (strings.HasPrefix(label, key) || strings.HasPrefix(key, label))
	return own || !rd.Introduces && !rd.Signed(p.Name) && r.text.IsFreeMail(host)
}

// othersLead reports whether the text calls somebody other than the named person a founder or a chief.
func othersLead(persons []people.Mention, name string) bool {
	for _, p := range persons {
		if p.Chief && !people.SamePerson(p.Name, name) {
			return true
		}
	}
	return false
}

// signsForCompany reports whether a signature without a title may be a founder's. If the text calls somebody else a
// founder, the signer must have sent one of its mails, or must state their own title, as in "I'm the CTO of Acme".
func (r *Finder) signsForCompany(rd *people.Names, p people.Mention, persons []people.Mention) bool {
	if statesOwnTitle(rd) {
		return true
	}
	for _, o := range persons {
		if o.Chief && !people.SamePerson(o.Name, p.Name) && (o.Kind == people.ByTitle || o.Kind == people.BySelf) {
			return wrote(rd.Text, p.Name)
		}
	}
	return true
}

// statesOwnTitle reports whether the writer states a founder's or chief's title without a name, as in "I'm the CTO of
// Acme". The name is then at the end of the text.
func statesOwnTitle(rd *people.Names) bool {
	for _, t := range rd.Titles {
		words := strings.Fields(lexicon.Fold(rd.Body[max(0, t.Start-24):t.Start]))
		before := " " + strings.ReplaceAll(strings.Join(words, " "), "’", "'") + " "
		for _, self := range lexicon.List("beginnings of self-introductions") {
			if t.Chief && strings.HasSuffix(before, self) {
				return true
			}
		}
	}
	return false
}

// isFounderMail reports whether a mention is of the sender of the founder's mail. If the text has several mails, the
// founder's is the quoted one if the investor answers it, the forwarded one if a colleague forwards it, else the one
// from the company's domain or the last one.
func (r *Finder) isFounderMail(rd *naming.Subject, p people.Mention) bool {
	i := slices.IndexFunc(rd.Mails, func(h text.Header) bool { return h.Start == p.Start })
	if i < 0 {
		return false
	}
	own := rd.Mails[i]
	outermost := i == 0 && !own.Forwarded && !own.Reply
	if r.isOthersMail(rd, own, outermost) {
		return false
	}
	_, host, _ := strings.Cut(own.Email, "@")
	if links.IsInvestorHost(host) && othersLead(rd.Mentions, p.Name) {
		return false
	}
	if len(rd.Mails) == 1 {
		return true
	}
	if !rd.Replies && !outermost && rd.Mails[0].Start <= rd.FirstWord && goesTo(rd.Mails[0], own.Name) {
		return false // the founder's mail goes to them
	}
	return isDomainOf(rd.Company, host) || i == len(rd.Mails)-1
}

// isOthersMail reports whether a mail is not the founder's: it is a mail of the investor that the founder answers, or
// the outermost mail, written by somebody who introduces or answers the founder.
func (r *Finder) isOthersMail(rd *naming.Subject, own text.Header, outermost bool) bool {
	if own.Reply && !rd.Replies && !rd.Introduces && isAnswered(rd.Cast, own) {
		return true
	}
	return outermost && (rd.Introduces || rd.Replies)
}

// isDomainOf reports whether the name of a host's owner begins with the company's name, as in "acmerobotics.io" for
// "Acme", or has more than three letters and begins the company's name, as in "acme.io" for "Acme Robotics".
func isDomainOf(company, host string) bool {
	key, label := lexicon.Squeeze(company), links.DomainLabel(host)
	return key != "" && host != "" && (strings.HasPrefix(label, key) || strings.HasPrefix(key, label) && len(label) > 3)
}

// goesTo reports whether a recipient of the mail has this name.
func goesTo(h text.Header, name string) bool {
	return name != "" && slices.Contains(recipients(h), lexicon.Squeeze(name))
}

// isAddressee reports whether any mail in the text goes to this name, or to one that contains it; only letters and
// digits are compared.
func isAddressee(rd *text.Text, name string) bool {
	for _, h := range rd.Mails {
		for _, to := range h.To {
			if strings.Contains(lexicon.Squeeze(to), lexicon.Squeeze(name)) {
				return true
			}
		}
	}
	return false
}

// isAnswered reports whether the text greets the sender of the quoted mail, or is signed by somebody else above that
// mail.
func isAnswered(rd *people.Cast, quoted text.Header) bool {
	if rd.Greeted[lexicon.Squeeze(quoted.Name)] || rd.Greeted[lexicon.Squeeze(lexicon.FirstWord(quoted.Name))] {
		return true
	}
	for _, p := range rd.Mentions {
		if (p.Kind == people.BySignature || p.Kind == people.BySelf) && p.Start < quoted.Start &&
			!people.SamePerson(p.Name, quoted.Name) {
			return true
		}
	}
	return false
}

// merge returns kept with a mention added. If kept already has a mention of the same person, it completes that one in
// place instead: with a longer name, with a title if there was none or the new one contains the old one, and with an
// address if there was none. It counts the mention in Seen if its kind differs.
func merge(kept []people.Mention, p people.Mention) []people.Mention {
	for i := range kept {
		k := &kept[i]
		if !people.SamePerson(k.Name, p.Name) {
			continue
		}
		if len(p.Name) > len(k.Name) {
			k.Name = p.Name
		}
		if p.Kind != k.Kind {
			k.Seen++
		}
		if k.Title == "" ||
			p.Title != "" && len(p.Title) > len(k.Title) && strings.Contains(lexicon.Fold(p.Title), lexicon.Fold(k.Title)) {
			k.Title = p.Title
		}
		if k.Email == "" {
			k.Email = p.Email
		}
		return kept
	}
	return append(kept, p)
}
