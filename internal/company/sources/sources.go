// Package sources reads where companies came from: who brought them and through what, and whether the team decided
// against them before.
package sources

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
)

// mostSources bounds how many sources of a company are read, and how many passes.
const mostSources = 100

// How a company arrived: in an email or a submission from which it was made or in which it was recognized, in an
// imported file, or by a person who added it.
const (
	ThroughEmail  = "email"
	ThroughForm   = "form_submission"
	ThroughImport = "import"
	ThroughPerson = "person"
)

// Source is who brought a company, through what, and when for the first time. Name and Email are nil if they are not
// known.
type Source struct {
	Through string
	Name    *string
	Email   *string
	Thing   *uuid.UUID // the first email or submission, or the import; nil for a person
	Times   int        // how often they brought it
	At      time.Time
	First   bool // the company was created from it
}

// Pass is a decision of the team against a company: the company got a status such as "Rejected". By is the name of the
// user who set it; nil if that is not known.
type Pass struct {
	Stage  string
	By     *string
	At     time.Time
	Reason *string // of the last pass only: pass_reason of the company's metadata
}

// Background is where a company came from, and when the team decided against it.
type Background struct {
	Sources []Source // the earliest first
	Passes  []Pass   // the latest first
	Open    bool     // its present stage is not one by which a team decides against a company
}

// Earlier returns the latest pass. It returns nil if there is none, or if the present status of the company is still
// one by which a team decides against a company.
func (b Background) Earlier() *Pass {
	if !b.Open || len(b.Passes) == 0 {
		return nil
	}
	return &b.Passes[0]
}

// passing is a regular expression of Postgres, for ~*, that matches common names of statuses by which a team decides
// against a company, in five languages. It matches whole names only: "Rejected", but not "Rejected early".
const passing = `^\s*(pass|passed|passed on|rejected|reject|declined|decline|turned down|not interested` +
	`|abgelehnt|abgesagt|absage|refus[eé]|rechazad[oa]|rifiutat[oa])\s*$`

// sourcesQuery reads the sources of company $1, the earliest first, at most $2. These are the senders of the emails and
// submissions that were matched to it, and the person or import that made it, or made a company that was merged into
// it. That person or import is left out if an email or submission made the company.
const sourcesQuery = `WITH arrivals AS (
		SELECT 'email' AS through, NULLIF(e.from_name, '') AS name, e.from_email AS email, e.id AS thing, e.created_at AS at,
			lower(e.from_email) AS who, CASE e.metadata #>> '{company_match,created}' WHEN 'true' THEN
				COALESCE(e.metadata #>> '{company_match,company_id}', $1::uuid::text) END AS made
		FROM email_companies l JOIN emails e ON e.id = l.email_id WHERE l.company_id = $1 AND jsonb_exists(e.metadata,
		'company_match')
		UNION ALL
		SELECT 'form_submission', NULL, s.said, s.id, s.created_at, COALESCE(lower(s.said), s.id::text),
			CASE s.metadata #>> '{company_match,created}' WHEN 'true' THEN
				COALESCE(s.metadata #>> '{company_match,company_id}', $1::uuid::text) END
		FROM (SELECT f.*, (SELECT a ->> 'value' FROM json_array_elements(f.data) AS a
				WHERE a ->> 'value' ~ '^[^@\s]+@[^@\s]+\.[^@\s]+$' LIMIT 1) AS said
			FROM form_submissions f WHERE f.company_id = $1 AND jsonb_exists(f.metadata, 'company_match')) AS s),
	owned AS (
		SELECT id, created_by, created_at FROM companies WHERE id = $1
		UNION ALL SELECT merged_id, (merged ->> 'created_by')::uuid, (merged ->> 'created_at')::timestamptz
		FROM company_merges WHERE company_id = $1 AND undone_at IS NULL),
	sources AS (
		SELECT through, (array_agg(name ORDER BY at))[1] AS name, (array_agg(email ORDER BY at))[1] AS email,
			(array_agg(thing ORDER BY at))[1] AS thing, count(*) AS times, min(at) AS at,
			COALESCE(bool_or(made = $1::uuid::text), false) AS made
		FROM arrivals GROUP BY through, who
		UNION ALL
		SELECT CASE WHEN i.import_id IS NULL THEN 'person' ELSE 'import' END, u.name, u.email, i.import_id, count(*),
			min(o.created_at), bool_or(o.id = $1)
		FROM owned o LEFT JOIN users u ON u.id = o.created_by
			LEFT JOIN import_things i ON i.thing = o.id AND i.kind = 'company' AND i.outcome IS DISTINCT FROM 'removed'
		WHERE NOT EXISTS (SELECT FROM arrivals a WHERE a.made = o.id::text) GROUP BY i.import_id, u.id)
	SELECT through, name, email, thing, times, at, made FROM sources ORDER BY at, through, thing LIMIT $2`

