package links_test

import (
	"strings"
	"testing"

	"dealflow/internal/analysis/links"
)

func pick(text string) (string, string) {
	classes := links.DefaultDeckClasses()
	return links.NewDeckPicker(classes).Pick(text, links.NewExtractor(classes).Links(text))
}

func TestPickByClass(t *testing.T) {
	t.Parallel()
	// From the highest class to the lowest: each beats all that are behind it, wherever it is in the text.
	ladder := []string{
		"https://docsend.com/view/abc",
		"https://www.papermark.com/view/cm1",
		"https://brieflink.com/v/x1",
		"https://storage.tally.so/private/deck.pdf?id=1",
		"https://drive.google.com/file/d/1/view",
		"https://pitch.com/v/acme-1",
		"https://acme.example",
	}
	for i, high := range ladder[:len(ladder)-1] {
		for _, low := range ladder[i+1:] {
			for _, text := range []string{
				low + " and " + high, high + "\n" + low, "Deck (current): " + low + "\nold deck: " + high,
			} {
				if got, _ := pick(text); got != high {
					t.Errorf("of %q got %q", text, got)
				}
			}
		}
	}
}

func TestPickKnowsItsClasses(t *testing.T) {
	t.Parallel()
	const rival = "https://pitch.com/v/rival-1 and "
	for name, links := range map[string][]string{
		"cloud drive": {
			"https://docs.google.com/presentation/d/1/edit", "https://www.dropbox.com/scl/fi/a/x.pdf?rlkey=1",
			"https://1drv.ms/p/s!A", "https://onedrive.live.com/?id=1",
			"https://acme.sharepoint.com/:b:/s/x", "https://acme-my.sharepoint.com/:p:/g/x", "https://app.box.com/s/x",
			"https://acme.box.com/s/x", "https://drive.google.com/drive/folders/1",
		},
		"DocSend":   {"https://acme.docsend.com/view/x", "https://DocSend.com/view/x", "https://docsend.com/view/s/x"},
		"Papermark": {"https://papermark.io/view/x", "https://www.papermark.com/view/x"},
	} {
		for _, link := range links {
			if got, reason := pick(rival + link); got != link || !strings.Contains(reason, name) {
				t.Errorf("want %q for its class %q, got %q: %s", link, name, got, reason)
			}
		}
	}
}

func TestPickBySaying(t *testing.T) {
	t.Parallel()
	const a, b = "https://docsend.com/view/aaa", "https://docsend.com/view/bbb"
	tests := map[string]struct{ text, want string }{
		"nothing said":           {a + " " + b, a},
		"marks behind":           {"v1: " + a + " (outdated)\nv2: " + b + " (current)", b},
		"first marked current":   {"deck: " + a + " (latest)\nprevious round: " + b, a},
		"labels before":          {"Old deck: " + a + " New deck: " + b, b},
		"versions":               {"Deck v2: " + a + "\nDeck v3: " + b, b},
		"versions turned":        {"Deck v3: " + a + "\nDeck v2: " + b, a},
		"a sentence behind":      {a + " is outdated, please use " + b, b},
		"label on its own line":  {"Last year's deck (outdated):\n" + a + "\n\nUpdated deck:\n" + b, b},
		"markdown":               {"[old deck](" + a + "), [current deck](" + b + ")", b},
		"html":                   {`<p><a href="` + a + `">old deck</a> <a href="` + b + `">updated deck</a></p>`, b},
		"deck beside data room":  {"Data room: " + a + "\nDeck: " + b, b},
		"german":                 {"Alte Version: " + a + "\nAktuelle Version: " + b, b},
		"french":                 {"Ancienne version : " + a + "\nVersion à jour : " + b, b},
		"spanish":                {"versión anterior: " + a + " / versión actualizada: " + b, b},
		"ordinal":                {"Links: " + a + " " + b + "\nPlease ignore the first link.", b},
		"a warning beats praise": {"the new deck is no longer " + a + " (superseded)\n" + b, b},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, reason := pick(tt.text); got != tt.want {
				t.Errorf("of\n%s\ngot %q: %s", tt.text, got, reason)
			}
		})
	}
}

