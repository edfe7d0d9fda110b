// Package match finds the company that something which arrives is about: by its deck, a founder's address, its own
// domain or its name.
package match

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// Kinds of what a company is known by. A domain is there with all that it is part of, of which OwnDomain returns the
// one that counts.
const (
	KeyDeck   = "deck"
	KeyEmail  = "email"
	KeyDomain = "domain"
	KeyName   = "name"
)

// Key is one thing that a company is known by. The database keeps these rows by itself.
type Key struct {
	CompanyID uuid.UUID `gorm:"primaryKey"`
	AccountID uuid.UUID
	Kind      string `gorm:"primaryKey"`
	Value     string `gorm:"primaryKey"`
	Inherited bool   // of a company that was merged into this one
}

// TableName is what gorm would not guess.
func (Key) TableName() string { return "company_keys" }

// Candidate is what is known of a company that may be there already.
type Candidate struct {
	Name     string
	DeckLink *string
	Metadata json.RawMessage // an object whose member founders counts
	Decks    []string        // SHA-256 of presentations, in hexadecimal
}

// Result is the company that a candidate is, or uuid.Nil where none that the user sees is it, and why, in a sentence
// that is about the candidate alone: it may be read by people who do not see the company.
type Result struct {
	CompanyID uuid.UUID
	Reason    string
}

// Match looks for a candidate among those companies of the account that the transaction's user sees: one with the
// same deck, else with a founder of the same address, else with the same domain of its own, else of the same name but
// for case and legal form, unless both have domains of their own and share none. A domain that many companies have
// counts for nothing. Of several companies, the oldest. Until the transaction ends, others who look for one of the
// same keys wait, so that of two who find none only the first one makes it.
func (m *Matcher) Match(tx *postgres.Tx, accountID uuid.UUID, c Candidate) (Result, error) {
	keys, err := m.keys(tx, accountID, c)
	if err != nil {
		return Result{}, err
	}
	if err := keys.lock(tx, accountID); err != nil {
		return Result{}, err
	}
	for _, kind := range []string{KeyDeck, KeyEmail, KeyDomain} {
		if found, err := keys.oldest(tx, accountID, kind); err != nil || found.CompanyID != uuid.Nil {
			return found, err
		}
	}
	return m.byName(tx, accountID, keys)
}

// keys are a candidate's, those that count, by kind.
type keys struct {
	own    team
	values map[string][]string
}

func (m *Matcher) keys(tx *postgres.Tx, accountID uuid.UUID, c Candidate) (keys, error) {
	own, err := m.team(tx, accountID)
	if err != nil {
		return keys{}, err
	}
	if len(c.Metadata) == 0 {
		c.Metadata = json.RawMessage(`{}`)
	}
	var all []Key
	err = tx.Raw("SELECT kind, value FROM app_company_keys(?, ?, ?::jsonb) ORDER BY kind, value", c.Name, c.DeckLink,
		string(c.Metadata)).Scan(&all).Error
	if err != nil {
		return keys{}, fmt.Errorf("take the keys of a candidate: %w", err)
	}
	found := keys{own: own, values: map[string][]string{KeyDeck: c.Decks}}
	for _, key := range all {
		if m.counts(own, key) {
			found.values[key.Kind] = append(found.values[key.Kind], key.Value)
		}
	}
	return found, nil
}

// counts leaves out the account's own people, and parts of hosts that are no company's own domain.
func (m *Matcher) counts(own team, key Key) bool {
	switch key.Kind {
	case KeyEmail:
		return !own.addresses[key.Value]
	case KeyDomain:
		return m.OwnDomain(key.Value) == key.Value && !own.domains[key.Value]
	default:
		return true
	}
}

// lock makes others with one of the same keys wait until the transaction ends. Locks are taken in one order, so that
// nobody waits for one who waits for them.
func (k keys) lock(tx *postgres.Tx, accountID uuid.UUID) error {
	var names postgres.Strings
	for kind, values := range k.values {
		for _, value := range values {
			names = append(names, accountID.String()+" "+kind+" "+value)
		}
	}
	err := tx.Exec(`SELECT pg_advisory_xact_lock(l.lock) FROM (
		SELECT DISTINCT hashtextextended(n, 7) AS lock FROM unnest(?::text[]) AS n ORDER BY 1) AS l`, names).Error
	if err != nil {
		return fmt.Errorf("wait for who looks for the same company: %w", err)
	}
	return nil
}

