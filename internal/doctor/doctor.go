// Package doctor examines an installation: whether the servers that the service is configured to use answer, are set up
// as it needs them, and agree on the time, whether the mail server takes the login, and whether PDFs can be read on
// this machine.
package doctor

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/blob"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
	"dealflow/internal/redisconn"
	"dealflow/internal/smtp"
)

const (
	patience    = 10 * time.Second // for one server
	mostSkew    = 5 * time.Second  // between the clocks of two machines
	readingTime = time.Minute      // for the PDF reader, which may be compiled first
)

// Options name the parts to examine, and are required, except MailURL and MailFrom.
type Options struct {
	DatabaseURL, RedisURL, StorageURL string

	MailURL, MailFrom string // no mail server is examined if MailURL is ""

	Migrations fs.FS
	Reader     pdftext.Options
}

// Finding is the result of one examination. If OK is true, Detail says what is right, and Problem is empty; else
// Problem says what is wrong and what to do, and Detail is empty.
type Finding struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Detail  string `json:"detail"`
	Problem string `json:"problem"`
}

// New returns a finding about something that was examined elsewhere: with err as the problem, or, if err is nil, with
// the detail.
func New(name, detail string, err error) Finding {
	if err != nil {
		return Finding{Name: name, Problem: err.Error()}
	}
	return Finding{Name: name, OK: true, Detail: detail}
}

// Examine examines the database, Redis, the storage, the PDF readers and, if there is a MailURL, the mail server, all
// at the same time. It returns the findings in this order. It waits at most ten seconds for each of them, and at most a
// minute for the readers.
func Examine(ctx context.Context, o Options) []Finding {
	type examination struct {
		name    string
		within  time.Duration
		examine func(context.Context, Options) (string, error)
	}
	examinations := []examination{
		{"database", patience, examineDatabase},
		{"redis", patience, examineRedis},
		{"storage", patience, examineStorage},
		{"readers", readingTime, examineReaders},
	}
	if o.MailURL != "" {
		examinations = append(examinations, examination{"mail", patience, examineMail})
	}
	findings := make([]Finding, len(examinations))
	var wait sync.WaitGroup
	for i, e := range examinations {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, e.within)
			defer cancel()
			detail, err := e.examine(ctx, o)
			findings[i] = New(e.name, detail, err)
		})
	}
	wait.Wait()
	return findings
}

// examineDatabase examines whether the database can be reached, and its migrations, roles, row security and clock. It
// returns a description of what is right, or an error that says what is wrong.
func examineDatabase(ctx context.Context, o Options) (string, error) {
	db, err := postgres.Open(ctx, o.DatabaseURL, postgres.Options{MaxConnections: 1})
	if err != nil {
		return "", fmt.Errorf("see that Postgres runs and that DATABASE_URL leads to it: %w", err)
	}
	defer db.Close()
	if err := db.Check(ctx, o.Migrations); err != nil {
		return "", err
	}
	var found struct {
		Version string
		Now     time.Time
		Room    int
	}
	asked := time.Now()
	err = db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw(`SELECT current_setting('server_version') AS version, clock_timestamp() AS now,
			current_setting('max_connections')::int AS room`).Scan(&found).Error
	})
	took := time.Since(asked)
	if err != nil {
		return "", err
	}
	if err := checkClock(asked, took, found.Now); err != nil {
		return "", err
	}
	return fmt.Sprintf("Postgres %s, room for %d connections, %s for a transaction; the schema is whole and row "+
		"security holds",
		found.Version, found.Room, took.Round(100*time.Microsecond)), nil
}

// checkClock returns an error if the clock of a server surely differs from the one of this machine by more than
// mostSkew: both clocks decide about leases, sessions and signed links. theirs is the server's time, asked is when it
// was requested, and took is how long the answer took: the server may have read its clock at any moment in between.
func checkClock(asked time.Time, took time.Duration, theirs time.Time) error {
	skew := theirs.Sub(asked.Add(took/2)).Abs() - took/2
	if skew > mostSkew {
		return fmt.Errorf("its clock and the one of this machine differ by %s: set both by NTP", skew.Round(time.Second))
	}
	return nil
}

func examineRedis(ctx context.Context, o Options) (string, error) {
	server, err := redisconn.Parse(o.RedisURL)
	if err != nil {
		return "", fmt.Errorf("REDIS_URL: %w", err)
	}
	client := server.Client()
	defer client.Close()
	asked := time.Now()
	theirs, err := client.Time(ctx).Result()
	took := time.Since(asked)
	if err != nil {
		return "", fmt.Errorf("see that Redis runs and that REDIS_URL leads to it: %w", err)
	}
	if err := checkClock(asked, took, theirs); err != nil {
		return "", err
	}
	if err := checkEviction(ctx, client); err != nil {
		return "", err
	}
	info, err := client.InfoMap(ctx, "server").Result()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Redis %s, %s for a command", info["Server"]["redis_version"],
		took.Round(100*time.Microsecond)), nil
}

// checkEviction returns an error if the server may drop tasks when its memory is full. It returns nil if the settings
// cannot be read, since managed servers refuse to show them.
func checkEviction(ctx context.Context, client redis.UniversalClient) error {
	settings, err := client.ConfigGet(ctx, "maxmemory*").Result()
	if err != nil || settings["maxmemory"] == "0" || settings["maxmemory"] == "" {
		return nil //nolint:nilerr // managed servers refuse CONFIG
	}
	if policy := settings["maxmemory-policy"]; policy != "noeviction" {
		return fmt.Errorf("it drops keys when its memory is full: CONFIG SET maxmemory-policy noeviction (it is %s)", policy)
	}
	return nil
}

func examineStorage(ctx context.Context, o Options) (string, error) {
	began := time.Now()
	store, err := blob.Open(ctx, o.StorageURL)
	if err != nil {
		return "", err
	}
	defer store.Close()
	if err := store.Probe(ctx); err != nil {
		return "", fmt.Errorf("it does not take files: %w", errors.Join(err, errors.Unwrap(err)))
	}
	return fmt.Sprintf("a file was written, read and removed in %s", time.Since(began).Round(time.Millisecond)), nil
}

func examineMail(ctx context.Context, o Options) (string, error) {
	server, err := smtp.New(o.MailURL, o.MailFrom)
	if err != nil {
		return "", err
	}
	began := time.Now()
	if err := server.Check(ctx); err != nil {
		return "", fmt.Errorf("see that SMTP_URL leads to a mail server and has its user and password: %w", err)
	}
	return fmt.Sprintf("the mail server was ready to take a mail after %s", time.Since(began).Round(time.Millisecond)), nil
}

//go:embed sample.pdf
var sample []byte

// sampleText is the text of sample.pdf.
const sampleText = "dealflow reads this page"

func examineReaders(ctx context.Context, o Options) (string, error) {
	o.Reader.Children = 1
	pool := pdftext.NewPool(o.Reader)
	defer pool.Close()
	began := time.Now()
	document, err := pool.Read(ctx, bytes.NewReader(sample))
	if err != nil {
		return "", fmt.Errorf("a PDF cannot be read on this machine: %w", err)
	}
	if text := strings.Join(document.Pages, " "); !strings.Contains(text, sampleText) {
		return "", fmt.Errorf("a PDF that says %q was read as %.100q", sampleText, text)
	}
	return fmt.Sprintf("a PDF was read in %s", time.Since(began).Round(time.Millisecond)), nil
}
