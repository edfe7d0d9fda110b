package analysis

import (
	"context"
	"regexp"
	"strings"
	"time"
)

// rulesName is what Findings.Analyzer says of the built-in rules.
const rulesName = "rules"

// Rules is the built-in analyzer: offline and deterministic. It is built once and may be used by many goroutines.
type Rules struct {
	picker    *DeckPicker
	extractor *Extractor

	titleWords, companyWords, freeMail, mailWords, form, people, name, source, stages, status, documents, summary, files, concepts *lexicon

	given, ordinary, common, tail, places, surnames map[string]bool

	domain, wrote, capitals, assignment, phone, chatTurn *regexp.Regexp
	cjk                                                  cjkPatterns
	calibration                                          calibration

	guard  guard
	models Models
}

// NewRules builds the rules for a table of deck classes, which tells the links of platforms from a company's own pages.
func NewRules(classes []DeckClass) *Rules {
	r := &Rules{
		picker:       NewDeckPicker(classes),
		titleWords:   loadLexicon("titles.txt"),
		companyWords: loadLexicon("company_words.txt"),
		freeMail:     loadLexicon("free_mail.txt"),
		mailWords:    loadLexicon("mail.txt"),
		form:         loadLexicon("form.txt"),
		people:       loadLexicon("people.txt"),
		name:         loadLexicon("name.txt"),
		source:       loadLexicon("source.txt"),
		stages:       loadLexicon("stages.txt"),
		status:       loadLexicon("status.txt"),
		documents:    loadLexicon("documents.txt"),
		summary:      loadLexicon("summary.txt"),
		files:        loadLexicon("files.txt"),
		concepts:     loadConcepts(),
		given:        loadWords("given_names.txt"),
		ordinary:     wordsOf(loadSection("ordinary.txt", "word")),
		common:       loadWords("places.txt"),
		places:       loadWords("places.txt"),
		surnames:     loadWords("surnames.txt"),
		tail:         wordsOf(loadSection("ordinary.txt", "tail")),
	}
	for _, x := range []*lexicon{r.status, r.stages, r.name, r.people, r.mailWords, r.form, r.summary, r.documents, r.titleWords, r.source} {
		x.words(r.common)
	}
	r.extractor = r.picker.extractor
	r.compile()
	r.calibration = loadCalibration()
	r.models = embeddedModels()
	return r
}

func (r *Rules) compile() {
	word := `(?:(?:Dr|Prof|St|Ste)\.|(?:\p{Lu}[\p{L}\p{M}\d]*|\d+\p{Lu}\p{L}*|\p{Ll}{1,2}\p{Lu}[\p{L}\p{M}]+)(?:['’.\-][\p{L}\p{M}\d]+)*|\p{Lu}\.)`
	joint := ` (?:(?:&|\+|de|da|di|del|della|dos|das|do|van|von|der|den|ter|la|le|al|el|bin|ben|zu) ){0,2}`
	r.domain = regexp.MustCompile(`\b[a-z0-9][a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.[a-z]{2,10}\b`)
	r.wrote = regexp.MustCompile(`(?i)^\s*(?:on|am|le|el|il|em|op|w dniu|den|på)\s(.{4,160}?)[\s,]*(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|napisał\(a\)|napisała|napisał|skrev|het volgende geschreven|yazdı)(?:\s(.{0,80}))?\s?:\s*$`)
	r.capitals = regexp.MustCompile(`^` + word + `(?:` + joint + word + `){0,4}`)
	r.assignment = regexp.MustCompile(`\b([A-Za-z_]{3,20}(?: name)?)\s?=\s?("[^"\n]{1,900}"|(?: & |[^,;&\n"]){1,200})`)
	r.phone = regexp.MustCompile(`(?:\+|00)\d[\d ()/.\-]{6,20}\d|\(?0\d{2,4}\)?[ /\-]\d[\d \-/]{4,12}\d`)
	r.chatTurn = regexp.MustCompile(`^\s*(?:\[[\d./\- ,]{0,14}\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?[\d./\- ,]{0,14}\]\s?|\d{1,4}[./\-]\d{1,2}[./\-]\d{2,4},? \d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?\s?[-–]\s?)([^:\[\]/@]{1,40}?)\s?[:：]\s?`)
	r.cjk = newCJKPatterns()
	r.guard = newGuard()
}

