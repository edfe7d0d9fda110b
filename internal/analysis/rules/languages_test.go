package rules_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestTitlesMakeFounders reads texts with one person and one title each, which makes them a founder or does not.
func TestTitlesMakeFounders(t *testing.T) {
	t.Parallel()
	founders := []string{
		"founder", "Co-Founder", "cofounder", "co-founder & CEO", "CEO and founder", "CTO", "COO", "CFO",
		"Chief Executive Officer", "Chief Scientific Officer", "Managing Director", "technical co-founder", "Founding CEO",
		"Gründer", "Gründerin", "Mitgründerin", "Geschäftsführer", "Gründer und Geschäftsführer", "Vorständin", "fondateur",
		"cofondatrice", "fondatrice et CEO", "PDG", "directrice générale", "fundador", "cofundadora", "CEO y cofundadora",
		"director general", "consejera delegada", "fondatore", "co-fondatrice", "amministratrice delegata", "cofundador",
		"sócia-fundadora", "oprichter", "mede-oprichter", "CEO en mede-oprichter", "założycielka", "współzałożyciel",
		"prezes zarządu",
		"kurucu", "kurucu ortak", "genel müdür", "medgrundare", "VD", "daglig leder", "stifter", "toimitusjohtaja",
		"zakladatel", "alapító", "сооснователь",
	}
	others := []string{
		"partner", "Investment Manager", "analyst", "advisor", "Business Angel", "lawyer", "Head of Sales", "VP Marketing",
		"Professor", "journalist", "Berater", "conseillère", "inversor", "consulente", "doradca", "danışman",
	}
	for _, title := range founders {
		for _, form := range []string{"Silo Mind - Ann Lee, %s, grain sensors", "Silo Mind (grain sensors): Ann Lee (%s)"} {
			text := fmt.Sprintf(form, title)
			if got := analyze(t, text, "New").Founders; len(got) != 1 || got[0].Name != "Ann Lee" || got[0].Title != title {
				t.Errorf("%q: got %+v", text, got)
			}
		}
	}
	for _, title := range others {
		text := fmt.Sprintf("Silo Mind, grain sensors. Ann Lee, %s, told us about it.", title)
		if got := analyze(t, text, "New").Founders; len(got) != 0 {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

// TestStageVocabulary tries each meaning of a stage under many names, with a note that speaks of it in other words.
func TestStageVocabulary(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		note  string
		names []string
	}{
		"screening": {
			"Our analyst screened Silo Mind today and wrote a page about the market.",
			[]string{
				"Screening", "Analyst review", "Under review", "Vorprüfung", "À étudier", "En análisis", "In valutazione",
				"Triagem", "Beoordeling", "Analiza", "İnceleme", "初筛", "一次検討",
			},
		},
		"meeting": {
			"We had a call with Silo Mind yesterday, it went very well for both sides.",
			[]string{
				"First Meeting", "Intro call", "Call", "Met", "Erstgespräch", "Premier rendez-vous", "Primera reunión",
				"Primo incontro", "Reunião", "Kennismaking", "Spotkanie", "Görüşme", "首次会议", "面談",
			},
		},
		"diligence": {
			"We are in due diligence with Silo Mind, their data room is open since Monday.",
			[]string{
				"Due Diligence", "DD", "Deep dive", "Digging in", "Detailprüfung", "Approfondimento", "Verdieping", "尽职调查",
				"デューデリジェンス",
			},
		},
		"committee": {
			"Silo Mind was presented at IC today, the investment committee liked it a lot.",
			[]string{"IC", "Investment Committee", "Committee", "Comité", "Comitato", "Komitet", "投委会", "投資委員会"},
		},
		"terms": {
			"We sent a term sheet to Silo Mind this morning and are negotiating terms.",
			[]string{
				"Term Sheet", "Offer", "Negotiation", "Docs out", "Papering", "Verhandlung", "Négociation", "Onderhandeling",
				"Negocjacje", "Anlaşma", "投资条款",
			},
		},
		"won": {"We signed the SHA with Silo Mind and wired the money this morning.", []string{
			"Invested", "Portfolio", "Won", "Closed won", "Funded", "Backed", "Beteiligt", "Investi", "Invertida", "Investito",
			"Geïnvesteerd", "Zainwestowano", "Yatırım yapıldı", "已投资", "投資済",
		}},
		"lost": {"We decided not to invest in Silo Mind, the market is too small for us.", []string{
			"Passed", "Rejected", "Declined", "Lost", "Archived", "Not for us", "No go", "Abgelehnt", "Refusé", "Descartada",
			"Scartato", "Recusada", "Afgewezen", "Odrzucone", "Reddedildi", "已拒绝", "見送り",
		}},
		"hold": {"Silo Mind is too early for us, let's keep in touch and revisit next year.", []string{
			"Watchlist", "On hold", "Tracking", "Nurture", "Parked", "Keep warm", "Wiedervorlage", "À suivre", "En espera",
			"In attesa",
		}},
	}
	for concept, tt := range tests {
		for i, name := range tt.names {
			stages := []string{"Inbox", "zzz", name}
			if i%2 == 0 {
				stages = []string{"Inbox", "07 " + name, "zzz"}
				name = "07 " + name
			}
			if got := analyze(t, tt.note, stages...); got.StatusID != name {
				t.Errorf("%s: of %v got %q, want %q: %s", concept, stages, got.StatusID, name, got.StatusReasoning)
			}
		}
	}
}

// TestIntakeVocabulary tries the first stage under many names: a founder's first letter belongs there.
func TestIntakeVocabulary(t *testing.T) {
	t.Parallel()
	const letter = "Hello, I'm Ann Lee, founder of Silo Mind. We build grain sensors and are raising 1M."
	for _, name := range []string{
		"New", "Inbox", "Leads", "Lead", "Sourced", "To review", "Initial Review", "Inbound", "Backlog", "Received",
		"Applied", "01 Fresh", "Eingang", "Neu", "Nouveau", "Entrada", "Nuovi", "Novos", "Nieuw", "Skrzynka", "Yeni", "新项目",
		"新規", "Whatever",
	} {
		if got := analyze(t, letter, name, "First Meeting", "Passed"); got.StatusID != name {
			t.Errorf("%q: got %q: %s", name, got.StatusID, got.StatusReasoning)
		}
	}
	if got := analyze(t, letter, "First Meeting", "Due Diligence", "New"); got.StatusID != "New" {
		t.Errorf("the intake stage is told by its name, not by its place: got %q", got.StatusID)
	}
}

// TestNegation checks that a stage that a text denies, calls past, or only hopes for is not chosen.
func TestNegation(t *testing.T) {
	t.Parallel()
	stages := []string{"New", "First Meeting", "Due Diligence", "Term Sheet", "Invested", "Passed"}
	for _, tt := range []struct{ text, not string }{
		{"Silo Mind: we have not started due diligence, they only sent their deck.", "Due Diligence"},
		{"Silo Mind wrote again. There was no term sheet and there is none now either.", "Term Sheet"},
		{"Silo Mind wrote to us. We haven't invested in the company so far, to be clear.", "Invested"},
		{"Silo Mind is back. Last year we passed on them, now they have revenue and want to talk.", "Passed"},
		{"Silo Mind sent numbers. If they hold we might start due diligence some day.", "Due Diligence"},
		{"Silo Mind sent numbers. Hopefully there will be a term sheet once the pilot works.", "Term Sheet"},
		{"Silo Mind is back, we almost passed on them before reading the new deck.", "Passed"},
		{"Silo Mind hat geschrieben. Es gibt noch kein Term Sheet und keine Absage von uns.", "Term Sheet"},
		{"Silo Mind nous a écrit. Nous n'avons pas encore investi dans la société.", "Invested"},
		{"Silo Mind nos escribió. Todavía no hay due diligence con la empresa.", "Due Diligence"},
		{"Silo Mind ci ha scritto. Non abbiamo ancora una due diligence aperta con loro.", "Due Diligence"},
		{"Silo Mind ons mailde. Er is nog geen term sheet en ook geen afspraak.", "Term Sheet"},
		{"Hello, we are Silo Mind. Our customers finished their due diligence and signed with us.", "Due Diligence"},
		{"Hello, we are Silo Mind. An angel has invested in our company and another passed.", "Invested"},
		{"Hello, we are Silo Mind and we have passed our certification, deck attached.", "Passed"},
	} {
		if got := analyze(t, tt.text, stages...); got.StatusID == tt.not {
			t.Errorf("%q: got %q: %s", tt.text, got.StatusID, got.StatusReasoning)
		}
	}
}

// TestMailHeads reads the sender and the subject of mails in the words of many mail programs.
func TestMailHeads(t *testing.T) {
	t.Parallel()
	const address = "Ann Lee <ann@silomind.io>"
	for _, head := range []string{
		"From: %s\nTo: deals@fund.example\nSubject: %s\nDate: Mon, 2 Nov 2026",
		"*From:* %s\n*Sent:* Monday\n*To:* deals@fund.example\n*Subject:* %s",
		"Von: %s\nGesendet: Montag\nAn: deals@fund.example\nBetreff: %s",
		"De : %s\nEnvoyé : lundi\nÀ : deals@fund.example\nObjet : %s",
		"De: %s\nEnviado: lunes\nPara: deals@fund.example\nAsunto: %s",
		"Da: %s\nInviato: lunedì\nA: deals@fund.example\nOggetto: %s",
		"De: %s\nEnviado: segunda\nPara: deals@fund.example\nAssunto: %s",
		"Van: %s\nVerzonden: maandag\nAan: deals@fund.example\nOnderwerp: %s",
		"Od: %s\nWysłano: poniedziałek\nDo: deals@fund.example\nTemat: %s",
		"Kimden: %s\nGönderilme: Pazartesi\nKime: deals@fund.example\nKonu: %s",
		"发件人: %s\n日期: 2026-11-02\n收件人: deals@fund.example\n主题: %s",
		"差出人: %s\n日時: 2026-11-02\n宛先: deals@fund.example\n件名: %s",
		"---------- Forwarded message ---------\nFrom: %s\nDate: Mon\nSubject: %s\nTo: deals@fund.example",
		"-----Original Message-----\nFrom: %s\nSent: Monday\nSubject: %s",
		"> From: %s\n> Subject: %s",
	} {
		text := fmt.Sprintf(head, address, "Silo Mind seed round") + "\n\nPlease see the numbers below, thank you."
		got := analyze(t, text, "New")
		if got.Name != "Silo Mind" || people(got.Founders) != "Ann Lee <ann@silomind.io>" || got.Source != "email" {
			t.Errorf("%q\ngot %q, %s, %s", text, got.Name, people(got.Founders), got.Source)
		}
	}
	for _, line := range []string{
		"On Mon, 2 Nov 2026 at 10:00, %s wrote:", "Am Mo., 2. Nov. 2026 um 10:00 Uhr schrieb %s:",
		"Le lun. 2 nov. 2026 à 10:00, %s a écrit :", "El lun, 2 nov 2026 a las 10:00, %s escribió:",
		"Il giorno lun 2 nov 2026 alle ore 10:00 %s ha scritto:",
		"Em seg., 2 de nov. de 2026 às 10:00, %s escreveu:", "Op ma 2 nov 2026 om 10:00 schreef %s:",
	} {
		text := "Hi Ann, thanks for sharing Silo Mind. We have decided not to invest. Best, Tom Wills\n\n" +
			fmt.Sprintf(line, address) + "\n> please see our deck"
		if got := people(analyze(t, text, "New", "Passed").Founders); got != "Ann Lee <ann@silomind.io>" {
			t.Errorf("%q: founders %s", line, got)
		}
	}
}

// TestForms reads the same answers in the forms that questionnaires come in.
func TestForms(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"label: answer": "Company name: Silo Mind\nYour name: Ann Lee\nEmail: ann@silomind.io\nRole: CEO",
		"label above":   "Company name\nSilo Mind\n\nYour name\nAnn Lee\n\nEmail\nann@silomind.io\n\nRole\nCEO",
		"questions": "What is your company called?\nSilo Mind\nWhat is your name?\nAnn Lee\nWhat is your " +
			"email?\nann@silomind.io\nWhat is your role?\nCEO",
		"Q and A": "Q: Company?\nA: Silo Mind\nQ: Your name?\nA: Ann Lee\nQ: E-mail?\nA: ann@silomind.io\nQ: " +
			"Your role?\nA: CEO",
		"question, answer": "What's your company name? Silo Mind\nWhat's your name? Ann Lee\nWhat is your email? " +
			"ann@silomind.io\nYour role? CEO",
		"numbered": "1. Startup: Silo Mind\n2. Founder: Ann Lee\n3. Email: ann@silomind.io\n4. Title: CEO",
		"markdown": "- **Company:** Silo Mind\n- **Full name:** Ann Lee\n- **Email:** ann@silomind.io\n- " +
			"**Position:** CEO",
		"first and last": "First name: Ann\nLast name: Lee\nCompany: Silo Mind\nWork email: ann@silomind.io\nJob " +
			"title: CEO",
		"assignments": "company_name=Silo Mind; full_name=Ann Lee; email=ann@silomind.io; role=CEO",
		"JSON":        `{"company":"Silo Mind","full_name":"Ann Lee","email":"ann@silomind.io","role":"CEO"}`,
		"JSON, nested": `{"data":{"fields":[{"label":"Company","value":"Silo Mind"},{"label":"Your name",` +
			`"value":"Ann Lee"},{"label":"Email","value":"ann@silomind.io"},{"label":"Role","value":"CEO"}]}}`,
		"JSON, camel case": `{"companyName":"Silo Mind","firstName":"Ann","lastName":"Lee","email":"ann@silomind.io",` +
			`"jobTitle":"CEO"}`,
		"HTML table": "<table><tr><td>Company:</td><td>Silo Mind</td></tr><tr><td>Your name:</td><td>Ann " +
			"Lee</td></tr><tr><td>Email:</td><td>ann@silomind.io</td></tr><tr><td>Role:</td><td>CEO</td></tr></table>",
		"German": "Firma: Silo Mind\nAnsprechpartnerin: Ann Lee\nE-Mail-Adresse: ann@silomind.io\nRolle: CEO",
		"French": "Nom de la société : Silo Mind\nNom complet : Ann Lee\nAdresse e-mail : " +
			"ann@silomind.io\nFonction : CEO",
		"Spanish": "Empresa: Silo Mind\nNombre completo: Ann Lee\nCorreo electrónico: ann@silomind.io\nCargo: CEO",
		"Italian": "Azienda: Silo Mind\nNome e cognome: Ann Lee\nIndirizzo email: ann@silomind.io\nRuolo: CEO",
		"Portuguese": "Nome da empresa: Silo Mind\nNome completo: Ann Lee\nEndereço de email: " +
			"ann@silomind.io\nFunção: CEO",
		"Dutch":             "Bedrijfsnaam: Silo Mind\nVolledige naam: Ann Lee\nE-mailadres: ann@silomind.io\nFunctie: CEO",
		"Polish":            "Nazwa firmy: Silo Mind\nImię i nazwisko: Ann Lee\nE-mail: ann@silomind.io\nStanowisko: CEO",
		"Turkish":           "Şirket adı: Silo Mind\nAd Soyad: Ann Lee\nE-posta: ann@silomind.io\nÜnvan: CEO",
		"Chinese":           "公司名称：Silo Mind\n姓名：Ann Lee\n邮箱：ann@silomind.io\n职位：CEO",
		"Japanese":          "会社名：Silo Mind\nお名前：Ann Lee\nメールアドレス：ann@silomind.io\n役職：CEO",
		"carriage returns":  "Company name: Silo Mind\r\nYour name: Ann Lee\r\nEmail: ann@silomind.io\r\nRole: CEO\r\n",
		"founder with role": "Company: Silo Mind\nFounders: Ann Lee (CEO)\nEmail: ann@silomind.io",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := analyze(t, text, "New")
			if got.Name != "Silo Mind" || people(got.Founders) != "Ann Lee <ann@silomind.io>" || got.Founders[0].Title != "CEO" {
				t.Errorf("got %q, %+v", got.Name, got.Founders)
			}
			if got.Source != "form" {
				t.Errorf("source %q: %s", got.Source, got.SourceReasoning)
			}
		})
	}
}

