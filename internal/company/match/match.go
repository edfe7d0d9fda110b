// Package match finds the company that an email, a form submission or a file is about: by its deck, a founder's
// address, its own domain or its name.
package match

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// Kinds of keys by which a company is known. For a founder's address at "mail.acme.com", the database stores the domain
// keys "mail.acme.com" and "acme.com"; only the one that OwnDomain returns counts.
const (
	KeyDeck   = "deck"
	KeyEmail  = "email"
	KeyDomain = "domain"
	KeyName   = "name"
)

// Key is one value by which a company is known. Triggers of the database write these rows.
type Key struct {
	CompanyID uuid.UUID `gorm:"primaryKey"`
	AccountID uuid.UUID
	Kind      string `gorm:"primaryKey"`
	Value     string `gorm:"primaryKey"`
	Inherited bool   // of a company that was merged into this one
}

// TableName returns the name of the table, which gorm would not guess.
func (Key) TableName() string { return "company_keys" }

// Candidate is a company that an email, a submission or a file is about. The account may have it already.
type Candidate struct {
	Name     string
	DeckLink *string
	Metadata json.RawMessage // an object; of its members only "founders" is read
	Decks    []string        // SHA-256 of its decks, in hexadecimal
}

// Result is the company of the account that was found for a candidate; CompanyID is uuid.Nil if the user sees none.
// Reason is a sentence that says why this company, or none, was found. It describes the candidate alone, since people
// who do not see the company may read it.
type Result struct {
	CompanyID uuid.UUID
	Reason    string
}

// Match finds the company of the account that is the same as the candidate, among those that the transaction's user
// sees. It looks for a company with the same deck, then for one with a founder's address, then with the same own
// domain, then with the same name, ignoring case and legal form. The same name is not enough if the candidate and the
// company have own domains but share none. A deck, address or domain that too many companies have is ignored: see
// mostLookedAt and mostOfDomain. Of several companies Match returns the oldest; it cannot be deleted or changed until
// the transaction ends. Until then, other transactions that look for one of the same keys wait. So if two look for the
// same new company, only the first creates it.
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

// keys are the keys of a candidate by their kind, without those that identify no company (see counts).
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

// counts reports whether a key may identify a company. An address or domain of the account's members does not, nor does
// a domain that OwnDomain does not return. Every other key does.
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

// lock makes other transactions that look for one of the same keys wait until this one ends. It takes the locks in one
// order, so that two such transactions do not deadlock.
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

// Hold makes other transactions that look for one of these companies by its keys wait until this one ends, as lock
// does. Call it before any row is locked.
func Hold(tx *postgres.Tx, companies ...uuid.UUID) error {
	err := tx.Exec(`SELECT pg_advisory_xact_lock(l.lock) FROM (
		SELECT DISTINCT hashtextextended(k.account_id || ' ' || k.kind || ' ' || k.value, 7) AS lock FROM company_keys k
		WHERE k.company_id = ANY (?::uuid[]) ORDER BY 1) AS l`, postgres.Strings(postgres.IDs(companies))).Error
	if err != nil {
		return fmt.Errorf("hold the keys of companies: %w", err)
	}
	return nil
}

// oldest returns the oldest company with one of the candidate's keys of a kind; the zero Result if there is none. It
// ignores keys that too many companies have: more than mostOfDomain for domains, mostLookedAt for other kinds. The
// company cannot be deleted or changed until the transaction ends.
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

// Bounds of what one search costs, however many companies an account has.
const (
	mostLookedAt = 1000 // companies with the same key; a deck or address that more companies have is ignored
	// Companies with the same domain. A domain that more companies have belongs to an accelerator or an unlisted mail
	// provider, and is ignored. The function app_link_emails has the same number.
	mostOfDomain  = 20
	mostNamesakes = 50 // companies with the same name: only the oldest are compared
)

// byName returns the oldest company with the candidate's name, or else a Result that has only a reason. If the
// candidate has an own domain, it skips companies that have one too, since Match looks for companies with the same
// domain before. It reads at most mostLookedAt companies with the name, and compares the mostNamesakes oldest of these.
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
