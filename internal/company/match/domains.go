package match

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/net/publicsuffix"

	"dealflow/internal/mailprovider"
	"dealflow/internal/postgres"
)

// Matcher finds the company that an email, a form submission or a file is about. It is safe for concurrent use.
type Matcher struct{ providers *mailprovider.List }

// New returns a Matcher.
func New() *Matcher { return &Matcher{mailprovider.New()} }

// OwnDomain returns the domain that the owner of a host has registered: "acme.co.uk" for "mail.acme.co.uk". It returns
// "" if there is none. It also returns "" for hosts from which people of many companies write: those of mail providers,
// of universities (below a suffix such as "edu" or "ac.uk"), and of services such as "docusign.net" that send what
// others write.
func (m *Matcher) OwnDomain(host string) string {
	host = strings.Trim(strings.ToLower(host), ". ")
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	_, suffix, _ := strings.Cut(domain, ".")
	school, _, _ := strings.Cut(suffix, ".")
	if school == "edu" || school == "ac" && suffix != "ac" || m.providers.Has(host) || m.providers.PassesOn(host) {
		return ""
	}
	return domain
}

// address parses an address such as "Ann <Ann@acme.com>". It returns the address alone in lower case, "ann@acme.com",
// and its host; both are "" if the text is not an address.
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

// team has the addresses and own domains of the account's members. These do not identify a company: members write about
// many.
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

// Correspondence is an email with the addresses of its sender and its recipients, written as in the email.
type Correspondence struct {
	EmailID   uuid.UUID
	Addresses []string
}

// LinkEmails links each of the emails, which were just added to the account, to companies: those that have a founder
// with an address of the email, and those that have the own domain of such an address, but at most 100 companies. It
// ignores addresses and domains of the account's members, and domains that more than mostOfDomain companies have. It
// skips emails that the account does not have. It links nothing if the transaction's user is not a member of the
// account.
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
