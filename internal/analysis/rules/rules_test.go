package rules_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
)

// analyze runs the rules, without models, over a text with the stages given by name, in order.
func analyze(t *testing.T, text string, stages ...string) analysis.Findings {
	t.Helper()
	in := analysis.Input{
		Text: text, DetectStatus: true, DetectSource: true,
		ReferenceTime: time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC),
	}
	in.Links = links.NewExtractor(links.DefaultDeckClasses()).Links(text)
	for i, name := range stages {
		in.Stages = append(in.Stages, analysis.Stage{ID: name, Name: name, Rank: i + 1})
	}
	got, err := rulesAlone().Analyze(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestStatus(t *testing.T) {
	t.Parallel()
	usual := []string{"New", "Screening", "First Meeting", "Due Diligence", "Term Sheet", "Invested", "Passed"}
	tests := map[string]struct {
		text   string
		stages []string
		want   string
	}{
		"first contact": {"Hi, I'm Ann, founder of Acme. We are raising 1M. Deck below.", usual, "New"},
		"negated": {
			"We are not passing on Acme and there is no term sheet yet; the first meeting was fine.",
			usual, "First Meeting",
		},
		"past":      {"Last year we passed on Acme. Today we started due diligence.", usual, "Due Diligence"},
		"past year": {"We passed on Acme in 2023. Now we had a call with the CEO.", usual, "First Meeting"},
		"future": {
			"Had a call with Acme yesterday. If the pilot works we might start due diligence.",
			usual, "First Meeting",
		},
		"scheduled": {"First meeting with Acme is set for Thursday.", usual, "First Meeting"},
		"the founders' own round": {
			"Hello, I'm Ann, CEO of Acme. We signed a term sheet with a lead investor and closed our angel round.",
			usual, "New",
		},
		"a founder after a call": {
			"Dear Kim, thank you for the call on Tuesday. Best, Ann Lee, CEO of Acme, ann@acme.io",
			usual, "First Meeting",
		},
		"quoted history": {
			"We have decided not to invest in Acme.\n> Hi Kim, when does the due diligence start?\n> Ann",
			usual, "Passed",
		},
		"stated": {"Acme: status: Screening. Earlier we had a term sheet out for their sister company.", usual, "Screening"},
		"stated of a competitor": {
			"Had a first meeting with Acme yesterday. It competes with Oxide, where we are in due diligence.",
			usual, "First Meeting",
		},
		"moved": {"Please move Acme to Due Diligence, the first meeting went well.", usual, "Due Diligence"},
		"a word is no stage": {
			"Ann Lee leads the new product. Acme lost a customer, but won another. Our deck is attached.",
			[]string{"Leads", "Pitch", "Won", "Lost"},
			"Leads",
		},
		"a word for a pilot is no stage": {"Our pilot was held in Berlin.", usual, "New"},
		"a word that tells calls apart is no meaning": {
			"Hi, I'm Ann, founder of Acme. We are raising 1M.", []string{"Scheduled", "Screening", "Passed"}, "Scheduled",
		},
		"a remark without a meaning": {
			"Acme. Founders: Ann Lee. Planned.", []string{"Inbox", "Passed", "Elsewhere"}, "Inbox",
		},
		"another vocabulary": {
			"We wired the money to Acme this morning.",
			[]string{"01 Fresh", "02 Talking", "03 Backed", "04 Not for us"},
			"03 Backed",
		},
		"nearest stage": {
			"IC approved Acme this morning, unanimously.",
			[]string{"Inbox", "Diligence", "Won"},
			"Diligence",
		},
		"no such stage": {"We have decided not to invest in Acme.", []string{"Inbox", "Won"}, ""},
		"no stages":     {"We have decided not to invest in Acme.", nil, ""},
		"no intake stage": {
			"Hi, I'm Ann, founder of Acme. We are raising 1M.",
			[]string{"Due Diligence", "Invested"},
			"",
		},
		"news of a known company": {"Monthly update: Acme grew by 12 % and hired a CTO.", usual, ""},
		"German": {
			"Wir haben Acme gestern abgesagt, das Erstgespräch war im März.",
			[]string{"Eingang", "Erstgespräch", "Abgelehnt"},
			"Abgelehnt",
		},
		"French": {
			"La due diligence a commencé hier pour Acme, on n'a pas encore refusé.",
			[]string{"Nouveau", "Due diligence", "Refusé"},
			"Due diligence",
		},
		"Spanish": {
			"Hemos descartado Acme después de la reunión de ayer.",
			[]string{"Entrada", "Reunión", "Descartada"},
			"Descartada",
		},
		"Japanese": {"株式会社アクメとの面談を昨日実施しました。デューデリジェンスはまだ始めていません。", []string{"新規", "面談", "デューデリジェンス"}, "面談"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := analyze(t, tt.text, tt.stages...)
			if got.StatusID != tt.want || got.StatusReasoning == "" {
				t.Errorf("got %q, want %q: %s", got.StatusID, tt.want, got.StatusReasoning)
			}
		})
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"mail head":   {"From: Ann Lee <ann@acme.io>\nSubject: Acme\n\nWe build silos.", "email"},
		"letter":      {"Hello, we are Acme and build silos. Kind regards, Ann Lee", "email"},
		"html":        {"<p>We are Acme and build silos.</p>", "email"},
		"recommended": {"Hello, Bob Ray of Northbank suggested that I write to you. I'm Ann, CEO of Acme.", "referral"},
		"introduced":  {"Kim, meet Ann (CEO of Acme). Ann, meet Kim. I'll let you two take it from here.", "referral"},
		"introduces himself": {
			"Hello, let me introduce myself: I'm Ann, founder of Acme. No intro needed, I hope. Best, Ann",
			"email",
		},
		"asks for introductions": {
			"Hello, I'm Ann, founder of Acme. Could you introduce us to your portfolio? Best, Ann",
			"email",
		},
		"recommended product": {"Hello, we are Acme. Our creams are recommended by 400 doctors. Best, Ann", "email"},
		"met at an event":     {"Hi Kim, great to meet you at Slush last week! Ann, founder of Acme", "event"},
		"will be at an event": {"Hi Kim, will you be at Slush? Would love to show you Acme. Ann, founder", "email"},
		"won at an event": {
			"Hi Kim, we are Acme, winner of the Slush pitch prize. Our deck is attached. Ann, founder",
			"email",
		},
		"these, not CES": {
			"Bonjour, nous sommes Acme. Avec ces clients nous avons 2 M€ de revenus. Cordialement, Anne",
			"email",
		},
		"form": {
			"Company name: Acme\nYour name: Ann Lee\nEmail: ann@acme.io\nHow did you hear about us?: a friend at Northbank",
			"form",
		},
		"form in JSON": {`{"company":"Acme","email":"ann@acme.io","founder":"Ann Lee"}`, "form"},
		"signature is no form": {
			"Hello, we build silos.\nBest\nAnn Lee\nEmail: ann@acme.io\nPhone: +49 30 123456\nWebsite: https://acme.io\n" +
				"LinkedIn: https://www.linkedin.com/in/ann",
			"email",
		},
		"contact form": {
			"Contact form on your site: name=Ann Lee, email=ann@acme.io, message=\"We are Acme\"",
			"website",
		},
		"LinkedIn":             {"LinkedIn message from Ann Lee: we are building Acme, deck follows", "other"},
		"newsletter":           {"Saw in the Northbank newsletter: Acme is raising, nobody has talked to them", "other"},
		"note":                 {"Call with Acme this morning, strong team, second call in two weeks", "manual"},
		"note with a greeting": {"Hey Kim, we passed on Acme yesterday after the second call.", "manual"},
		"note of a pass-over":  {"Not introduced by anyone: had a call with Acme, they wrote to us last week.", "manual"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := analyze(t, tt.text, "New")
			if got.Source != tt.want || got.SourceReasoning == "" {
				t.Errorf("got %q, want %q: %s", got.Source, tt.want, got.SourceReasoning)
			}
		})
	}
}

