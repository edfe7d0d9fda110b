package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const jsonType = "application/json"

// chosen returns the rows whose names contain one of names, or all rows if names is empty, in the order of the table.
func (s *stack) chosen(names []string) []*row {
	all := []*row{
		{name: "get", ours: getCompany, limit: plainGet},
		{name: "list of 25", ours: listCompanies, limit: plainList},
		{name: "search", ours: searchCompanies, limit: plainSearch},
		{name: "create", ours: createCompany, limit: plainCreate},
		{name: "patch", ours: patchCompany, limit: plainPatch},
		{name: "dashboard", ours: dashboard, limit: plainDashboard},
		{name: "AI creation, short text", ours: createByAI(nil)},
		{
			name: "AI creation, 12-page deck",
			ours: createByAI(func(r *rand.Rand) [][]byte { return [][]byte{deckPDF(r, 12)} }),
		},
		{name: "AI creation, 10 files", ours: createByAI(tenFiles)},
		{name: "upload of 200 MB", ours: upload, limit: plainUpload, units: uploadSize / 1e6, unit: "MB", single: true},
		{name: "import of emails", ours: s.importEmails, limit: s.copyEmails, units: importSize, unit: "row", single: true},
		{name: "import of companies, analyzed", ours: s.importCompanies, units: pitchSize, unit: "row", single: true},
	}
	for _, r := range all {
		if r.unit == "" {
			r.units, r.unit = 1, "request"
		}
	}
	return slices.DeleteFunc(all, func(r *row) bool {
		return len(names) > 0 &&
			!slices.ContainsFunc(names, func(name string) bool { return strings.Contains(r.name, name) })
	})
}

func getCompany(ctx context.Context, a *asker) error {
	id, _, account := a.company()
	return a.send(ctx, account, http.MethodGet, "/companies/"+id, "", nil)
}

func plainGet(ctx context.Context, a *asker) error {
	id, _, _ := a.company()
	return a.plain(ctx, http.MethodGet, "/companies/"+id, nil)
}

func listCompanies(ctx context.Context, a *asker) error {
	return a.send(ctx, a.random.IntN(a.accounts), http.MethodGet, "/companies", "", nil)
}

func plainList(ctx context.Context, a *asker) error {
	_, account, _ := a.company()
	return a.plain(ctx, http.MethodGet, "/companies?account_id="+account, nil)
}

// words returns words to search for, and the number of an account. The words are, at random, one that many companies
// have, two that few companies have together, or the number of one company.
func (a *asker) words() (words []string, account int) {
	account = a.random.IntN(a.accounts)
	switch a.random.IntN(3) {
	case 0:
		return []string{frequent(a.random)}, account
	case 1:
		return []string{frequent(a.random), rare(a.random)}, account
	default:
		n := a.random.IntN(a.companies) + 1
		return []string{fmt.Sprintf("%07d", n)}, n % a.accounts
	}
}

func searchCompanies(ctx context.Context, a *asker) error {
	words, account := a.words()
	query := url.QueryEscape(strings.Join(words, " "))
	return a.send(ctx, account, http.MethodGet, "/companies?search="+query, "", nil)
}

func plainSearch(ctx context.Context, a *asker) error {
	words, account := a.words()
	query := url.QueryEscape("'" + strings.Join(words, "' & '") + "'")
	return a.plain(ctx, http.MethodGet, "/companies?account_id="+uuidOf("account", account)+"&search="+query, nil)
}

func (a *asker) newCompany(account int) map[string]any {
	name := fmt.Sprintf("Newcomer %d", a.random.IntN(1e9))
	return map[string]any{
		"account_id": uuidOf(
			"account",
			account,
		),
		"owner":  uuidOf("user", account),
		"name":   name,
		"source": "manual",
		"notes":  prose(a.random, 10),
		"metadata": map[string]any{
			"ai_analysis": prose(a.random, 60),
			"founders": []any{
				map[string]any{"name": "Ada L", "email": fmt.Sprintf("ada@c%d.example", a.random.IntN(1e9)), "title": "CEO"},
			},
		},
	}
}

func createCompany(ctx context.Context, a *asker) error {
	account := a.random.IntN(a.accounts)
	made := a.newCompany(account)
	delete(made, "owner")
	return a.send(ctx, account, http.MethodPost, "/companies", jsonType, encode(made))
}

func plainCreate(ctx context.Context, a *asker) error {
	return a.plain(ctx, http.MethodPost, "/companies", encode(a.newCompany(a.random.IntN(a.accounts))))
}

func patchCompany(ctx context.Context, a *asker) error {
	id, _, account := a.company()
	return a.send(
		ctx,
		account,
		http.MethodPatch,
		"/companies/"+id,
		jsonType,
		encode(map[string]any{"notes": prose(a.random, 10)}),
	)
}

func plainPatch(ctx context.Context, a *asker) error {
	id, _, _ := a.company()
	return a.plain(ctx, http.MethodPatch, "/companies/"+id, encode(map[string]any{"notes": prose(a.random, 10)}))
}

func dashboard(ctx context.Context, a *asker) error {
	account := a.random.IntN(a.accounts)
	return a.send(ctx, account, http.MethodGet, "/accounts/"+uuidOf("account", account)+"/dashboard", "", nil)
}

func plainDashboard(ctx context.Context, a *asker) error {
	_, account, _ := a.company()
	return a.plain(ctx, http.MethodGet, "/dashboard?account_id="+account, nil)
}

// pitch returns the text of a mail of a founder about a company with a random name.
func (a *asker) pitch() string {
	name := fmt.Sprintf("Brackenfield%d", a.random.IntN(1e6))
	return fmt.Sprintf(
		"From: Paulo Serra <paulo@%[1]s.example>\nSubject: %[1]s pre-seed\n\nHi, I'm Paulo, founder of %[1]s: %[2]s.\n"+
			"The deck is at https://docsend.com/view/%[3]d.\nWe are raising 800k and would love to talk.\n\nPaulo "+
			"Serra\nCEO, %[1]s\n",
		name,
		speech(a.random, 40),
		a.random.Int(),
	)
}

// createByAI returns an operation that creates a company by AI from a pitch and the PDFs that files returns. If files
// is nil, there are none.
func createByAI(files func(*rand.Rand) [][]byte) func(context.Context, *asker) error {
	return func(ctx context.Context, a *asker) error {
		account := a.random.IntN(a.accounts)
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		_ = form.WriteField("text", a.pitch())
		_ = form.WriteField("account_id", uuidOf("account", account))
		if files != nil {
			for n, content := range files(a.random) {
				part, _ := form.CreateFormFile(fmt.Sprintf("file_%d", n), fmt.Sprintf("file%d.pdf", n))
				_, _ = part.Write(content)
			}
		}
		_ = form.Close()
		return a.send(ctx, account, http.MethodPost, "/companies/upload/ai", form.FormDataContentType(), &body)
	}
}

// tenFiles returns a deck, two other PDFs and seven files of no known type.
func tenFiles(r *rand.Rand) [][]byte {
	files := [][]byte{deckPDF(r, 12), deckPDF(r, 3), deckPDF(r, 2)}
	for len(files) < 10 {
		files = append(files, fmt.Appendf(nil, "notes %d: %s", r.Int(), strings.Repeat("x", 20_000)))
	}
	return files
}
