package rules_test

import (
	"slices"
	"strings"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
)

// The ranking can only choose what is a candidate.
func TestCandidatesHoldNamesOfAllShapes(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"auxmoney":      "Met the auxmoney team today, Yuki was sharp and they want two million.",
		"Forward":       "I'm an advisor to Forward and a small shareholder, so I am biased.",
		"loop":          "Last week's calls: the offer for loop was read out to Wei by phone.",
		"minus one":     "This is Federico from minus one, the ice company.",
		"Ben & Jerry's": "At Ben & Jerry's we have spent two years on better chunks.",
		"Dr. Squatch":   "That is what we are making happen at Dr. Squatch.",
		"Kahoot!":       "The founder of Kahoot! asked me for an introduction.",
		"tado°":         "Please see the teaser of our client tado°. The company is growing.",
		"wow!labs":      "You should look at wow!labs. They build robots.",
		"Oxbow 7":       "We could do the whole round, so Oxbow 7 will not need you.",
		"まちの縁側":         "はじめまして。「まちの縁側」の資金調達をご相談したくご連絡しました。",
		"つくも建機":         "明後日の役員会でつくも建機の採否が決まります。",
		"달빛키친":          "Hello Nils, RE: Seed Round, Ann Lee. 달빛키친에는 오늘 전화로 말씀드렸습니다.",
		"Kite & Anchor": "From: Soraya Haddad, founder, Kite & Anchor\nTo: Ilan\nSubject: today\n\n" +
			"thanks for having us again",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			names, _ := rulesAlone().Observe(analysis.Input{Text: content}).Names(make([]float64, len(rank.KindNames())))
			if !slices.Contains(names, want) {
				t.Errorf("%q is not among %q", want, names)
			}
		})
	}
}

// An ordinary word is a candidate behind words that lead to a name, not behind words that follow one.
func TestWordsBehindANameLeadToNoOther(t *testing.T) {
	t.Parallel()
	names, _ := rulesAlone().Observe(analysis.Input{Text: "Met a baker today. Crumb sells water."}).
		Names(make([]float64, len(rank.KindNames())))
	if slices.Contains(names, "water") {
		t.Errorf("water is among %q", names)
	}
}

// A name that a domain confirms is written as the text writes it, and not as the domain does.
func TestNamesAreSpelledAsInTheText(t *testing.T) {
	t.Parallel()
	all := rules.New(links.DefaultDeckClasses())
	for want, content := range map[string]string{
		"Maple":  "hi, nora from Maple here. we do the books of choirs. mail me: nora@withmaple.co",
		"Jasper": "Nora Vik, nora@withjasper.com. Old dogs get walked by students. Ben says that Jasper is in Leeds.",
		"PENNA+": "Da: Ilaria Conti <ilaria@pennapiu.it>\nOggetto: R: accordo\n\nCaro Lorenzo, letta con l'avvocata. " +
			"Tre punti per chiudere:\n1) pre-money 3,2 e non 2,9\n2) il consigliere ok\n" +
			"PENNA+ non è all'asta, vogliamo voi.",
		"あかつき農園": "From: 小林 葵 <aoki@akatsuki-farm.jp>\n件名:シード調達のご相談(あかつき農園)\n\n突然のご連絡失礼いたします。" +
			"あかつき農園の代表取締役、小林 葵と申します。完全自動のトマト栽培を行っております。",
		"heycar": "---------- Forwarded message ----------\nFrom: Elif Nowak <elif@heycar.com>\nSubject: Intro deck\n\n" +
			"Hi Tom,\n\ngreat talking yesterday. As discussed, here's the deck of heycar.\n\nBest,\nElif",
		"Silo Mind": "From: Ann Lee <ann@silomind.io>\nSubject: Silo Mind\n\nplease see our deck, thanks",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			got, err := all.Analyze(t.Context(), analysis.Input{Text: content})
			if err != nil || got.Name != want {
				t.Errorf("got %q, %v, want %q", got.Name, err, want)
			}
		})
	}
}

