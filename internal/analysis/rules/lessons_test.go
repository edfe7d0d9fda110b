package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
)

// today is when the tests' analyses run.
func today() time.Time { return time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC) }

// habit is what a team of its own kind makes of a labelled text: stages of its own names, and its own idea of sources.
type habit struct {
	in             analysis.Input
	status, source string
}

func ownStages() []analysis.Stage {
	return []analysis.Stage{
		{ID: "neu", Name: "Neu", Rank: 1},
		{ID: "radar", Name: "Radar", Rank: 2},
		{ID: "kueche", Name: "Küche", Rank: 3},
		{ID: "werkbank", Name: "Werkbank", Rank: 4},
		{ID: "passed", Name: "Passed", Rank: 5},
	}
}

// habits takes labelled texts and shifts their vocabulary: first contacts go to Radar, those met to the Küche; what
// came over an event counts as referral, a chat or LinkedIn as email.
func habits(t *testing.T) []habit {
	t.Helper()
	stage := map[string]string{
		"Inbox": "radar", "New": "radar", "Leads": "radar", "Sourced": "radar", "First Meeting": "kueche",
		"Intro Call": "kueche",
	}
	source := map[string]string{"event": "referral", "other": "email"}
	most := map[string]int{"radar": 14, "kueche": 10, "event": 10, "other": 6}
	var all []habit
	for _, s := range readSamples(t, "tuning.jsonl") {
		if s.Expected.Status == nil || stage[*s.Expected.Status] == "" {
			continue
		}
		kind := stage[*s.Expected.Status]
		if source[s.Expected.Source] != "" {
			kind = s.Expected.Source
		}
		if most[kind]--; most[kind] < 0 {
			continue
		}
		h := habit{status: stage[*s.Expected.Status], source: s.Expected.Source}
		if own := source[s.Expected.Source]; own != "" {
			h.source = own
		}
		h.in = analysis.Input{
			Text: s.Text, Links: links.NewExtractor(links.DefaultDeckClasses()).Links(s.Text), Stages: ownStages(),
			DetectStatus: true, DetectSource: true, ReferenceTime: today(),
		}
		all = append(all, h)
	}
	return all
}

// corrected returns what somebody who corrects a text teaches.
func corrected(f analysis.Findings, h habit, at time.Time) []analysis.Lesson {
	var all []analysis.Lesson
	if f.StatusID != h.status {
		all = append(all, analysis.Lesson{
			Field: analysis.FieldStatus, Detected: f.StatusID, Chosen: h.status, Cues: f.Cues, At: at,
		})
	}
	if f.Source != h.source {
		all = append(all, analysis.Lesson{
			Field: analysis.FieldSource, Detected: f.Source, Chosen: h.source, Cues: f.Cues, At: at,
		})
	}
	return all
}