const decisionsQuery = `SELECT p.stage, u.name, p.at,
	CASE row_number() OVER (ORDER BY p.at DESC) WHEN 1 THEN p.reason END FROM (
		SELECT substring(a.description FROM '^.* to (.*)$') AS stage, a.user_id, a.created_at AS at,
			NULLIF(btrim(c.metadata ->> 'pass_reason'), '') AS reason
		FROM activity a JOIN companies c ON c.id = a.company_id WHERE a.company_id = $1 AND a.type = 'status_changed') AS p
	LEFT JOIN users u ON u.id = p.user_id WHERE p.stage ~* $2 ORDER BY p.at DESC LIMIT $3`

// Service reads where companies came from. It is safe for concurrent use.
type Service struct{ db *postgres.DB }

// New returns the service.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// Background returns where a company came from, and when the team decided against it: at most mostSources sources, the
// earliest, and mostSources passes, the latest. It returns the same errors as Get of a company.
func (s *Service) Background(ctx context.Context, who *postgres.Identity, id uuid.UUID) (Background, error) {
	b := Background{Sources: []Source{}, Passes: []Pass{}}
	err := s.db.Read(ctx, who, append([]postgres.Query{company.Seen(id)}, b.queries(id)...)...)
	if err != nil {
		return Background{}, fmt.Errorf("read the background of company %s: %w", id, err)
	}
	return b, nil
}

func (b *Background) queries(id uuid.UUID) []postgres.Query {
	return []postgres.Query{
		postgres.Rows(&b.Sources, func(s *Source) []any {
			return []any{&s.Through, &s.Name, &s.Email, &s.Thing, &s.Times, &s.At, &s.First}
		}, sourcesQuery, id, mostSources),
		b.passesOf(id),
		postgres.Value(&b.Open, `SELECT NOT COALESCE((SELECT s.name ~* $2 FROM companies c JOIN company_statuses s
			ON s.id = c.company_status_id
			WHERE c.id = $1), false)`, id, passing),
	}
}

func (b *Background) passesOf(id uuid.UUID) postgres.Query {
	return postgres.Rows(&b.Passes, func(p *Pass) []any { return []any{&p.Stage, &p.By, &p.At, &p.Reason} },
		decisionsQuery, id, passing, mostSources)
}

// EarlierPass returns the latest pass of a company as JSON, to be stored with an email or submission about it that has
// just arrived. Unlike Background.Earlier, it does not look at the present status. It returns nil if there is no pass,
// or if the transaction's user does not see the company.
func EarlierPass(tx *postgres.Tx, id uuid.UUID) (json.RawMessage, error) {
	var b Background
	if err := tx.Run(b.passesOf(id)); err != nil {
		return nil, fmt.Errorf("look for an earlier pass on company %s: %w", id, err)
	}
	if len(b.Passes) == 0 {
		return nil, nil
	}
	last := b.Passes[0]
	encoded, err := json.Marshal(struct {
		Stage  string    `json:"stage"`
		At     time.Time `json:"at"`
		Reason *string   `json:"reason"`
	}{last.Stage, last.At.UTC(), last.Reason})
	if err != nil {
		return nil, fmt.Errorf("encode an earlier pass: %w", err)
	}
	return encoded, nil
}