// TestIntroductions says in many languages who introduces whom: the source is a referral, and the one who introduces is
// not a founder.
func TestIntroductions(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Kim, meet Ann Lee, CEO of Silo Mind. Ann, meet Kim. All yours! Bob Ray",
		"Hi Kim, I'd like to introduce you to Ann Lee (CEO of Silo Mind). Best, Bob Ray",
		"Kim, connecting you with Ann Lee, founder of Silo Mind, as discussed. Cheers, Bob Ray",
		"Kim, looping in Ann Lee, CEO at Silo Mind. I'll let you two take it from here. Bob Ray",
		"Hallo Kim, darf ich vorstellen: Ann Lee, Gründerin von Silo Mind. Viele Grüße, Bob Ray",
		"Salut Kim, je te présente Ann Lee, fondatrice de Silo Mind. À bientôt, Bob Ray",
		"Hola Kim, te presento a Ann Lee, fundadora de Silo Mind. Un abrazo, Bob Ray",
		"Ciao Kim, ti presento Ann Lee, fondatrice di Silo Mind. A presto, Bob Ray",
		"Olá Kim, apresento-te a Ann Lee, fundadora da Silo Mind. Abraços, Bob Ray",
		"Hoi Kim, ik stel je voor aan Ann Lee, oprichter van Silo Mind. Groeten, Bob Ray",
	} {
		got := analyze(t, text, "New")
		if got.Source != "referral" || people(got.Founders) != "Ann Lee <>" || got.Name != "Silo Mind" {
			t.Errorf("%q: %s, %s, %q: %s", text, got.Source, people(got.Founders), got.Name, got.SourceReasoning)
		}
	}
}

