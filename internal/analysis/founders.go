package analysis

import (
	"sort"
	"strings"
)

// founders chooses, of all people that the text names, the company's founders and chiefs, and gives each what the text
// tells of them. Referrers, advisers, bankers and the investor's own people are left out.
func (r *Rules) founders(rd *reading, in Input, company string) []founderFound {
	people := append([]mention{}, rd.people...)
	for i, d := range in.Documents {
		people = append(people, r.deckPeople(d, i+1)...)
	}
	outsiders := r.outsiders(rd, people, company)
	var kept []mention
	for _, p := range people {
		if !outsiders[squeeze(p.name)] && r.isFounder(rd, p, people) {
			kept = merge(kept, p)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].start < kept[j].start })
	const most = 12
	kept = kept[:min(len(kept), most)]
	list := make([]Founder, 0, len(kept))
	for i := range kept {
		kept[i].name = rd.wholeName(kept[i].name)
	}
	for _, p := range kept {
		list = append(list, Founder{Name: plainName(p.name), Title: p.title, Email: p.email})
	}
	r.fillContacts(rd, list)
	found := make([]founderFound, 0, len(list))
	for i, f := range list {
		found = append(found, founderFound{Founder: f, decision: r.founderDecision(rd, in, f, kept[i], len(list))})
	}
	return found
}

// wholeName completes a first name by the head of a mail that its bearer wrote or got.
func (rd *reading) wholeName(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	for _, h := range rd.mails {
		for _, one := range append([]string{h.name}, h.to...) {
			if full, _ := readPerson(one); strings.Contains(full, " ") && fold(firstWord(full)) == fold(name) &&
				len(strings.Fields(full)) <= 4 {
				return full
			}
		}
	}
	return name
}

// founderFound is a founder with what says that they are one.
type founderFound struct {
	Founder
	decision decision
}

// founderDecision tells what the mention of a founder is worth, and where it stands.
func (r *Rules) founderDecision(rd *reading, in Input, f Founder, m mention, others int) decision {
	d := decision{value: f.Name, features: features{m.kind.String(): 1}}
	if d.value == "" {
		d.value = f.Email
	}
	local, host, _ := strings.Cut(f.Email, "@")
	d.features.set("confirmed", m.seen > 0)
	d.features.set("chief", m.chief)
	d.features.set("address", f.Email != "")
	d.features.set("own_address", f.Email != "" && matchesLocal(f.Name, local))
	d.features.set("free_address", f.Email != "" && r.isFreeMail(host))
	d.features.set("one_word", !strings.Contains(f.Name, " ") && !hasHan(f.Name))
	d.features.set("stranger", r.personness(rd, f.Name) < 1 && !hasHan(f.Name))
	d.features.set("several", others > 1)
	d.features.set("many", others > 3)
	d.features.set("introduced", rd.introduces)
	if m.doc > 0 {
		d.features.set("deck", true)
		d.at = placeOnPage(in.Documents[m.doc-1], m.doc, f.Name)
		return d
	}
	d.at = rd.placeOfName(f.Name, m.start)
	if d.at.literal != "" {
		d.at = rd.placeOfName(firstWord(f.Name), m.start).or(d.at)
	}
	return d
}

// plainName takes an academic title off.
func plainName(name string) string {
	for {
		first, rest, more := strings.Cut(strings.TrimSpace(name), " ")
		switch first {
		case "Dr.", "Dr", "Prof.", "Prof", "Dipl.-Ing.", "Mr", "Mr.", "Ms", "Ms.", "Mrs", "Mrs.":
			if more {
				name = rest
				continue
			}
		}
		return strings.TrimSpace(name)
	}
}

// outsiders returns the squeezed names of those who cannot be founders: with the title of somebody else, of another
// house, or spoken to.
func (r *Rules) outsiders(rd *reading, people []mention, company string) map[string]bool {
	out := map[string]bool{}
	own := squeeze(company)
	for _, p := range people {
		org := squeeze(r.brand(p.org))
		foreign := org != "" && own != "" && !strings.HasPrefix(org, own) && !strings.HasPrefix(own, org)
		switch {
		case own != "" && squeeze(p.name) == own && r.isNoPerson(rd, p.name),
			p.title != "" && !p.chief && !rd.alsoChief(p.name),
			foreign && (p.kind == byTitle || p.kind == bySignature) &&
				(r.isInvestorName(p.org) || rd.introduces || p.kind == bySignature),
			(rd.greetedNames[squeeze(p.name)] || rd.greetedNames[squeeze(firstWord(p.name))]) && !rd.alsoChief(p.name) &&
				!rd.speaks(p.name):
			out[squeeze(p.name)] = true
		}
	}
	return out
}