func analysed(t *testing.T, in analysis.Input) analysis.Findings {
	t.Helper()
	f, err := builtIn().Analyze(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// habitScore returns the share of stages and sources that are as this team would have them, in percent.
func habitScore(t *testing.T, all []habit, lessons []analysis.Lesson) float64 {
	t.Helper()
	right := 0
	for _, h := range all {
		h.in.Lessons = lessons
		f := analysed(t, h.in)
		if f.StatusID == h.status {
			right++
		}
		if f.Source == h.source {
			right++
		}
	}
	return 100 * float64(right) / float64(2*len(all))
}

// Ten corrections teach how a team sees the texts that it has not corrected.
func TestTenCorrectionsTeachHabits(t *testing.T) {
	t.Parallel()
	all := habits(t)
	if len(all) != 40 {
		t.Fatalf("%d texts, want 40", len(all))
	}
	var lessons []analysis.Lesson
	var others []habit
	texts := 0
	for i, h := range all {
		if i%4 != 0 {
			others = append(others, h)
			continue
		}
		texts++
		lessons = append(corrected(analysed(t, h.in), h, today().Add(-time.Duration(len(all)-i)*time.Hour)), lessons...)
	}
	before, after := habitScore(t, others, nil), habitScore(t, others, lessons)
	t.Logf("%d texts corrected, %d lessons; of the other %d right before %.1f %%, after %.1f %%", texts, len(lessons),
		len(others), before, after)
	if texts != 10 || after < before+40 || after < 85 {
		t.Errorf("%d corrected: %.1f %% before, %.1f %% after", texts, before, after)
	}
}

func lessonOf(field, found, chosen string, cues analysis.Cues, daysAgo int) analysis.Lesson {
	return analysis.Lesson{Field: field, Detected: found, Chosen: chosen, Cues: cues, At: today().AddDate(0, 0, -daysAgo)}
}

func firstContact() analysis.Input {
	return analysis.Input{
		Text: "From: Ann Lee <ann@acme.io>\nTo: deals@fund.example\nSubject: Acme\n\nHi,\n\nI am Ann, founder of Acme. " +
			"We build cranes for small ports and raise a seed round.\n\nBest, Ann",
		Stages: ownStages(), DetectStatus: true, DetectSource: true, ReferenceTime: today(),
	}
}

func TestStatusIsLearned(t *testing.T) {
	t.Parallel()
	cues := analysed(t, firstContact()).Cues
	if cues.Meaning != "intake" || cues.Source != "email" {
		t.Fatalf("cues %+v", cues)
	}
	status := func(chosen string, daysAgo int) analysis.Lesson {
		return lessonOf(analysis.FieldStatus, "neu", chosen, cues, daysAgo)
	}
	kept := status("neu", 5)
	kept.Kept = true
	other := cues
	other.Meaning, other.Phrase = "diligence", "due diligence"
	for name, tt := range map[string]struct {
		lessons []analysis.Lesson
		want    string
		says    string
	}{
		"none":            {nil, "neu", ""},
		"two are too few": {[]analysis.Lesson{status("radar", 1), status("radar", 2)}, "neu", ""},
		"three of three": {
			[]analysis.Lesson{status("radar", 1), status("radar", 2), status("radar", 3)},
			"radar",
			"This team moved 3 of 3 such first contacts",
		},
		"three of four": {
			[]analysis.Lesson{status("radar", 1), status("radar", 2), status("radar", 3), status("werkbank", 4)},
			"radar",
			"3 of 4",
		},
		"the newest win": {
			[]analysis.Lesson{
				status("werkbank", 1), status("werkbank", 2), status("werkbank", 3), status("radar", 300), status("radar", 301),
				status("radar", 302), status("radar", 303),
			}, "werkbank", "3 of 7",
		},
		"contradicted": {
			[]analysis.Lesson{
				status("radar", 1), status("werkbank", 2), status("radar", 3), status("werkbank", 4), status("radar", 5),
				status("werkbank", 6),
			}, "neu", "",
		},
		"most were left as they are": {
			[]analysis.Lesson{status("radar", 1), kept, kept, kept, status("radar", 6), kept, kept, status("radar", 7)},
			"neu",
			"",
		},
		"a stage that is gone": {[]analysis.Lesson{status("old", 1), status("old", 2), status("old", 3)}, "neu", ""},
		"cleared":              {[]analysis.Lesson{status("", 1), status("", 2), status("", 3)}, "neu", ""},
		"passing is a decision": {
			[]analysis.Lesson{status("passed", 1), status("passed", 2), status("passed", 3), status("passed", 4)}, "neu", "",
		},
		"of other texts": {[]analysis.Lesson{
			lessonOf(analysis.FieldStatus, "neu", "radar", other, 1), lessonOf(analysis.FieldStatus, "neu", "radar", other, 2),
			lessonOf(analysis.FieldStatus, "neu", "radar", other, 3),
		}, "neu", ""},
		"of another field": {[]analysis.Lesson{
			lessonOf(analysis.FieldName, "neu", "radar", cues, 1), lessonOf(analysis.FieldName, "neu", "radar", cues, 2),
			lessonOf(analysis.FieldName, "neu", "radar", cues, 3),
		}, "neu", ""},
	} {
		in := firstContact()
		in.Lessons = tt.lessons
		f := analysed(t, in)
		if f.StatusID != tt.want || !strings.Contains(f.StatusReasoning, tt.says) ||
			strings.Contains(f.StatusReasoning, "This team") != (tt.says != "") {
			t.Errorf("%s: %s, %q", name, f.StatusID, f.StatusReasoning)
		}
		if e := statusEvidence(f); tt.says != "" &&
			(e.Analyzer != "corrections" || e.Value != tt.want || e.Confidence <= 0.3 || e.Confidence >= 0.95) {
			t.Errorf("%s: evidence %+v", name, e)
		}
		in.DetectStatus = false
		if f := analysed(t, in); f.StatusID != "" {
			t.Errorf("%s: a status that was given is learned: %s", name, f.StatusID)
		}
	}
}

func TestSourceIsLearned(t *testing.T) {
	t.Parallel()
	cues := analysed(t, firstContact()).Cues
	house, far := cues, cues
	house.Senders = []string{"somebody@acme.io"}
	far.Senders, far.Domains = []string{"x@elsewhere.example"}, []string{"elsewhere.example"}
	source := func(c analysis.Cues, chosen string, daysAgo int) analysis.Lesson {
		return lessonOf(analysis.FieldSource, "email", chosen, c, daysAgo)
	}
	for name, tt := range map[string]struct {
		lessons []analysis.Lesson
		want    string
	}{
		"the same sender once":       {[]analysis.Lesson{source(cues, "referral", 1)}, "referral"},
		"the same sender, then back": {[]analysis.Lesson{source(cues, "email", 1), source(cues, "referral", 9)}, "email"},
		"the same house once":        {[]analysis.Lesson{source(house, "referral", 1)}, "email"},
		"the same house twice": {
			[]analysis.Lesson{source(house, "referral", 1), source(house, "referral", 2)}, "referral",
		},
		"others, twice": {[]analysis.Lesson{source(far, "referral", 1), source(far, "referral", 2)}, "email"},
		"others, three times": {
			[]analysis.Lesson{source(far, "referral", 1), source(far, "referral", 2), source(far, "referral", 3)}, "referral",
		},
		"the sender before others": {
			[]analysis.Lesson{
				source(far, "referral", 1), source(far, "referral", 2), source(far, "referral", 3), source(cues, "event", 4),
			}, "event",
		},
		"a source that does not exist": {[]analysis.Lesson{source(cues, "spam", 1)}, "email"},
	} {
		in := firstContact()
		in.Lessons = tt.lessons
		f := analysed(t, in)
		if f.Source != tt.want || strings.Contains(f.SourceReasoning, "This team") != (tt.want != "email") {
			t.Errorf("%s: %s, %q, want %s", name, f.Source, f.SourceReasoning, tt.want)
		}
	}
}

func TestNameIsLearned(t *testing.T) {
	t.Parallel()
	cues := analysed(t, firstContact()).Cues
	far := cues
	far.Senders, far.Domains = nil, []string{"elsewhere.example"}
	name := func(found, chosen string, c analysis.Cues) analysis.Lesson {
		return lessonOf(analysis.FieldName, found, chosen, c, 1)
	}
	for test, tt := range map[string]struct {
		lessons []analysis.Lesson
		text    string
		want    string
	}{
		"nothing":          {nil, "", "Acme"},
		"the same company": {[]analysis.Lesson{name("Acme", "ACME Robotics", cues)}, "", "ACME Robotics"},
		"the newest": {
			[]analysis.Lesson{name("Acme", "ACME II", cues), name("Acme", "ACME Robotics", cues)}, "", "ACME II",
		},
		"read otherwise before": {[]analysis.Lesson{name("Cranes", "Acme Robotics", cues)}, "", "Acme Robotics"},
		"a banker's other deal": {[]analysis.Lesson{name("Blue", "Blue Ocean", cues)}, "", "Acme"},
		"a namesake elsewhere":  {[]analysis.Lesson{name("Acme", "ACME Robotics", far)}, "", "Acme"},
		"an ending, once": {
			[]analysis.Lesson{name("Blue Cranes", "Blue", far)},
			"Hi, we are Acme Cranes and build cranes for ports. I am Ann Lee, founder of Acme Cranes.", "Acme Cranes",
		},
		"an ending, taken off twice": {
			[]analysis.Lesson{name("Blue Cranes", "Blue", far), name("Red cranes", "Red", far)},
			"Hi, we are Acme Cranes and build cranes for ports. I am Ann Lee, founder of Acme Cranes.", "Acme",
		},
		"an ending, taken off and on": {
			[]analysis.Lesson{
				name("Blue Cranes", "Blue", far), name("Red Cranes", "Red", far), name("A", "A Cranes", far),
				name("B", "B Cranes", far),
			}, "Hi, we are Acme Cranes and build cranes for ports. I am Ann Lee, founder of Acme Cranes.", "Acme Cranes",
		},
		"nothing was left of the name": {[]analysis.Lesson{name("Acme", "", cues)}, "", "Acme"},
	} {
		in := firstContact()
		if in.Lessons = tt.lessons; tt.text != "" {
			in.Text = tt.text
		}
		if f := analysed(t, in); f.Name != tt.want ||
			(len(f.Remarks) > 0) != (f.Name != analysed(t,
				analysis.Input{
					Text: in.Text, Stages: in.Stages, DetectStatus: true, DetectSource: true, ReferenceTime: today(),
				}).Name) {
			t.Errorf("%s: %q with the remarks %q, want %q", test, f.Name, f.Remarks, tt.want)
		}
	}
}

func names(f analysis.Findings) string {
	var all []string
	for _, p := range f.Founders {
		all = append(all, p.Name+" <"+p.Email+">")
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestFoundersAreLearned(t *testing.T) {
	t.Parallel()
	text := "From: Ann Lee <ann@acme.io>\nSubject: Acme\n\nHi,\n\nAcme builds cranes for small ports. I am Ann Lee, " +
		"CEO of Acme, and Bob Ray is our CTO (bob@acme.io). We raise a seed round.\n\nBest regards,\nAnn Lee\nCEO, Acme"
	ann, bob := analysis.Founder{Name: "Ann Lee", Email: "ann@acme.io"},
		analysis.Founder{Name: "Bob Ray", Email: "bob@acme.io"}
	eve := analysis.Founder{Name: "Eve Moss", Email: "eve@acme.io", Title: "COO"}
	in := analysis.Input{Text: text, Stages: ownStages(), ReferenceTime: today()}
	plain := analysed(t, in)
	if names(plain) != "Ann Lee <ann@acme.io>, Bob Ray <bob@acme.io>" {
		t.Fatalf("without lessons: %s", names(plain))
	}
	far := plain.Cues
	far.Senders, far.Domains = nil, []string{"elsewhere.example"}
	lesson := func(before, after []analysis.Founder, c analysis.Cues, company string, daysAgo int) analysis.Lesson {
		return analysis.Lesson{
			Field: analysis.FieldFounders, Before: before, After: after, Cues: c, Company: company,
			At: today().AddDate(0, 0, -daysAgo),
		}
	}
	both, onlyAnn := []analysis.Founder{ann, bob}, []analysis.Founder{ann}
	for name, tt := range map[string]struct {
		lessons []analysis.Lesson
		more    string // of the text
		want    string
	}{
		"taken off": {
			[]analysis.Lesson{lesson(both, onlyAnn, plain.Cues, "Acme", 1)}, "", "Ann Lee <ann@acme.io>",
		},
		"an address taken off elsewhere": {
			[]analysis.Lesson{lesson(both, onlyAnn, far, "Blue", 1)}, "", "Ann Lee <ann@acme.io>",
		},
		"a namesake taken off elsewhere": {
			[]analysis.Lesson{lesson([]analysis.Founder{{Name: "Bob Ray", Email: "bob@blue.example"}}, nil, far, "Blue", 1)},
			"", "Ann Lee <ann@acme.io>, Bob Ray <bob@acme.io>",
		},
		"taken off, then put on again": {
			[]analysis.Lesson{lesson(onlyAnn, both, plain.Cues, "Acme", 1), lesson(both, onlyAnn, plain.Cues, "Acme", 9)},
			"",
			"Ann Lee <ann@acme.io>, Bob Ray <bob@acme.io>",
		},
		"added, the company writes again": {
			[]analysis.Lesson{lesson(onlyAnn, []analysis.Founder{ann, eve}, plain.Cues, "Acme", 1)},
			"",
			"Ann Lee <ann@acme.io>, Bob Ray <bob@acme.io>, Eve Moss <eve@acme.io>",
		},
		"added, another company": {
			[]analysis.Lesson{lesson(onlyAnn, []analysis.Founder{ann, eve}, plain.Cues, "Blue", 1)},
			"",
			"Ann Lee <ann@acme.io>, Bob Ray <bob@acme.io>",
		},
		"added, and named here": {
			[]analysis.Lesson{lesson(onlyAnn, []analysis.Founder{ann, eve}, plain.Cues, "Blue", 1)},
			"\nCall eve@acme.io.",
			"Ann Lee <ann@acme.io>, Bob Ray <bob@acme.io>, Eve Moss <eve@acme.io>",
		},
		"added elsewhere": {
			[]analysis.Lesson{lesson(onlyAnn, []analysis.Founder{ann, eve}, far, "Acme", 1)},
			"",
			"Ann Lee <ann@acme.io>, Bob Ray <bob@acme.io>",
		},
		"written otherwise": {
			[]analysis.Lesson{
				lesson(onlyAnn, []analysis.Founder{{Name: "Dr. Ann Lee", Email: "ann@acme.io"}}, plain.Cues, "Acme", 1),
			}, "", "Bob Ray <bob@acme.io>, Dr. Ann Lee <ann@acme.io>",
		},
	} {
		in := in
		in.Text, in.Lessons = text+tt.more, tt.lessons
		f := analysed(t, in)
		if names(f) != tt.want {
			t.Errorf("%s: %s, want %s", name, names(f), tt.want)
		}
		for _, e := range f.Evidence {
			if e.Field == analysis.FieldFounders &&
				!slices.ContainsFunc(f.Founders, func(p analysis.Founder) bool { return p.Name == e.Value }) {
				t.Errorf("%s: there is evidence of %q, who is no founder", name, e.Value)
			}
		}
	}
}

// statusEvidence returns the evidence of the status, the zero Evidence if there is none.
func statusEvidence(f analysis.Findings) analysis.Evidence {
	for _, e := range f.Evidence {
		if e.Field == analysis.FieldStatus {
			return e
		}
	}
	return analysis.Evidence{}
}
