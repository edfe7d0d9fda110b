package match

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/net/publicsuffix"

	"dealflow/internal/postgres"
)

//go:embed mail_providers.txt
var mailProviders string

// Matcher finds the company that something that arrives is about. It is built once and may be used by many goroutines.
type Matcher struct {
	providers map[string]bool // domains whose addresses say nothing of a company
	brands    map[string]bool // the same by the label before the public suffix
}

// New reads the list of mail providers.
func New() *Matcher {
	m := &Matcher{providers: map[string]bool{}, brands: map[string]bool{}}
	for line := range strings.Lines(mailProviders) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if brand, wide := strings.CutSuffix(line, ".*"); wide {
			m.brands[brand] = true
		} else {
			m.providers[line] = true
		}
	}
	return m
}

// OwnDomain returns the domain that the owner of a host has registered: "acme.co.uk" of "mail.acme.co.uk". It is ""
// where that is a mail provider's or a university's, which have the people of many companies, and where there is
// none.
func (m *Matcher) OwnDomain(host string) string {
	host = strings.Trim(strings.ToLower(host), ". ")
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	label, suffix, _ := strings.Cut(domain, ".")
	school, _, _ := strings.Cut(suffix, ".")
	if m.brands[label] || school == "edu" || school == "ac" && suffix != "ac" {
		return ""
	}
	for part := host; len(part) >= len(domain); _, part, _ = strings.Cut(part, ".") {
		if m.providers[part] {
			return ""
		}
	}
	return domain
}

// address returns an address as it is compared, and its host; "" where it is none. A name around it does not count.
func address(given string) (email, host string) {
	if _, inner, named := strings.Cut(given, "<"); named {
		given, _, _ = strings.Cut(inner, ">")
	}
	email = strings.ToLower(strings.TrimSpace(given))
	at := strings.LastIndexByte(email, '@')
	if at < 1 || at == len(email)-1 || strings.ContainsAny(email, " \t\r\n\x00") || !utf8.ValidString(email) {
		return "", ""
	}
	return email, email[at+1:]
}

// team is who the account's own people are: mail to or from them is about no company by that.
type team struct {
	addresses map[string]bool
	domains   map[string]bool
}

func (m *Matcher) team(tx *postgres.Tx, accountID uuid.UUID) (team, error) {
	var members []string
	err := tx.Raw("SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = ?", accountID).
		Scan(&members).Error
	if err != nil {
		return team{}, fmt.Errorf("list the addresses of the account's members: %w", err)
	}
	own := team{addresses: map[string]bool{}, domains: map[string]bool{}}
	for _, member := range members {
		email, host := address(member)
		own.addresses[email] = true
		if domain := m.OwnDomain(host); domain != "" {
			own.domains[domain] = true
		}
	}
	return own, nil
}

// Correspondence is an email with the addresses of who wrote it and who got it, as they are in it.
type Correspondence struct {
	EmailID   uuid.UUID
	Addresses []string
}

// LinkEmails links emails that were just added to the account to the companies that their addresses belong to, by a
// founder's address or a company's own domain. It takes any number of emails; those that the account does not have
// are left out. The account's own people and their domains count for nothing.
func (m *Matcher) LinkEmails(tx *postgres.Tx, accountID uuid.UUID, emails []Correspondence) error {
	own, err := m.team(tx, accountID)
	if err != nil {
		return err
	}
	var ids, addresses, domains postgres.Strings
	for _, e := range emails {
		seen := map[string]bool{}
		for _, given := range e.Addresses {
			email, host := address(given)
			if email == "" || own.addresses[email] || seen[email] {
				continue
			}
			domain := m.OwnDomain(host)
			if own.domains[domain] {
				domain = ""
			}
			seen[email] = true
			ids, addresses, domains = append(ids, e.EmailID.String()), append(addresses, email), append(domains, domain)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	err = tx.Exec("SELECT app_link_emails(?, ?::text[]::uuid[], ?::text[], ?::text[])", accountID, ids, addresses,
		domains).Error
	if err != nil {
		return fmt.Errorf("link emails to companies: %w", err)
	}
	return nil
}
