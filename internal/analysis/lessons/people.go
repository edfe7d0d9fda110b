package lessons

import (
	"slices"
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
)

// learnedPeople returns f without the founders whom people removed before (see struckOff). From the newest lesson of
// the same domain or sender it adds the founders whom people kept or added there, and completes their details. folded
// is the folded text; a founder whom it does not name is added only if the company's name is that of the lesson.
func (r *Learner) learnedPeople(f analysis.Findings, in analysis.Input, folded string) analysis.Findings {
	struck := struckOff(in.Lessons, f.Cues)
	kept := make([]analysis.Founder, 0, len(f.Founders))
	for _, person := range f.Founders {
		if struck.Has(person.Name, person.Email) {
			f = without(f, person)
			continue
		}
		kept = append(kept, person)
	}
	f.Founders = kept
	for _, l := range in.Lessons {
		if l.Field != analysis.FieldFounders ||
			!shares(l.Cues.Domains, f.Cues.Domains) && !shares(l.Cues.Senders, f.Cues.Senders) {
			continue
		}
		for _, person := range l.After {
			if !struck.Has(person.Name, person.Email) {
				f = with(f, person, l, folded)
			}
		}
		break // the newest counts for the account; older ones are what it corrected
	}
	return f
}

// struckOff returns the people who are not to be taken for founders again, since somebody removed them from a company's
// founders. A person is recognized by their address in every text, and by their name in texts of the same domain or
// sender. The entry of a person who was put back later is false.
func struckOff(lessons []analysis.Lesson, c analysis.Cues) people.Strangers {
	s := people.Strangers{Names: map[string]bool{}, Addresses: map[string]bool{}}
	for _, l := range lessons { // the newest first: it has the last word
		if l.Field != analysis.FieldFounders {
			continue
		}
		near := shares(l.Cues.Domains, c.Domains) || shares(l.Cues.Senders, c.Senders)
		for _, person := range l.After {
			judge(s, person, false, near)
		}
		for _, person := range l.Before {
			if !slices.ContainsFunc(l.After, func(a analysis.Founder) bool { return isSame(a, person) }) {
				judge(s, person, true, near)
			}
		}
	}
	return s
}

// judge records whether a person was removed, under their address and, if near, under their name. It does not change
// what a newer lesson recorded.
func judge(s people.Strangers, person analysis.Founder, struck, near bool) {
	if email := strings.ToLower(person.Email); email != "" {
		if _, known := s.Addresses[email]; !known {
			s.Addresses[email] = struck
		}
	}
	if key := lexicon.Squeeze(person.Name); near && key != "" {
		if _, known := s.Names[key]; !known {
			s.Names[key] = struck
		}
	}
}

func isSame(a, b analysis.Founder) bool {
	return a.Email != "" && strings.EqualFold(a.Email, b.Email) ||
		a.Name != "" && b.Name != "" && people.SamePerson(a.Name, b.Name)
}

// without returns f without the evidence of a founder, and with a remark that the team does not count them as a
// founder. The caller must remove the founder.
func without(f analysis.Findings, person analysis.Founder) analysis.Findings {
	who := person.Name
	if who == "" {
		who = person.Email
	}
	f.Evidence = slices.DeleteFunc(slices.Clone(f.Evidence),
		func(e analysis.Evidence) bool { return e.Field == analysis.FieldFounders && e.Value == who })
	return remarked(f, "This team does not count "+who+" as a founder.")
}

func remarked(f analysis.Findings, remark string) analysis.Findings {
	if !slices.Contains(f.Remarks, remark) {
		f.Remarks = append(slices.Clone(f.Remarks), remark)
	}
	return f
}

// with returns f after completing the founder who is the same person with the values that people wrote. If f has no
// such founder, it adds the person, unless f has 12 founders already, or the text does not name the person and the
// lesson is of another company.
func with(f analysis.Findings, person analysis.Founder, l analysis.Lesson, folded string) analysis.Findings {
	at := slices.IndexFunc(f.Founders, func(have analysis.Founder) bool { return isSame(have, person) })
	if at < 0 {
		named := person.Name != "" && strings.Contains(folded, lexicon.Fold(person.Name)) ||
			person.Email != "" && strings.Contains(folded, lexicon.Fold(person.Email))
		if !named && (l.Company == "" || lexicon.Squeeze(l.Company) != lexicon.Squeeze(f.Name)) || len(f.Founders) >= 12 {
			return f
		}
		f.Founders = append(slices.Clone(f.Founders), person)
		return remarked(attributed(f, person, ""), "This team counts "+listed([]analysis.Founder{person})+" as a founder.")
	}
	have := f.Founders[at]
	better := completed(have, person)
	if better == have {
		return f
	}
	f.Founders = slices.Clone(f.Founders)
	f.Founders[at] = better
	return attributed(f, better, have.Name)
}

// completed returns a founder under the name that people wrote, with their empty fields filled in from the correction.
func completed(have, by analysis.Founder) analysis.Founder {
	for _, field := range []struct{ to, from *string }{
		{&have.Email, &by.Email},
		{&have.Phone, &by.Phone},
		{&have.Title, &by.Title},
		{&have.Background, &by.Background},
		{&have.LinkedInProfile, &by.LinkedInProfile},
	} {
		if *field.to == "" {
			*field.to = *field.from
		}
	}
	if by.Name != "" {
		have.Name = by.Name
	}
	return have
}

// attributed returns f with the evidence of a founder marked as decided by the corrections. before is the name under
// which they were found, "" for a founder who is added.
func attributed(f analysis.Findings, person analysis.Founder, before string) analysis.Findings {
	value := person.Name
	if value == "" {
		value = person.Email
	}
	all := slices.Clone(f.Evidence)
	at := slices.IndexFunc(all, func(e analysis.Evidence) bool {
		return e.Field == analysis.FieldFounders && before != "" && e.Value == before
	})
	if at < 0 {
		at = len(all)
		all = append(all, analysis.Evidence{Field: analysis.FieldFounders, Confidence: 0.8})
	}
	all[at].Value, all[at].Analyzer = value, analysis.CorrectionsName
	f.Evidence = all
	return f
}