func TestPickAmongOthers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"file before page": {
			"https://acme.example https://acme.example/files/teaser.pdf?x=1", "https://acme.example/files/teaser.pdf?x=1",
		},
		"deck page before page": {"https://acme.example/ https://gamma.app/docs/acme", "https://gamma.app/docs/acme"},
		"a path called deck": {
			"https://acme.example/ https://acme.example/investors/deck", "https://acme.example/investors/deck",
		},
		"only a page": {"see https://acme.example/about", "https://acme.example/about"},
		"named tracker": {
			"Unsubscribe: https://x.example/unsub?id=2 Deck: https://a.us1.list-manage.com/track/click?u=a",
			"https://a.us1.list-manage.com/track/click?u=a",
		},
		"unnamed tracker": {"https://a.us1.list-manage.com/track/click?u=a", ""},
		"page before call": {
			"https://calendly.com/a/15 https://us02web.zoom.us/j/1 https://acme.example", "https://acme.example",
		},
		"social": {
			"https://www.linkedin.com/in/a https://x.com/a https://twitter.com/a https://www.instagram.com/a", "",
		},
		"calendars and calls": {
			"https://calendly.com/a https://cal.com/a https://meet.google.com/a-b-c https://teams.microsoft.com/l/x " +
				"https://meetings.hubspot.com/a", "",
		},
		"images and pixels": {`<img src="https://acme.example/logo.png"><img src="https://t.example/o.gif?id=1">`, ""},
		"unsubscribe": {
			"https://acme.example/unsubscribe?u=1 https://acme.example/email-preferences " +
				"https://acme.example/?action=unsubscribe", "",
		},
		"questionnaires":     {"https://tally.so/r/abc https://forms.gle/x https://docs.google.com/forms/d/1", ""},
		"picture on a drive": {"https://www.dropbox.com/s/1/team.jpg", ""},
		"home page of a platform": {
			"Sent with https://docsend.com and https://www.papermark.com/pricing, deck https://pitch.com/v/acme",
			"https://pitch.com/v/acme",
		},
		"table after deck page": {
			"https://docs.google.com/spreadsheets/d/1 https://pitch.com/v/acme", "https://pitch.com/v/acme",
		},
		"no scheme": {"deck: docsend.com/view/x", "https://docsend.com/view/x"},
		"no link":   {"nothing here", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, reason := pick(tt.text)
			if got != tt.want {
				t.Errorf("of %q got %q: %s", tt.text, got, reason)
			}
			if reason == "" {
				t.Error("no reason given")
			}
		})
	}
}

func TestParseDeckClasses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		data string
		want []string // what the error must say; nil for none
	}{
		"yaml": {
			"- {name: Own, rank: 1, patterns: [decks.fund.example/v]}\n- name: Rest\n  rank: 2\n  patterns: ['*']", nil,
		},
		"json": {
			`[{"name":"Own","rank":1,"patterns":["decks.fund.example/v"]},{"name":"Rest","rank":2,"patterns":["*"]}]`, nil,
		},
		"empty":          {"[]", []string{"empty"}},
		"no list":        {"name: x", []string{"want a YAML or JSON list"}},
		"unknown member": {`[{"name":"A","rank":1,"host":["a.example"]}]`, []string{"host"}},
		"many mistakes": {
			`[{"rank":0,"patterns":["https://a.example"]},{"name":"B","rank":1},{"name":"C","rank":2,"suffixes":["pdf"]},` +
				`{"name":"D","rank":3,"words":[""]}]`,
			[]string{
				"row 1", "name is missing", "rank is 0", "leave the scheme out", "row 2 (B)", "would hold no link", "row 3 (C)",
				".pdf", "row 4 (D)", "is empty",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			classes, err := links.ParseDeckClasses([]byte(tt.data))
			if len(tt.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				const text = "https://acme.example https://docsend.com/view/x https://decks.fund.example/v/1"
				if got, _ := links.NewDeckPicker(classes).Pick(text,
					links.NewExtractor(classes).Links(text)); got != "https://decks.fund.example/v/1" {
					t.Errorf("the operator's table was not used, got %q", got)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
		})
	}
}

func TestDeckClassesIgnoreTheCaseOfTheTable(t *testing.T) {
	t.Parallel()
	classes, err := links.ParseDeckClasses([]byte(
		"[{name: Never, rank: 1, never: true, words: [Careers]}, {name: Files, rank: 2, suffixes: [.PDF]}]"))
	if err != nil {
		t.Fatal(err)
	}
	const text = "https://acme.example/Careers/a.pdf https://acme.example/Deck.Pdf"
	found := links.NewExtractor(classes).Links(text)
	if got, _ := links.NewDeckPicker(classes).Pick(text, found); got != "https://acme.example/Deck.Pdf" {
		t.Errorf("a word or a suffix in capitals did not match: picked %q", got)
	}
}

func TestDefaultDeckClassesRead(t *testing.T) {
	t.Parallel()
	if classes := links.DefaultDeckClasses(); len(classes) < 8 || classes[0].Rank != 1 {
		t.Fatalf("the built-in table does not read: %v", classes)
	}
}