// Hold makes those who look for one of the companies by its keys wait until the transaction ends, as lock does. It
// comes before any row is locked.
func Hold(tx *postgres.Tx, companies ...uuid.UUID) error {
	err := tx.Exec(`SELECT pg_advisory_xact_lock(l.lock) FROM (
		SELECT DISTINCT hashtextextended(k.account_id || ' ' || k.kind || ' ' || k.value, 7) AS lock FROM company_keys k
		WHERE k.company_id = ANY (?::uuid[]) ORDER BY 1) AS l`, postgres.Strings(postgres.IDs(companies))).Error
	if err != nil {
		return fmt.Errorf("hold the keys of companies: %w", err)
	}
	return nil
}

// oldest returns the company that has been there longest of those with one of the keys of a kind, and keeps it there
// until the transaction ends.
func (k keys) oldest(tx *postgres.Tx, accountID uuid.UUID, kind string) (Result, error) {
	if len(k.values[kind]) == 0 {
		return Result{}, nil
	}
	most := mostLookedAt
	if kind == KeyDomain {
		most = mostOfDomain
	}
	var found []Key
	err := tx.Raw(`SELECT k.company_id, k.value FROM unnest(?::text[]) AS v CROSS JOIN LATERAL (
			SELECT x.company_id, x.value, count(*) OVER () AS companies FROM (
				SELECT company_id, value FROM company_keys WHERE account_id = ? AND kind = ? AND value = v LIMIT ?) AS x) AS k
		JOIN companies c ON c.id = k.company_id WHERE k.companies <= ? ORDER BY c.created_at, c.id LIMIT 1 FOR SHARE OF c`,
		postgres.Strings(k.values[kind]), accountID, kind, most+1, most).Scan(&found).Error
	if err != nil {
		return Result{}, fmt.Errorf("look for a company by its %s: %w", kind, err)
	}
	if len(found) == 0 {
		return Result{}, nil
	}
	reason := map[string]string{
		KeyDeck: "Its deck is the very file that a company here has.", KeyEmail: "Its founder's address " + found[0].Value +
			" is that of a company's founder here.",
		KeyDomain: "Its own domain " + found[0].Value + " is that of a company here.",
	}[kind]
	return Result{CompanyID: found[0].CompanyID, Reason: reason}, nil
}

// Bounds of what one look costs, whatever a team holds.
const (
	mostLookedAt = 1000 // companies with one key: where more have it, it says nothing
	// A domain of more is an accelerator's or a provider's that no list knows; app_link_emails says the same.
	mostOfDomain  = 20
	mostNamesakes = 50
)

// byName takes the oldest company of the name that nothing contradicts.
func (m *Matcher) byName(tx *postgres.Tx, accountID uuid.UUID, k keys) (Result, error) {
	none := Result{Reason: "No company here has its deck, a founder's address, its own domain or its name."}
	if len(k.values[KeyName]) == 0 {
		return none, nil
	}
	var namesakes []uuid.UUID
	err := tx.Raw(`SELECT c.id FROM (SELECT company_id FROM company_keys WHERE account_id = ? AND kind = ? AND value = ?
		LIMIT ?) AS k
		JOIN companies c ON c.id = k.company_id ORDER BY c.created_at, c.id LIMIT ? FOR SHARE OF c`,
		accountID, KeyName, k.values[KeyName][0], mostLookedAt, mostNamesakes).Scan(&namesakes).Error
	if err != nil || len(namesakes) == 0 {
		return none, err
	}
	var domains []Key
	err = tx.Where("account_id = ? AND kind = ? AND company_id IN ?", accountID, KeyDomain, namesakes).Find(&domains).Error
	if err != nil {
		return none, fmt.Errorf("list the domains of companies: %w", err)
	}
	domains = slices.DeleteFunc(domains, func(key Key) bool { return !m.counts(k.own, key) })
	for _, id := range namesakes {
		if len(k.values[KeyDomain]) == 0 || !slices.ContainsFunc(domains, func(key Key) bool { return key.CompanyID == id }) {
			return Result{
				CompanyID: id,
				Reason:    "Its name is that of a company here but for case and legal form, and nothing contradicts.",
			}, nil
		}
	}
	none.Reason = "A company of its name is here, but has another domain of its own."
	return none, nil
}
