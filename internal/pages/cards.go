package pages

import (
	"encoding/json"
	"strings"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/analysis"
	"dealflow/internal/company"
)

// card is a company as lists show it.
type card struct {
	ID        string
	URL       string
	Name      string
	Status    string // "" for none
	StatusID  string // noStatus for none
	Color     string
	Source    string
	Founders  string // their names
	Summary   string
	HasDeck   bool
	Hidden    bool   // not every member sees it
	Sight     string // its visibility
	Assignees []account.User
	Updated   time.Time
	Created   time.Time
}

// knownMembers are the members of a company's metadata that pages know.
type knownMembers struct {
	Founders   []analysis.Founder `json:"founders"`
	Summary    string             `json:"ai_analysis"`
	AnalyzedAt string             `json:"analyzed_at"`
}

// membersOf reads metadata; what has another shape, as clients may write it, is left out.
func membersOf(metadata json.RawMessage) knownMembers {
	var members map[string]json.RawMessage
	if json.Unmarshal(metadata, &members) != nil {
		return knownMembers{}
	}
	var f knownMembers
	_ = json.Unmarshal(members["founders"], &f.Founders)
	_ = json.Unmarshal(members["ai_analysis"], &f.Summary)
	_ = json.Unmarshal(members["analyzed_at"], &f.AnalyzedAt)
	return f
}

func cardsOf(s *scene, views []company.View) []card {
	cards := make([]card, len(views))
	for i, v := range views {
		cards[i] = cardOf(s, v)
	}
	return cards
}

func cardOf(s *scene, v company.View) card {
	found := membersOf(v.Metadata)
	one := card{
		ID: v.ID.String(), URL: s.base() + "/companies/" + v.ID.String(), Name: v.Name, StatusID: noStatus, Source: v.Source,
		Summary: found.Summary, HasDeck: v.Deck != nil || v.DeckLink != nil || v.DeckStoragePath != nil, Sight: v.Visibility,
		Hidden:    v.Visibility != company.VisibilityTeam,
		Assignees: v.Assignees, Updated: v.UpdatedAt, Created: v.CreatedAt,
	}
	var names []string
	for _, founder := range found.Founders {
		if founder.Name != "" {
			names = append(names, founder.Name)
		}
	}
	one.Founders = strings.Join(names, ", ")
	if v.Status != nil {
		one.Status, one.StatusID, one.Color = v.Status.Name, v.Status.ID.String(), v.Status.Color
	}
	return one
}