// TestRecommendations reads letters of founders whom somebody else advised to write: the writer alone is a founder, and
// the source is a referral.
func TestRecommendations(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Hi Kim, Bob Ray (Northbank) suggested that I reach out. I'm Ann Lee, CEO of Silo Mind.",
		"Hi Kim, we were introduced by Bob Ray. I'm Ann Lee, CEO of Silo Mind, and we build sensors.",
		"Hi Kim, Bob Ray told me to write to you. My name is Ann Lee, founder of Silo Mind.",
		"Hallo Kim, Bob Ray hat mir empfohlen, Ihnen zu schreiben. Ich bin Ann Lee, Gründerin von Silo Mind.",
		"Bonjour Kim, sur les conseils de Bob Ray : je suis Ann Lee, fondatrice de Silo Mind.",
		"Hola Kim, nos presentó Bob Ray. Soy Ann Lee, CEO de Silo Mind.",
		"Ciao Kim, mi ha consigliato Bob Ray di scriverti. Sono Ann Lee, CEO di Silo Mind.",
		"Olá Kim, o Bob Ray sugeriu que vos escrevesse. Sou a Ann Lee, CEO da Silo Mind.",
		"Beste Kim, op aanraden van Bob Ray schrijf ik je. Ik ben Ann Lee, oprichter van Silo Mind.",
		"Cześć Kim, Bob Ray polecił mi kontakt. Jestem Ann Lee, prezes Silo Mind.",
		"Merhaba Kim, Bob Ray tavsiye etti. Ben Ann Lee, Silo Mind kurucusu.",
	} {
		got := analyze(t, text, "New")
		if got.Source != "referral" || !strings.Contains(people(got.Founders), "Ann Lee") ||
			strings.Contains(people(got.Founders), "Bob") {
			t.Errorf("%q: %s, %s: %s", text, got.Source, people(got.Founders), got.SourceReasoning)
		}
	}
}