func TestFounders(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want string // names and addresses, sorted
		not  []string
	}{
		"referrer stays out": {
			"Jonas, meet Rita Moss (CEO of Acme Bio). She's the best. - Phil Drake, Balderton",
			"Rita Moss <>",
			[]string{"Jonas", "Phil"},
		},
		"referrer is founder": {
			"Kim, please meet Ann Lee, CEO at Acme.\n\nJoel Prins, Founder of Stackhouse",
			"Ann Lee <>",
			[]string{"Joel"},
		},
		"banker stays out": {
			"I represent Acme Bio, whose CEO is Ann Lee.\n\nRegards\nOliver Crane\nManaging Director, Greyhaven Partners\n" +
				"oliver@greyhaven.com",
			"Ann Lee <>",
			[]string{"Oliver", "greyhaven"},
		},
		"investor stays out": {
			"Hi Ann, we will pass, it is not a fit for our fund. Best, Tom Wills, Partner at Northbank\n\n" +
				"On Mon, 9 Nov 2026 Ann Lee <ann@acme.io> wrote:\n> I'm the CEO of Acme",
			"Ann Lee <ann@acme.io>",
			[]string{"Tom"},
		},
		"adviser stays out": {
			"We are Acme Labs. CEO: Ann Lee. Advisor: Prof. Karl Weiss. Investor: Eva Stein.",
			"Ann Lee <>",
			[]string{"Karl", "Eva"},
		},
		"greeted stays out": {
			"Dear Kim Berg,\nI'm Ann Lee, co-founder of Acme (ann@acme.io).",
			"Ann Lee <ann@acme.io>",
			[]string{"Kim"},
		},
		"two with addresses": {
			"Acme Labs: Ann Lee (CEO, ann@acme.io) and Bob Ray (CTO, b.ray@acme.io), general: info@acme.io",
			"Ann Lee <ann@acme.io>, Bob Ray <b.ray@acme.io>",
			[]string{"info@"},
		},
		"office is nobody's": {
			"Hello, I'm Ann Lee, founder of Acme. Write to info@acme.io please.",
			"Ann Lee <>",
			[]string{"info@"},
		},
		"title is not a name": {
			"Partner meeting with Acme Labs, founder call tomorrow, due diligence analyst review attached.",
			"",
			[]string{"Partner", "Founder", "Analyst"},
		},
		"company is no person": {
			"Acme Energy, CEO Ann Lee, and Acme Labs CEO Bob Ray spoke.",
			"Ann Lee <>, Bob Ray <>",
			[]string{"Energy", "Labs"},
		},
		"academic title": {
			"CEO of Acme is Dr. Ann Lee, CTO Prof. Dr. Bob Ray.",
			"Ann Lee <>, Bob Ray <>",
			[]string{"Dr.", "Prof."},
		},
		"compound names": {
			"Acme's founders: Abel Tesfaye-Berg, Sanne de Vries and Liam O'Brien.",
			"Abel Tesfaye-Berg <>, Liam O'Brien <>, Sanne de Vries <>", nil,
		},
		"commas without spaces": {
			"Acme's founders Ann Lee,Bob Ray,Liz Brandt build meters.", "Ann Lee <>, Bob Ray <>, Liz Brandt <>", nil,
		},
		"plus and dash": {"Acme - founders Suki Tran + Dale Moss - seed", "Dale Moss <>, Suki Tran <>", nil},
		"form": {
			"Company: Acme\nFirst name: Ann\nLast name: Lee\nEmail: ann@acme.io\nRole: CEO",
			"Ann Lee <ann@acme.io>", nil,
		},
		"titles before founders": {
			"Company: Acme\nFounders: CEO Tom Okafor, CTO Liz Brandt\nEmail: tom@acme.io\nRole: CEO",
			"Liz Brandt <>, Tom Okafor <tom@acme.io>",
			[]string{"CEO", "CTO"},
		},
		"titles after founders": {
			"Company: Acme\nFounders: Tom Okafor, CEO Acme, Liz Brandt, CTO Blue Harbor\nEmail: tom@acme.io",
			"Liz Brandt <>, Tom Okafor <tom@acme.io>",
			[]string{"CEO", "CTO", "Blue"},
		},
		"nobody": {"Saw a company that turns kelp into carpets, no names given, looked nice.", "", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := people(analyze(t, tt.text, "New").Founders)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("%q is among the founders: %q", not, got)
				}
			}
		})
	}
}