// What the text joins to a name is not part of it.
func TestNamesAreBare(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"까치뮤직":    "까치뮤직은 오늘 아침에 첫 미팅을 했습니다. 다음 주에 실사를 시작합니다.",
		"Moonjar": "Moonjar's Hannah Lindqvist sent the signed term sheet this morning.",
		"별빛창고":    "별빛창고 건 종결. 오늘 오전 30억 원 납입 완료되었습니다.",
		"キツネノート":  "キツネノートは来期の黒字化が見えるまで動かないことにしました。",
		"云书":      "公司:云书(八个人)\n邮箱:wang@yunshu.cn\n姓名:王海\n您是:创业者\n留言:想聊聊",
		"Lanternweave": "Hi Tom, thanks for the offer, we accept. The money can move on Tuesday.\n\nInes Roth\n" +
			"for Lanternweave AB",
		"Quiltwing Foods": "Quiltwing Foods Pvt Ltd: spoke with the founder today, she wants two million.",
		"skylark solar":   "from the skylark solar guys.\n\nwe saw skylark solar. and liked it, they want 2m, team of six",
	} {
		got, err := builtIn().Analyze(t.Context(), analysis.Input{Text: content})
		if err != nil || got.Name != want {
			t.Errorf("%q: got %q, %v, want %q", content, got.Name, err, want)
		}
	}
}

// The domain of a founder's address outweighs another name that reads likelier, unless that one looks like the domain.
func TestNamesOfDomains(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"Good Enough To Keep": "From: Asta Holm <asta@goodenoughtokeep.dk>\nTo: Felix Brandt <felix@donau.vc>\n" +
			"Subject: Throwing chairs away should feel stupid\n\nFelix,\n\nAn office in Aarhus bins 40 chairs a month. With " +
			"us it sells them by Friday, for a third of the price.\n\nGood Enough To Keep: 190 offices in Denmark and Norway. " +
			"Loppis (Stockholm) has a similar app.\n\nWe need 2m to open Vienna.\n\nAsta Holm\nCEO",
		"quiffy": "Hey Roxanne, long time. A Polish founder, Kornel, keeps sending me excellent numbers and I feel guilty " +
			"reading them for nothing. It's called quiffy and every barber on the South Side has it. He's raising an A and " +
			"knows nobody east of Piast Group. Could you take 20 min with him? -- Art\n\nBegin forwarded message:\n" +
			"From: Kornel Zawada <kornel@quiffy.net>\nSubject: October\nArt, 9,100 salons, MRR 214k usd. K.",
		"Klöppelwerk": "From: Anna Berg <anna@kloeppelwerk.de>\nSubject: Spitzen\n\nHallo Tom, das Klöppelwerk in Annaberg " +
			"macht Spitze. Wir suchen 300.000 Euro. Passt Dienstag?\n\nAnna Berg",
	} {
		got, err := builtIn().Analyze(t.Context(), analysis.Input{Text: content})
		if err != nil || got.Name != want {
			t.Errorf("got %q, %v, want %q", got.Name, err, want)
		}
	}
}

// A name that is first and most often in the text, or that a subject begins with, outweighs the customers, competitors
// and places beside it.
func TestNamesStandOut(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"Yolva": "Subject: Yolva: payment orchestration, following up on our call\n\nHi Astrid and Wouter,\n\nThanks for " +
			"your time yesterday. As discussed, the three points that were open:\n\n1. Volume. Yolva processes payments for " +
			"McDonald's, inDrive, Rappi and others. Annualised volume is in the data room, folder 4.\n2. Geography. Colombia, " +
			"Mexico, Brazil remain at 60%.\n3. Difference to Primer, Spreedly, Gr4vy. More local methods, and the monitors " +
			"that switch the acquirer before the client notices.\n\nKind regards\nSantiago Pardo",
		"Inkwell": "Notes from call w/ Inkwell, Tues\n\n- durable execution, event driven. Competes w/ Temporal (heavier), " +
			"AWS Step Functions (hated), Trigger.dev (closest in feel)\n- team 22, mostly remote, SF HQ\n- biggest customer " +
			"does ~18% of revenue. flag\n- round: 20ish, wants a lead who has done infra before\n\nMy view: take the second " +
			"meeting, ask for cohort data.\n\nT.",
		"Pipewell": "From: Pipewell Investor Relations\nSubject: 2024 wrap-up\n\nDear shareholders,\n\n2024 was the year " +
			"in which Pipewell stopped being \"a no-code workflow tool\" and became \"the place our agents work\". AI agents " +
			"launched in April.\n\n- ARR +27%, enterprise ARR +41%\n- New logos: a top 3 Brazilian bank, two US hospital " +
			"groups\n\nCuritiba remains home for product and engineering; sales leadership has moved to San Francisco.\n\n" +
			"Sincerely,\nOtávio Brandt, CFO",
	} {
		got, err := builtIn().Analyze(t.Context(), analysis.Input{Text: content})
		if err != nil || got.Name != want {
			t.Errorf("got %q, %v, want %q", got.Name, err, want)
		}
	}
}

