package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dealflow/internal/analysis"
)

// sampleDeck returns the pages of a sample deck, which end with a footer "Confidential N".
func sampleDeck(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "decks", name))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`Confidential \d+\s*`).Split(string(text), -1)
}

// repeated returns the page n times, each with its number below it.
func repeated(n int, page string) []string {
	pages := make([]string, 0, n)
	for i := range n {
		pages = append(pages, fmt.Sprintf("%s\nPage %d", page, i+1))
	}
	return pages
}

// otherDocuments returns the pages of documents that come with a deck and are no decks, by what they are.
func otherDocuments() map[string][]string {
	prose := strings.Repeat(
		"The company intends to expand into further markets and believes that the demand for its offering will continue "+
			"to grow over the coming years. ", 14,
	)
	clauses := strings.Repeat(
		"The Receiving Party shall hold the Confidential Information in strict confidence and shall not disclose it to "+
			"any third party without prior written consent. ", 10,
	)
	return map[string][]string{
		"cap table": {
			"Cap Table\nShareholder Shares Ownership\nFounder A 400,000 40.0%\nFounder B 300,000 30.0%\nOption pool 100,000 " +
				"10.0%\nSeed investors 200,000 20.0%\nTotal 1,000,000 100%\nPre-money 8,000,000 Post-money 10,000,000",
		},
		"financials": repeated(6,
			"Income statement 2024 2025 2026E\nRevenue 120 340 900\nCost of goods sold 60 120 300\nGross profit 60 220 "+
				"600\nOperating expenses 200 400 700\nEBITDA -140 -180 -100\nDepreciation 5 8 9\nNet income -145 -188 "+
				"-109\nBalance sheet\nTotal assets 800 900 1200"),
		"term sheet": repeated(4,
			"TERM SHEET\nThis term sheet summarises the principal terms of the proposed investment. Liquidation preference: "+
				"1x non-participating. Anti-dilution: broad-based weighted average. Drag along and tag along rights apply. "+
				"Board of directors: three seats. "+prose[:900]),
		"memo": repeated(8, "Investment memorandum\nExecutive summary\n"+prose+"\nMarket\n"+prose+"\nTeam\n"+prose+
			"\nRecommendation and risks"),
		"cv": {
			"Curriculum Vitae\nJane Roe\nWork experience\n2019-2024 Head of Product, Contoso\n2015-2019 Analyst, " +
				"Fabrikam\nEducation\nMSc Physics, 2015\nSkills\nGo, SQL\nLanguages\nEnglish, German",
			"References\nHobbies\nSailing",
		},
		"nda":      repeated(4, "NON-DISCLOSURE AGREEMENT\nbetween the parties hereinafter\n"+clauses),
		"contract": repeated(20, "SHAREHOLDERS' AGREEMENT\nArticle 4\nWhereas the parties hereby agree\n"+clauses+prose),
		"one-pager": {
			"Acme one-pager\nProblem\nFarmers lose a third of their harvest.\nSolution\nA sensor in each silo.\nTeam\nJane " +
				"Roe, CEO\nMarket\n" + prose,
		},
		"invoice":    {"INVOICE\nInvoice number 2026-17\nTotal 1,200.00 EUR\nDue in 14 days"},
		"whitepaper": repeated(14, "Abstract\nIntroduction\n"+prose+prose+"\nReferences"),
		"cover note": {"Dear Ms Arslan,\nplease find attached our deck and our financial model.\nBest regards\nJane Roe"},
		"model": repeated(12,
			"Assumptions\nMonth Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec\nRevenue 10 12 14 16 18 20 22 24 26 28 30 "+
				"32\nCash flow 1 2 3 4 5 6 7 8 9 10 11 12\nForecast budget 5 5 5 5 5 5 5 5 5 5 5 5"),
	}
}

func TestPickDocumentAgainstEachOther(t *testing.T) {
	t.Parallel()
	plain := []string{
		"Acme\nSilos that think", "Problem\nA third of the harvest rots", "Solution\nA sensor in each silo",
		"Market size\n4bn EUR in Europe", "Traction\n14 pilots, 300k ARR", "Team\nJane Roe, CEO\nBob Ray, CTO",
		"The Ask\n2M EUR seed",
	}
	decks := map[string][]string{"plain": plain}
	for _, name := range []string{
		"chr-basic-12.txt", "chr-zh-14.txt", "lo-ru-10.txt", "chr-ar-10.txt", "rl-perchar-10.txt", "lo-4x3-9.txt",
		"mutool-clean-20.txt",
	} {
		decks[name] = sampleDeck(t, name)
	}
	for deckName, deck := range decks {
		for otherName, other := range otherDocuments() {
			first := analysis.Document{ID: "other", FileName: "a.pdf", Pages: other}
			second := analysis.Document{ID: "deck", FileName: "b.pdf", Pages: deck}
			if i, why := pickDocument([]analysis.Document{first, second}); i != 1 {
				t.Errorf("of the deck %s and a %s it picked %d: %s", deckName, otherName, i, why)
			}
		}
	}
}