func TestFounderDetails(t *testing.T) {
	t.Parallel()
	got := analyze(t,
		"Hello,\n\nI spent eight years at Siemens before Acme, says Ann.\n\nBest regards\nDr. Ann Lee\nCo-founder & CEO, "+
			"Acme GmbH\n+49 151 2345 6789\nann@acme.io\nhttps://www.linkedin.com/in/ann-lee-acme")
	want := analysis.Founder{
		Name: "Ann Lee", Email: "ann@acme.io", Phone: "+49 151 2345 6789", Title: "Co-founder & CEO",
		Background:      "I spent eight years at Siemens before Acme, says Ann",
		LinkedInProfile: "https://www.linkedin.com/in/ann-lee-acme",
	}
	if len(got.Founders) != 1 || got.Founders[0] != want {
		t.Errorf("got %+v\nwant %+v", got.Founders, want)
	}
	if got.Name != "Acme" {
		t.Errorf("name %q: the legal form is no part of it", got.Name)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"founder of": {"I'm Ann Lee, founder of Silo Mind. We met your partner.", "Silo Mind"},
		"subject": {
			"Subject: Silo Mind - seed round\nFrom: ann@gmail.com\n\nPlease see our deck.",
			"Silo Mind",
		},
		"round is no name":      {"Subject: Re: Silo Mind Series A Deck\nFrom: ann@gmail.com\n\nsee below", "Silo Mind"},
		"object of a verb":      {"We passed on Silo Mind today, too early.", "Silo Mind"},
		"with an ampersand":     {"Archive Tinker & Thread, they ran out of cash.", "Tinker & Thread"},
		"not the investor":      {"Bob Ray of Greyhaven Capital recommends Silo Mind. Their CEO is Ann Lee.", "Silo Mind"},
		"not a former employer": {"After ten years at Siemens I started Silo Mind. Ann Lee, CEO", "Silo Mind"},
		"not a customer":        {"Silo Mind sells to customers like Bosch and Siemens. Bosch pays 20k.", "Silo Mind"},
		"not the event":         {"Notes from Web Summit: Silo Mind, grain sensors, CEO Ann Lee.", "Silo Mind"},
		"not a service": {
			"DocSend and Google Drive links follow. LinkedIn says more. Silo Mind builds sensors.",
			"Silo Mind",
		},
		"form":                   {"Company name: silo mind\nYour name: Ann Lee\nEmail: ann@gmail.com", "silo mind"},
		"sender's domain":        {"From: ann@silomind.io\n\nplease see our deck, thanks", "Silomind"},
		"domain with a dash":     {"please see our deck, thanks. ann@silo-mind.co.uk", "Silo Mind"},
		"site's domain":          {"please see https://www.silomind.io/about, thanks", "Silomind"},
		"no domain of a service": {"please see https://docsend.com/view/x, thanks, ann@gmail.com", "Untitled company"},
		"nothing":                {"please see attached", "Untitled company"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := analyze(t, tt.text).Name; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFallbackName(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		links []string
		want  string
	}{
		"sender before site": {
			"From: Ann <ann@silomind.io>\nTo: deals@fund.example\n\nhi",
			[]string{"https://other.io"},
			"Silomind",
		},
		"not the recipient": {"To: deals@northbank.vc\nSubject: hi\n\nhi", nil, "Untitled company"},
		"site": {
			"hi",
			[]string{"https://docsend.com/view/x", "https://www.linkedin.com/in/x", "https://app.silo-mind.com/x"},
			"Silo Mind",
		},
		"an office in capitals": {"NoReply@mailer.example\nann@silomind.io", nil, "Silomind"},
		"bare domain":           {"find us at silomind.io", nil, "Silomind"},
		"a file is no site":     {"see deck.pdf", nil, "Untitled company"},
		"long":                  {"ann@" + strings.Repeat("a", 60) + ".io", nil, "A" + strings.Repeat("a", 59)},
		"empty":                 {"", nil, "Untitled company"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := builtIn().FallbackName(tt.text, tt.links); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAnAddressIsOneInAnyCase checks that the founder gets the address of the text, though it is written in two ways.
func TestAnAddressIsOneInAnyCase(t *testing.T) {
	t.Parallel()
	got := analyze(t, "Hi Kim, I'm Ann Lee, founder of Silo Mind. We build grain sensors. "+
		"Write to Hello.Silo@SiloMind.io, our deck: https://docsend.com/view/x\n\n"+
		"Best\nAnn Lee\nhello.silo@silomind.io").Founders
	if len(got) != 1 || got[0].Email != "hello.silo@silomind.io" {
		t.Errorf("got %+v, want Ann Lee with hello.silo@silomind.io", got)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	got := analyze(t,
		"Hi Kim,\n\nI hope you are well. Silo Mind builds sensors for grain silos. We have 14 paying farms and EUR 300k "+
			"ARR. We are raising a 2M seed. "+
			"Book a call: https://calendly.com/x. Our deck: https://docsend.com/view/x.\n\nBest\nAnn Lee\n+49 30 "+
			"1234567\n\nThis e-mail is confidential.").Summary
	for _, want := range []string{"Silo Mind builds sensors for grain silos.", "14 paying farms", "raising a 2M seed"} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary lacks %q: %s", want, got)
		}
	}
	for _, not := range []string{"hope you are well", "calendly", "docsend", "+49", "confidential", "Hi Kim"} {
		if strings.Contains(got, not) {
			t.Errorf("the summary holds %q: %s", not, got)
		}
	}
	for _, one := range []struct{ text, want string }{
		{
			"Hi, I'm Paulo and we build meters for apartment blocks in Porto. We have 41 buildings live.",
			"We build meters for apartment blocks in Porto.",
		},
		{
			"Silo Mind update.\n\nAnn Lee started Silo Mind: sensors for farms.\n\nAnn Lee, CEO of Silo Mind.",
			"Ann Lee started Silo Mind: sensors for farms.",
		},
		{
			"Dear Kim, Silo Mind builds sensors for grain silos. We have 14 paying farms.",
			"Silo Mind builds sensors for grain silos.",
		},
		{
			"Hello team, my name is Ann Lee and I am the CEO of Silo Mind. We build sensors for grain silos. 14 farms pay us.",
			"We build sensors for grain silos.",
		},
		{
			"Hallo Paul, ich bin Jonas, Gründer von Fahrwasser. Wir bauen Ladesäulen für Binnenschiffe. Neun " +
				"Anleger zahlen uns.",
			"Wir bauen Ladesäulen für Binnenschiffe.",
		},
	} {
		if got := analyze(t, one.text).Summary; !strings.HasPrefix(got, one.want) {
			t.Errorf("the summary of %q begins otherwise: %s", one.text, got)
		}
	}
	if got := analyze(t,
		"Company: Silo Mind\nYour name: Ann Lee\nEmail: ann@silomind.io").Summary; got != "Silo Mind (Ann Lee)." {
		t.Errorf("without a sentence: %q", got)
	}
}

func TestSummaryOfSlides(t *testing.T) {
	t.Parallel()
	got, err := rulesAlone().Analyze(t.Context(), analysis.Input{
		Text: "From: Paulo Serra <paulo@gridmint.pt>\n\nHi, I'm Paulo, founder of GridMint: EV flexibility for apartment " +
			"blocks.\nThe current deck is attached.\n",
		Documents: []analysis.Document{{ID: "d", FileName: "gridmint.pdf", Pages: []string{
			"GridMint\nEV flexibility for apartment blocks\nPre-seed · 2026",
			"Solution\nA box in the meter room shares what the building does not use\nDrivers name a departure time, we find " +
				"the cheapest hours",
			"Traction\n41 buildings live in Porto and Braga\n1,180 chargers under contract",
			"Ask\nRaising EUR 800k pre-seed: 12 cities, 400 buildings, break-even on\neach box in 14 months.",
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "GridMint: EV flexibility for apartment blocks. 41 buildings live in Porto and Braga. " +
		"Raising EUR 800k pre-seed: 12 cities, 400 buildings, break-even on each box in 14 months."
	if got.Summary != want {
		t.Errorf("the summary is %q,\nwant %q", got.Summary, want)
	}
}

func TestNotAsked(t *testing.T) {
	t.Parallel()
	in := analysis.Input{
		Text:   "We have decided not to invest in Acme after the call with its CEO Ann Lee.",
		Stages: []analysis.Stage{{ID: "p", Name: "Passed", Rank: 1}},
	}
	got, err := rulesAlone().Analyze(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if got.StatusID != "" || got.StatusReasoning != "" || got.Source != "" || got.SourceReasoning != "" ||
		got.DeckReasoning != "" {
		t.Errorf("answered what was not asked: %+v", got)
	}
	if got.Name != "Acme" || len(got.Founders) != 1 || got.Analyzer != "rules" {
		t.Errorf("name and founders are always found: %+v", got)
	}
}

func TestRulesStopWithTheCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := builtIn().Analyze(ctx, analysis.Input{Text: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err %v", err)
	}
}
