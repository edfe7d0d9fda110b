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

	titleWords, companyWords, freeMail, mailWords, form, people, name, source, stages, status, documents, summary *lexicon

	given, ordinary, common, tail, places map[string]bool

	domain, wrote, capitals, assignment, phone *regexp.Regexp
	cjk                                        cjkPatterns

	guard guard
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
		given:        loadWords("given_names.txt"),
		ordinary:     wordsOf(loadSections("ordinary.txt")["word"]),
		common:       loadWords("places.txt"),
		places:       loadWords("places.txt"),
		tail:         wordsOf(loadSections("ordinary.txt")["tail"]),
	}
	for _, x := range []*lexicon{r.status, r.stages, r.name, r.people, r.mailWords, r.form, r.summary, r.documents, r.titleWords, r.source} {
		x.words(r.common)
	}
	r.extractor = r.picker.extractor
	r.compile()
	return r
}

func (r *Rules) compile() {
	word := `(?:(?:Dr|Prof|St|Ste)\.|(?:\p{Lu}[\p{L}\p{M}\d]*|\d+\p{Lu}\p{L}*|\p{Ll}{1,2}\p{Lu}[\p{L}\p{M}]+)(?:['’.\-][\p{L}\p{M}\d]+)*|\p{Lu}\.)`
	joint := ` (?:(?:&|\+|de|da|di|del|della|dos|das|do|van|von|der|den|ter|la|le|al|el|bin|ben|zu) ){0,2}`
	r.domain = regexp.MustCompile(`\b[a-z0-9][a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.[a-z]{2,10}\b`)
	r.wrote = regexp.MustCompile(`(?i)^\s*(?:on|am|le|el|il|em|op|w dniu|den|på)\s(.{4,160}?)[\s,]*(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|napisała|napisał|skrev|het volgende geschreven|yazdı)(?:\s(.{0,80}))?\s?:\s*$`)
	r.capitals = regexp.MustCompile(word + `(?:` + joint + word + `){0,4}`)
	r.assignment = regexp.MustCompile(`\b([A-Za-z_]{3,20}(?: name)?)\s?=\s?("[^"\n]{1,900}"|(?: & |[^,;&\n"]){1,200})`)
	r.phone = regexp.MustCompile(`(?:\+|00)\d[\d ()/.\-]{6,20}\d|\(?0\d{2,4}\)?[ /\-]\d[\d \-/]{4,12}\d`)
	r.cjk = newCJKPatterns()
	r.guard = newGuard()
}

// Analyze finds what the rules can find. The only error is that of a ctx that is done before it begins.
func (r *Rules) Analyze(ctx context.Context, in Input) (Findings, error) {
	if err := ctx.Err(); err != nil {
		return Findings{}, err
	}
	in.Text = r.guard.ofRead(in.Text)
	f := Findings{Analyzer: rulesName}
	deck := -1
	if in.PickDeck {
		deck, f.DeckReasoning = r.PickDocument(in.Documents)
		if deck >= 0 {
			f.DeckDocumentID = in.Documents[deck].ID
		}
	} else if len(in.Documents) > 0 {
		deck = 0
	}
	if deck >= 0 {
		in.Documents = in.Documents[deck : deck+1]
	} else if len(in.Documents) > 0 {
		in.Documents = in.Documents[:1]
	}
	rd := r.understand(in)
	f.Name = r.companyName(rd, in)
	f.Founders = r.founders(rd, in, f.Name)
	f.Summary = r.summarize(rd, in, f.Name, f.Founders)
	if in.DetectSource {
		f.Source, f.SourceReasoning = r.sourceOf(rd)
	}
	if in.DetectStatus {
		f.StatusID, f.StatusReasoning = r.statusOf(rd, in.Stages)
	}
	return r.learned(rd, in, f), nil
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
	rd.names = r.companyNames(rd, in, rd.people)
	rd.company = ""
	if n := len(rd.names); n > 0 && (rd.names[0].score >= enough || rd.names[0].score >= enough/2 && (n == 1 || rd.names[1].score < rd.names[0].score-1)) {
		rd.company = rd.names[0].text
	}
	return rd
}

// companyName gives the company's name, or what stands in for it.
func (r *Rules) companyName(rd *reading, in Input) string {
	if rd.company != "" {
		return limitName(rd.company)
	}
	for _, d := range in.Documents {
		if name := r.deckName(d); name != "" {
			return limitName(name)
		}
	}
	if name := r.fallback(rd, in.Links); name != unnamed {
		return name
	}
	if len(rd.names) > 0 && rd.names[0].score > 0 && (len(in.Documents) == 0 || !strings.Contains(rd.names[0].text, " ")) {
		return limitName(rd.names[0].text)
	}
	return unnamed
}
