package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// How much one operation of a row of bulk operations sends.
const (
	uploadSize = 200 << 20 // bytes
	importSize = 20_000    // emails of about 1 KB; with fewer, the wait for the first batch would be most of the time
	pitchSize  = 3000      // companies of a short text
)

// noise is a reader without an end: each read returns its first bytes. The random bytes of newNoise hardly compress,
// like the files that people upload.
type noise []byte

func newNoise() noise {
	content := make([]byte, 1<<20)
	_, _ = rand.Read(content) // it never fails
	return content
}

// Read implements io.Reader. It never fails or ends.
func (n noise) Read(p []byte) (int, error) { return copy(p, n), nil }

func upload(ctx context.Context, a *asker) error {
	id, accountID, account := a.company()
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	_ = form.WriteField("account_id", accountID)
	_ = form.WriteField("title", "the data room")
	_, _ = form.CreateFormFile("file", "room.bin")
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	size := int64(head.Len() + uploadSize + len(tail))
	body := io.MultiReader(&head, io.LimitReader(newNoise(), uploadSize), bytes.NewReader([]byte(tail)))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.ours+"/companies/"+id+"/attachments", body)
	if err != nil {
		return err
	}
	request.ContentLength = size
	request.Header.Set("Authorization", "Bearer "+a.key(account))
	return a.do(request, form.FormDataContentType(), nil)
}

func plainUpload(ctx context.Context, a *asker) error {
	request, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		a.limit+"/upload",
		io.LimitReader(newNoise(), uploadSize),
	)
	if err != nil {
		return err
	}
	request.ContentLength = uploadSize
	return a.do(request, "application/octet-stream", nil)
}

// mails returns importSize new emails of about 1 KB.
func (a *asker) mails() []map[string]any {
	mails := make([]map[string]any, importSize)
	for n := range mails {
		mails[n] = map[string]any{
			"external_id": uuid.NewString(),
			"from_email":  fmt.Sprintf("ada@sender%d.example", a.random.IntN(1e6)),
			"to_emails":   []string{"deals@fund.example"},
			"subject":     prose(a.random, 6),
			"content":     prose(a.random, 115),
		}
	}
	return mails
}

// importEmails imports a file of importSize emails through the API, and waits until all are stored. It sets a.began
// once the file is prepared.
func (s *stack) importEmails(ctx context.Context, a *asker) error {
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	for _, mail := range a.mails() {
		_ = lines.Encode(mail)
	}
	a.began = time.Now()
	return a.runImport(ctx, a.random.IntN(a.accounts), "emails", &file, importSize)
}

// importCompanies imports a file of pitchSize pitches through the API, and waits until a company of each is stored and
// analyzed. It sets a.began once the file is prepared.
func (s *stack) importCompanies(ctx context.Context, a *asker) error {
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	for range pitchSize {
		_ = lines.Encode(map[string]string{"text": a.pitch()})
	}
	account := a.random.IntN(a.accounts)
	a.began = time.Now()
	if err := a.runImport(ctx, account, "companies", &file, pitchSize); err != nil {
		return err
	}
	for open := true; open; {
		time.Sleep(10 * time.Millisecond)
		err := s.conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM work
			WHERE account_id = $1 AND queue = 'bulk' AND state IN ('queued',
				'running'))`, uuidOf("account", account)).Scan(&open)
		if err != nil {
			return err
		}
	}
	return nil
}

// runImport imports a file into the account with this number, and waits until the import has completed. It returns an
// error if the import fails or creates more or fewer rows than want.
func (a *asker) runImport(ctx context.Context, account int, kind string, file io.Reader, want int) error {
	base := "/accounts/" + uuidOf("account", account) + "/imports/"
	var answer struct {
		Import struct {
			ID      string
			Status  string
			Created int
		}
	}
	ask := func(method, path, kind string, body io.Reader) error {
		request, err := http.NewRequestWithContext(ctx, method, a.ours+base+path, body)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+a.key(account))
		return a.do(request, kind, &answer)
	}
	if err := ask(http.MethodPost, kind, "application/x-ndjson", file); err != nil {
		return err
	}
	for answer.Import.Status != "completed" {
		time.Sleep(10 * time.Millisecond)
		if err := ask(http.MethodGet, answer.Import.ID, "", nil); err != nil {
			return err
		}
		if answer.Import.Status == "failed" || ctx.Err() != nil {
			return fmt.Errorf("the import ended as %+v", answer.Import)
		}
	}
	if answer.Import.Created != want {
		return fmt.Errorf("%d %s were imported, want %d", answer.Import.Created, kind, want)
	}
	return nil
}

// copyEmails inserts importSize emails into the table by COPY, with the table's triggers. It is what importEmails is
// compared with. It sets a.began once the rows are prepared.
func (s *stack) copyEmails(ctx context.Context, a *asker) error {
	account := uuid.MustParse(uuidOf("account", a.random.IntN(a.accounts)))
	var rows [][]any
	for _, mail := range a.mails() {
		rows = append(
			rows,
			[]any{
				uuid.New(),
				account,
				mail["external_id"],
				mail["from_email"],
				mail["to_emails"],
				mail["subject"],
				mail["content"],
				mail["content"],
			},
		)
	}
	columns := []string{
		"id",
		"account_id",
		"external_id",
		"from_email",
		"to_emails",
		"subject",
		"content",
		"content_preview",
	}
	a.began = time.Now()
	_, err := s.conn.CopyFrom(ctx, pgx.Identifier{"emails"}, columns, pgx.CopyFromRows(rows))
	return err
}