// isNoPerson reports whether a name that the company bears too is its alone: "Pepperwood AI", which sends the mail,
// "Kelp & Sons".
func (r *Rules) isNoPerson(rd *reading, name string) bool {
	last := name[strings.LastIndexByte(name, ' ')+1:]
	return !r.given[fold(firstWord(name))] || r.companyWords.exact(last) != "" || r.personness(rd, name) < 1
}

func (rd *reading) alsoChief(name string) bool {
	for _, p := range rd.people {
		if p.chief && squeeze(p.name) == squeeze(name) {
			return true
		}
	}
	return false
}

// speaks reports whether this person says or writes something in the text: whom the text greets in their own message
// is he.
func (rd *reading) speaks(name string) bool {
	for _, p := range rd.people {
		if !samePerson(p.name, name) {
			continue
		}
		switch p.kind { //nolint:exhaustive // the others say nothing of who speaks
		case bySelf, byForm, byChannel, byRecipient, byChat:
			return true
		case bySignature: // whoever signs the answer may be greeted in what it quotes
			if rd.quotes() && !rd.isQuoted(p.start) && !rd.isAddressee(name) {
				return true
			}
		}
	}
	return rd.wrote(name)
}

// wrote reports whether a mail in the text is from this person.
func (rd *reading) wrote(name string) bool {
	for _, h := range rd.mails {
		if squeeze(h.name) == squeeze(name) {
			return true
		}
	}
	return false
}

// isFounder reports whether what says that there is such a person also says that they belong to the company.
func (r *Rules) isFounder(rd *reading, p mention, people []mention) bool {
	switch p.kind {
	case byTitle:
		return p.chief
	case byForm, byMeeting:
		return true
	case bySelf:
		return !rd.introduces && !rd.replies
	case byChannel:
		return !rd.introduces
	case bySender:
		return r.isFounderMail(rd, p)
	case bySignature:
		return !rd.introduces && !rd.replies && (rd.isLetter() || rd.founderVoice) && r.signsForCompany(rd, p, people)
	case byDeed:
		return p.org == "" || squeeze(r.brand(p.org)) == squeeze(rd.company)
	case byRecipient:
		return true
	case byChat:
		return !rd.introduces && !othersLead(people, p.name)
	case byContact:
		return !rd.replies && !hasChief(people) && r.writesFor(rd, p)
	case bySpoken:
		return p.org != "" && squeeze(r.brand(p.org)) == squeeze(rd.company) &&
			(strings.Contains(p.name, " ") || r.given[fold(p.name)]) && !hasChief(people)
	}
	return false
}

// writesFor reports whether the address that made the mention is at the company's own domain, or says nothing of its
// owner.
func (r *Rules) writesFor(rd *reading, p mention) bool {
	_, host, _ := strings.Cut(p.email, "@")
	label, key := domainLabel(host), squeeze(rd.company)
	own := key != "" && label != "" && (strings.HasPrefix(label, key) || strings.HasPrefix(key, label))
	return own || !rd.introduces && !rd.signed(p.name) && r.isFreeMail(host)
}

// othersLead reports whether the text calls somebody else a founder or a chief.
func othersLead(people []mention, name string) bool {
	for _, p := range people {
		if p.chief && !samePerson(p.name, name) {
			return true
		}
	}
	return false
}

func hasChief(people []mention) bool {
	for _, p := range people {
		if p.chief {
			return true
		}
	}
	return false
}

// signsForCompany reports whether a bare signature may be a founder's: it is, unless the text calls others founders
// and this one nothing.
func (r *Rules) signsForCompany(rd *reading, p mention, people []mention) bool {
	if rd.titlesHimself() {
		return true
	}
	for _, o := range people {
		if o.chief && !samePerson(o.name, p.name) && (o.kind == byTitle || o.kind == bySelf) {
			return rd.wrote(p.name)
		}
	}
	return true
}

// titlesHimself reports whether the writer says what they are without their name, which the end of the text then
// gives: "I'm the CTO of Acme".
func (rd *reading) titlesHimself() bool {
	for _, t := range rd.titleList {
		words := strings.Fields(fold(rd.body[max(0, t.start-24):t.start]))
		before := " " + strings.ReplaceAll(strings.Join(words, " "), "’", "'") + " "
		for _, self := range []string{
			" i'm ", " i'm the ", " i'm a ", " i am ", " i am the ", " i'm one of the ", " ich bin ", " je suis ",
			" je suis le ", " je suis la ", " soy ", " soy el ", " soy la ", " sono ", " sono il ", " sono la ", " sou ",
			" sou o ", " sou a ", " ik ben ", " ik ben de ", " jestem ",
		} {
			if t.chief && strings.HasSuffix(before, self) {
				return true
			}
		}
	}
	return false
}