// Analyze finds what the rules can find. The only error is that of a ctx that is done before it begins.
func (r *Rules) Analyze(ctx context.Context, in Input) (Findings, error) {
	if err := ctx.Err(); err != nil {
		return Findings{}, err
	}
	o := r.decide(in)
	return r.learned(o, o.findings(r)), nil
}

// understand reads the text and finds the people and the company in it, which all further rules need.
func (r *Rules) understand(in Input) *reading {
	rd := r.read(in.Text)
	if rd.year = in.ReferenceTime.Year(); in.ReferenceTime.IsZero() {
		rd.year = time.Now().Year()
	}
	rd.titleList = r.titles(rd.body, rd.tokens)
	rd.spanList = r.spans(rd)
	rd.phones = r.phone.FindAllStringIndex(rd.body, 20)
	rd.firstWord = len(rd.body) - len(strings.TrimLeft(rd.body, " \n"))
	if len(rd.spanList) > 0 && rd.spanList[0].start-rd.firstWord < 24 {
		rd.firstWord = rd.spanList[0].start
	}
	rd.greetedNames = r.greeted(rd, rd.spanList)
	rd.people = r.mentions(rd, rd.spanList)
	rd.people = append(rd.people, r.cjkPeople(rd)...)
	rd.people = rd.people[:min(len(rd.people), mostPeople)]
	r.voices(rd)
	rd.people = append(rd.people, r.recipients(rd)...)
	rd.names = r.companyNames(rd, in, rd.people)
	rd.company = ""
	if n := len(rd.names); n > 0 && (rd.names[0].score >= enough || rd.names[0].score >= enough/2 && (n == 1 || rd.names[1].score < rd.names[0].score-1)) {
		rd.company = rd.names[0].text
	}
	return rd
}

// companyName returns the company's name, or what is in for it.
func (r *Rules) companyName(rd *reading, in Input) decision {
	if rd.company != "" {
		return r.nameDecision(rd, in, "best")
	}
	if d := r.standIn(rd, in); d.value != unnamed {
		return d
	}
	if len(rd.names) > 0 && rd.names[0].score > 0 && (len(in.Documents) == 0 || !strings.Contains(rd.names[0].text, " ")) {
		return r.nameDecision(rd, in, "weak")
	}
	return r.standIn(rd, in)
}

// nameDecision weighs the best of the names that the text and the deck have.
func (r *Rules) nameDecision(rd *reading, in Input, basis string) decision {
	best, rival := rd.names[0], 0
	if len(rd.names) > 1 {
		rival = max(0, rd.names[1].score)
	}
	d := decision{value: limitName(best.text), features: features{basis: 1}}
	d.features["score"] = float64(min(best.score, 24)) / 12
	d.features["margin"] = float64(min(best.score-rival, 12)) / 6
	d.features.set("answered", best.answered)
	d.features.set("domain", best.domain)
	d.features.set("person", r.personness(rd, best.text) >= 2)
	for i, doc := range in.Documents {
		if squeeze(r.deckName(doc)) == squeeze(best.text) {
			d.features.set("deck", true)
			d.at = placeOnPage(doc, i+1, best.text)
		}
	}
	if indexFold(rd.text, best.text) >= 0 || d.at.quote == "" {
		d.at = rd.placeOfName(best.text, min(best.start, len(rd.text)))
	}
	return d
}

// standIn gives what a company is called that no text names: by its deck's title, else by a domain, else not at all.
func (r *Rules) standIn(rd *reading, in Input) decision {
	for i, doc := range in.Documents {
		if name := r.deckName(doc); name != "" {
			return decision{value: limitName(name), at: placeOnPage(doc, i+1, name), features: features{"deck_title": 1}}
		}
	}
	if name, host := r.fallback(rd, in.Links); name != unnamed {
		return decision{value: name, at: place{literal: host}, features: features{"domain_alone": 1}}
	}
	return decision{value: unnamed, features: features{"unnamed": 1}}
}
