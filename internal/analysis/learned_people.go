package analysis

import (
	"slices"
	"strings"
)

// learnedPeople leaves out whom people took off the founders before, and adds or completes whom they put there.
// folded is the text: whom nobody names in it is added only where the same company writes again.
func (r *Rules) learnedPeople(f Findings, in Input, folded string) Findings {
	struck := struckOff(in.Lessons, f.Cues)
	kept := make([]Founder, 0, len(f.Founders))
	for _, person := range f.Founders {
		if struck.has(person.Name, person.Email) {
			f = f.without(person)
			continue
		}
		kept = append(kept, person)
	}
	f.Founders = kept
	for _, l := range in.Lessons {
		if l.Field != FieldFounders || !shares(l.Cues.Domains, f.Cues.Domains) && !shares(l.Cues.Senders, f.Cues.Senders) {
			continue
		}
		for _, person := range l.After {
			if !struck.has(person.Name, person.Email) {
				f = f.with(person, l, folded)
			}
		}
		break // the newest stands for the house; older ones are what it corrected
	}
	return f
}

// struckOff returns whom people took off the founders: an address for ever, unless they put it there later; a full
// name where the same house writes.
func struckOff(lessons []Lesson, c Cues) strangers {
	s := strangers{names: map[string]bool{}, addresses: map[string]bool{}}
	for _, l := range lessons { // the newest first: it has the last word
		if l.Field != FieldFounders {
			continue
		}
		near := shares(l.Cues.Domains, c.Domains) || shares(l.Cues.Senders, c.Senders)
		for _, person := range l.After {
			s.judge(person, false, near)
		}
		for _, person := range l.Before {
			if !slices.ContainsFunc(l.After, func(a Founder) bool { return isSame(a, person) }) {
				s.judge(person, true, near)
			}
		}
	}
	return s
}

// judge keeps the first word on an address and on a name.
func (s strangers) judge(person Founder, struck, near bool) {
	if email := strings.ToLower(person.Email); email != "" {
		if _, known := s.addresses[email]; !known {
			s.addresses[email] = struck
		}
	}
	if key := squeeze(person.Name); near && key != "" {
		if _, known := s.names[key]; !known {
			s.names[key] = struck
		}
	}
}

func isSame(a, b Founder) bool {
	return a.Email != "" && strings.EqualFold(a.Email, b.Email) ||
		a.Name != "" && b.Name != "" && samePerson(a.Name, b.Name)
}

// without takes a person's evidence away too, and tells it.
func (f Findings) without(person Founder) Findings {
	who := person.Name
	if who == "" {
		who = person.Email
	}
	f.Evidence = slices.DeleteFunc(slices.Clone(f.Evidence),
		func(e Evidence) bool { return e.Field == FieldFounders && e.Value == who })
	return f.remarked("This team does not take " + who + " for a founder.")
}

func (f Findings) remarked(remark string) Findings {
	if !slices.Contains(f.Remarks, remark) {
		f.Remarks = append(slices.Clone(f.Remarks), remark)
	}
	return f
}

// with completes a founder as people did, or adds them.
func (f Findings) with(person Founder, l Lesson, folded string) Findings {
	at := slices.IndexFunc(f.Founders, func(have Founder) bool { return isSame(have, person) })
	if at < 0 {
		named := person.Name != "" && strings.Contains(folded, fold(person.Name)) ||
			person.Email != "" && strings.Contains(folded, fold(person.Email))
		if !named && (l.Company == "" || squeeze(l.Company) != squeeze(f.Name)) || len(f.Founders) >= 12 {
			return f
		}
		f.Founders = append(slices.Clone(f.Founders), person)
		return f.attributed(person, "").remarked("This team takes " + listed([]Founder{person}) + " for a founder.")
	}
	have := f.Founders[at]
	better := completed(have, person)
	if better == have {
		return f
	}
	f.Founders = slices.Clone(f.Founders)
	f.Founders[at] = better
	return f.attributed(better, have.Name)
}

// completed takes the name as people wrote it, and fills what is empty.
func completed(have, by Founder) Founder {
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

// attributed says that the corrections tell of this founder, who was called otherwise before.
func (f Findings) attributed(person Founder, before string) Findings {
	value := person.Name
	if value == "" {
		value = person.Email
	}
	all := slices.Clone(f.Evidence)
	at := slices.IndexFunc(all, func(e Evidence) bool {
		return e.Field == FieldFounders && before != "" && e.Value == before
	})
	if at < 0 {
		at = len(all)
		all = append(all, Evidence{Field: FieldFounders, Confidence: 0.8})
	}
	all[at].Value, all[at].Analyzer = value, correctionsName
	f.Evidence = all
	return f
}