// isFounderMail tells which of several mails in one text is the founder's: the quoted one where the investor answers,
// the forwarded one where a colleague passes it on, else the one from the company's own domain.
func (r *Rules) isFounderMail(rd *reading, p mention) bool {
	var own *header
	for i := range rd.mails {
		if rd.mails[i].start == p.start {
			own = &rd.mails[i]
		}
	}
	if own == nil {
		return false
	}
	if own.reply && !rd.replies && !rd.introduces && rd.isAnswered(*own) {
		return false // the investor's mail, which the founder answers
	}
	outermost := own == &rd.mails[0] && !own.forwarded && !own.reply
	if rd.introduces && outermost || rd.replies && !own.reply && outermost {
		return false
	}
	_, house, _ := strings.Cut(own.email, "@")
	if isHouseOfInvestors(house) && othersLead(rd.people, p.name) {
		return false
	}
	if len(rd.mails) == 1 {
		return true
	}
	if !rd.replies && !outermost && rd.mails[0].start <= rd.firstWord && rd.mails[0].addresses(own.name) {
		return false // the founder's mail goes to them
	}
	_, host, _ := strings.Cut(own.email, "@")
	if key := squeeze(rd.company); key != "" && host != "" {
		label := domainLabel(host)
		if strings.HasPrefix(label, key) || strings.HasPrefix(key, label) && len(label) > 3 {
			return true
		}
	}
	return own == &rd.mails[len(rd.mails)-1]
}

// addresses reports whether the mail goes to somebody of this name.
func (h header) addresses(name string) bool {
	for _, to := range h.to {
		for one := range strings.FieldsFuncSeq(to, func(c rune) bool { return c == ',' || c == ';' }) {
			if whom, _ := readPerson(one); name != "" && squeeze(whom) == squeeze(name) {
				return true
			}
		}
	}
	return false
}

// isAddressee reports whether any mail in the text goes to somebody of this name, in full or by their first name.
func (rd *reading) isAddressee(name string) bool {
	for _, h := range rd.mails {
		for _, to := range h.to {
			if strings.Contains(squeeze(to), squeeze(name)) {
				return true
			}
		}
	}
	return false
}

// isAnswered reports whether the text above a quoted mail greets its sender, or is signed by somebody else.
func (rd *reading) isAnswered(quoted header) bool {
	if rd.greetedNames[squeeze(quoted.name)] || rd.greetedNames[squeeze(firstWord(quoted.name))] {
		return true
	}
	for _, p := range rd.people {
		if (p.kind == bySignature || p.kind == bySelf) && p.start < quoted.start && !samePerson(p.name, quoted.name) {
			return true
		}
	}
	return false
}

// merge adds a mention to the people found so far, or what it tells to the one it is of.
func merge(kept []mention, p mention) []mention {
	for i := range kept {
		k := &kept[i]
		if !samePerson(k.name, p.name) {
			continue
		}
		if len(p.name) > len(k.name) {
			k.name = p.name
		}
		if p.kind != k.kind {
			k.seen++
		}
		if k.title == "" || p.title != "" && len(p.title) > len(k.title) && strings.Contains(fold(p.title), fold(k.title)) {
			k.title = p.title
		}
		if k.email == "" {
			k.email = p.email
		}
		return kept
	}
	return append(kept, p)
}

// samePerson distinguishes "Tamsin" and "Tamsin Hale" from two people.
func samePerson(a, b string) bool {
	a, b = plainName(a), plainName(b)
	if isPlainASCII(a) && isPlainASCII(b) {
		return samePersonASCII(a, b)
	}
	if squeeze(a) == squeeze(b) {
		return true
	}
	if strings.Contains(a, " ") && strings.Contains(b, " ") {
		wa, wb := strings.Fields(fold(a)), strings.Fields(fold(b))
		return wa[0] == wb[0] && wa[len(wa)-1] == wb[len(wb)-1]
	}
	return fold(firstWord(a)) == fold(firstWord(b))
}

// samePersonASCII is samePerson for plain names, which are compared where they are.
func samePersonASCII(a, b string) bool {
	if sameSqueezed(a, b) {
		return true
	}
	if strings.Contains(a, " ") && strings.Contains(b, " ") {
		const spaces = " \t\n\v\f\r"
		return strings.EqualFold(a[:strings.IndexAny(a, spaces)], b[:strings.IndexAny(b, spaces)]) &&
			strings.EqualFold(a[strings.LastIndexAny(a, spaces)+1:], b[strings.LastIndexAny(b, spaces)+1:])
	}
	return strings.EqualFold(firstWord(a), firstWord(b))
}