func TestPickDocumentAmongAll(t *testing.T) {
	t.Parallel()
	var docs []analysis.Document
	for name, pages := range otherDocuments() {
		docs = append(docs, analysis.Document{ID: name, FileName: name + ".pdf", Pages: pages})
	}
	if i, why := pickDocument(docs); i >= 0 {
		t.Errorf("none is a deck, but it picked the %s: %s", docs[i].ID, why)
	}
	docs = append(docs, analysis.Document{ID: "deck", FileName: "scan0017.pdf", Pages: sampleDeck(t, "chr-basic-12.txt")})
	i, why := pickDocument(docs)
	if i != len(docs)-1 || !strings.Contains(why, "scan0017.pdf") || !strings.Contains(why, "pages") {
		t.Errorf("picked %d: %s", i, why)
	}
}

func TestPickDocumentHints(t *testing.T) {
	t.Parallel()
	unread := func(name string) analysis.Document { return analysis.Document{ID: name, FileName: name} }
	slides := sampleDeck(t, "chr-basic-12.txt")
	wide := analysis.Document{ID: "wide", FileName: "x.pdf", Pages: repeated(9, "Growth\nfast"), Width: 960, Height: 540}
	tall := analysis.Document{ID: "tall", FileName: "y.pdf", Pages: repeated(9, "Growth\nfast"), Width: 595, Height: 842}
	tests := map[string]struct {
		docs []analysis.Document
		want string
	}{
		"names alone": {
			[]analysis.Document{unread("NDA_signed.pdf"), unread("Acme Pitch Deck.pdf")}, "Acme Pitch Deck.pdf",
		},
		"names in German": {
			[]analysis.Document{unread("Jahresabschluss.pdf"), unread("Acme_Präsentation.pdf")}, "Acme_Präsentation.pdf",
		},
		"nothing to go by": {[]analysis.Document{unread("a.pdf"), unread("b.pdf")}, ""},
		"content before names": {
			[]analysis.Document{
				{ID: "n", FileName: "pitch deck.pdf", Pages: otherDocuments()["nda"]},
				{ID: "d", FileName: "nda.pdf", Pages: slides},
			}, "d",
		},
		"old and current": {
			[]analysis.Document{
				{ID: "old", FileName: "Deck_old.pdf", Pages: slides}, {ID: "new", FileName: "Deck_current.pdf", Pages: slides},
			}, "new",
		},
		"the same twice": {
			[]analysis.Document{{ID: "1", FileName: "1.pdf", Pages: slides}, {ID: "2", FileName: "2.pdf", Pages: slides}}, "",
		},
		"the shape of the page": {[]analysis.Document{tall, wide}, "wide"},
		"slides as pictures": {
			[]analysis.Document{
				{ID: "nda", FileName: "1.pdf", Pages: otherDocuments()["nda"]},
				{ID: "scan", FileName: "2.pdf", Pages: make([]string, 14), Width: 960, Height: 540},
			}, "scan",
		},
		"none at all": {nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := analysis.Input{Text: "see the files", Documents: tt.docs, PickDeck: true}
			got, err := rulesAlone().Analyze(t.Context(), in)
			if err != nil || got.DeckDocumentID != tt.want || got.DeckReasoning == "" {
				t.Errorf("err %v, picked %q, want %q: %s", err, got.DeckDocumentID, tt.want, got.DeckReasoning)
			}
		})
	}
}

func TestDeckGivesNameAndFounders(t *testing.T) {
	t.Parallel()
	deck := analysis.Document{
		ID: "d", FileName: "deck.pdf", Pages: []string{
			"Verdant Loom\nCarpets from kelp\nSeed deck 2026", "Problem\nCarpets are plastic",
			"Solution\nVerdant Loom weaves carpets from kelp for hotels", "Traction\n9 hotels, EUR 210k revenue",
			"Team\nMira Stone\nCEO & Co-founder\nOle Brandt, CTO\nAdvisor: Karl Weiss", "The Ask\nRaising EUR 1.5M",
		},
	}
	got, err := rulesAlone().Analyze(t.Context(),
		analysis.Input{Text: "Please have a look at the attached file.", Documents: []analysis.Document{deck}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "Verdant Loom" {
		t.Errorf("name %q", got.Name)
	}
	if people := people(got.Founders); people != "Mira Stone <>, Ole Brandt <>" {
		t.Errorf("founders %s", people)
	}
	for _, want := range []string{"weaves carpets from kelp", "210k", "1.5M"} {
		if !strings.Contains(got.Summary, want) {
			t.Errorf("the summary lacks %q: %s", want, got.Summary)
		}
	}
}
