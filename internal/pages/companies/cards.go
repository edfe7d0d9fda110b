package companies

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/postgres/paging"
)

// Card is a company as lists show it.
type Card struct {
	ID        string
	URL       string
	Name      string
	Status    string // "" for none
	StatusID  string // frame.NoStatus for none
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

// knownMembers are the members of a company's metadata that the pages show.
type knownMembers struct {
	Founders   []analysis.Founder `json:"founders"`
	Summary    string             `json:"ai_analysis"`
	AnalyzedAt string             `json:"analyzed_at"`
}

// membersOf returns the members of metadata that the pages show. Clients may write members of any type: a value of
// another type than knownMembers has is left zero.
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

// cardText is the highest number of characters of the summary, and of the founders' names, on a card of a list.
const cardText = 500

// ListCards returns the cards of the companies that q selects, and the position after which the next page begins, nil
// at the end. It reads the companies in parts and keeps only their cards, which are small. The errors are those of
// company.Service.List.
func ListCards(
	ctx context.Context, s *frame.Scene, service *company.Service, q company.ListQuery,
) (cards []Card, next *paging.Position, err error) {
	next, err = paging.InParts(q.Page, func(part paging.Page) ([]company.View, *paging.Position, error) {
		q.Page = part
		return service.List(ctx, s.Who, q)
	}, func(views []company.View) error {
		cards = append(cards, CardsOf(s, views)...)
		return nil
	})
	return cards, next, err
}

// CardsOf returns the cards of companies, with their summaries and founders' names shortened to cardText characters.
func CardsOf(s *frame.Scene, views []company.View) []Card {
	cards := make([]Card, len(views))
	for i, v := range views {
		one := CardOf(s, v)
		one.Summary, one.Founders = render.Excerpt(one.Summary, cardText), render.Excerpt(one.Founders, cardText)
		cards[i] = one
	}
	return cards
}

// CardOf returns the card of a company. It does not shorten the texts, as CardsOf does.
func CardOf(s *frame.Scene, v company.View) Card {
	found := membersOf(v.Metadata)
	one := Card{
		ID: v.ID.String(), URL: s.Base() + "/companies/" + v.ID.String(), Name: v.Name,
		StatusID: frame.NoStatus, Source: v.Source, Summary: found.Summary, Sight: v.Visibility,
		HasDeck:   v.Deck != nil || v.DeckLink != nil || v.DeckStoragePath != nil,
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
