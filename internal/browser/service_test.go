package browser_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/client"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/process"
)

// service is a running service: a database, Redis, a folder for files, an API and a worker.
type service struct {
	programs    process.Programs
	environment []string
	base        string // of the pages and of the API, without a slash at the end
}

func startService(t *testing.T) *service {
	t.Helper()
	s := &service{programs: process.Build(t)}
	s.environment = []string{
		"DATABASE_URL=" + testkit.DatabaseURL(t), "REDIS_URL=" + testkit.RedisURL(t),
		"STORAGE_URL=file://" + filepath.Join(t.TempDir(), "storage"), "SECRET_KEYS=" + strings.Repeat("k", 32),
		"OPERATOR_USER=operator", "OPERATOR_PASSWORD=" + password,
		"RATE_LIMIT_PER_SECOND=0", "RATE_LIMIT_PER_MINUTE=0",
	}
	s.programs.Start(t, "worker", s.environment)
	s.base = "http://" + s.programs.Start(t, "api", s.environment).Address
	return s
}

const password = "a password for tests"

// team is the account of one test, with a client of the API as its owner.
type team struct {
	*testing.T
	*client.Client

	base      string
	email     string
	accountID uuid.UUID
}

func (s *service) newTeam(t *testing.T) *team {
	t.Helper()
	email := strings.ToLower(strings.ReplaceAll(filepath.Base(t.Name()), "_", ".")) + "@fund.example"
	var account struct {
		ID uuid.UUID `json:"id"`
	}
	var key struct {
		Key string `json:"key"`
	}
	s.programs.Run(t, s.environment, nil, "user", "create", "--email", email, "--name", "Pia Partner")
	s.programs.RunWithInput(t, s.environment, password, nil, "user", "password", "--email", email)
	s.programs.Run(t, s.environment, &account, "account", "create", "--name", "Fund", "--owner", email)
	s.programs.Run(t, s.environment, &key, "key", "create", "--user", email, "--name", "test")
	api, err := client.New(s.base+"/api/v1", key.Key)
	must(t, err)
	return &team{T: t, Client: api, base: s.base, email: email, accountID: account.ID}
}

// page returns the URL of a page of the account. path begins with "/".
func (m *team) page(path string) string { return m.base + "/app/" + m.accountID.String() + path }

// add creates a company by AI from a text and files, given by their paths, and returns its id.
func (m *team) add(text string, files ...string) uuid.UUID {
	m.Helper()
	form := client.AICreationForm{AccountID: m.accountID, Text: strings.NewReader(text)}
	for _, name := range files {
		content, err := os.ReadFile(name)
		must(m.T, err)
		form.Files = append(form.Files, client.File{Name: filepath.Base(name), Content: bytes.NewReader(content)})
	}
	made, err := m.CreateCompanyByAI(m.Context(), form)
	must(m.T, err)
	return *made.Company.ID
}

// company returns a company as the API returns it.
func (m *team) company(id uuid.UUID) client.Company {
	m.Helper()
	got, err := m.GetCompany(m.Context(), id, client.GetCompanyParams{})
	must(m.T, err)
	return got.Company
}

// newest returns the id of the company that was created last.
func (m *team) newest() uuid.UUID {
	m.Helper()
	page, err := m.ListCompanies(m.Context(), client.ListCompaniesParams{AccountID: &m.accountID})
	must(m.T, err)
	return page.Companies[0].ID
}

// stages returns the account's statuses in their order.
func (m *team) stages() []client.CompanyStatus {
	m.Helper()
	stages, err := m.ListCompanyStatuses(m.Context(), m.accountID, client.ListCompanyStatusesParams{})
	must(m.T, err)
	return stages
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