// TestNoNameIsAnEvents checks that "ReLoop Summit Paris" is no company: a summit stays an event with a place behind it.
func TestNoNameIsAnEvents(t *testing.T) {
	t.Parallel()
	got, err := builtIn().Analyze(t.Context(), analysis.Input{Text: "Post-event wrap: ReLoop Summit Paris\nLoop's back, " +
		"everyone says. LoopBarn certainly is: met Victoire A. (co-founder) on the terrace for a follow-up a day after the " +
		"summit; 4.5m revenue a month, Berlin growing quicker than Paris. Kelpie (Helsinki) owns its refurbishing, " +
		"they don't."})
	if want := "LoopBarn"; err != nil || got.Name != want {
		t.Errorf("got %q, %v, want %q", got.Name, err, want)
	}
}

// What always follows a name belongs to it, and a domain is written as the text writes it.
func TestNamesAreWhole(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"Granny & I": "From: Peter Waweru\nTo: Acorn deals\nSubject: Introduction, Granny & I\n\nColleagues,\n\n" +
			"Granny & I looks after expectant mothers from the test to the first birthday. For 900 a month she gets a midwife " +
			"on the phone and four scans. 7,700 mothers, 3 banks.\n\nThey want 800,000; Birch and I are in with 190,000 " +
			"together.\n\nDr. Sylvia Otieno, Medical Director & Co-founder: sylvia@grannyandi.health",
		"Nuvola&Co": "Ciao Corrado, ti giro il contatto di Ilaria Serra, CEO di Nuvola&Co (ilaria@nuvolaeco.it): pasta " +
			"fresca per mense aziendali. Li seguo da advisor e ci credo.\nUn abbraccio, Pietro",
		"Tern & a Half": "Met the people of Tern & a Half today. They want 2m.",
		"HUM&HAMMER": "Dear Ms. Hahn, HUM&HAMMER (nothing with the Hum app!) rents premium mattresses to one-room tenants. " +
			"6,300 subscribers, 19,900, churn 2.1%. Coldway is copying us. Raising 1.5B. Founder Jihye Baek, " +
			"jihye@humandhammer.co",
		"pebblewick": "nora - pebblewick. tiny. ida rowe (founder, ida@pebblewick.stay) has 40 cabins. want an intro? x cat",
		"Harlow's":   "Harlow's. No. We looked at it in 2019, we looked again in March, and the answer has not changed.",
		"Harlow":     "Harlow's founder called. Harlow's numbers are good, she wants 2m.",
		"Kelvino°":   "Spoke with Kelvino° again, the heat pumps sell well. Kelvino° wants 2m.",
	} {
		got, err := builtIn().Analyze(t.Context(), analysis.Input{Text: content})
		if err != nil || got.Name != want {
			t.Errorf("%q: got %q, %v, want %q", content, got.Name, err, want)
		}
	}
}

// No name is both the company's and a founder's, unless the text says so.
func TestCompaniesAreNoFounders(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"Arena Verde: Sol Iriarte, Luz Peña": "Met Sol Iriarte in Rosario. Sol Iriarte and Luz Peña make bottles of sand: " +
			"Arena Verde, 40 shops.",
		"Sorrel Lane: Brian Lane": "Met Sorrel Lane today, the founder Brian Lane was late. Sorrel Lane makes soap.",
	} {
		found, err := builtIn().Analyze(t.Context(), analysis.Input{Text: content})
		if err != nil {
			t.Fatal(err)
		}
		var people []string
		for _, f := range found.Founders {
			people = append(people, f.Name)
		}
		if got := found.Name + ": " + strings.Join(people, ", "); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

// A domain is found behind letters that take more bytes in lower case, and behind invalid UTF-8.
func TestDomainsAreFoundBehindLettersThatGrow(t *testing.T) {
	t.Parallel()
	for _, before := range []string{strings.Repeat("Ⱥ", 30), strings.Repeat("\xff", 30), strings.Repeat("İ", 30)} {
		text := "We are " + before + " Labs, see Gridmint.io"
		names, _ := rulesAlone().Observe(analysis.Input{Text: text}).Names(make([]float64, len(rank.KindNames())))
		if !slices.Contains(names, "Gridmint.io") {
			t.Errorf("Gridmint.io is not among %q", names)
		}
	}
}
