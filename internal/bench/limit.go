package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The statements of the limit program. They read and write the same rows as the service with the least work: one
// prepared statement each, without identity, row-level security, triggers and foreign keys.
const (
	limitColumns = `c.id, c.account_id, c.name, c.deck_link, c.visibility, c.source, c.notes, c.company_status_id,
		c.metadata,
		c.created_by, c.updated_by, c.created_at, c.updated_at, s.name, s.color, s.rank,
		(SELECT f.storage_path FROM company_files f WHERE f.company_id = c.id AND f.role = 'deck'),
		ARRAY(SELECT u.name FROM company_assignees a JOIN users u ON u.id = a.user_id WHERE a.company_id = c.id), `
	limitFrom   = ` FROM companies c LEFT JOIN company_statuses s ON s.id = c.company_status_id `
	limitPage   = " ORDER BY c.created_at DESC, c.id DESC LIMIT 26"
	limitGet    = "SELECT " + limitColumns + "c.source_content" + limitFrom + "WHERE c.id = $1"
	limitList   = "SELECT " + limitColumns + "NULL::text" + limitFrom + "WHERE c.account_id = $1" + limitPage
	limitSearch = "SELECT " + limitColumns + "NULL::text" + limitFrom +
		"WHERE c.account_id = $1 AND c.words @@ $2::tsquery" + limitPage
	limitInsert = `INSERT INTO companies (id, account_id, name, visibility, source, notes, metadata, created_by,
		updated_by)
		VALUES ($1, $2, $3, 'team', $4, $5, $6, $7, $7) RETURNING created_at, updated_at`
	limitUpdate  = "UPDATE companies SET notes = $2, updated_at = now() WHERE id = $1 RETURNING name, updated_at"
	limitFigures = `SELECT company_status_id, source, (created_at AT TIME ZONE 'UTC')::date, count(*) FROM companies
		WHERE account_id = $1 AND created_at > now() - interval '30 days' GROUP BY GROUPING SETS ((1), (2), (3))`
	limitTotals = "SELECT company_status_id, count(*) FROM companies WHERE account_id = $1 GROUP BY 1"
	limitRecent = `SELECT a.id, a.type, a.description, a.company_id, c.name, a.created_at
		FROM activity a JOIN companies c ON c.id = a.company_id WHERE a.account_id = $1
		ORDER BY a.created_at DESC, a.id DESC LIMIT 20`
)

// limit is the limit program, with which the service is compared: for the same requests, it does the least work
// possible.
type limit struct {
	pool   *pgxpool.Pool
	folder string
}

// limitRow is a company in a response of the limit program.
type limitRow struct {
	ID, AccountID        uuid.UUID
	Name                 string
	DeckLink             *string
	Visibility, Source   string
	Notes                *string
	StatusID             *uuid.UUID
	Metadata             json.RawMessage
	CreatedBy, UpdatedBy uuid.UUID
	CreatedAt, UpdatedAt time.Time
	Status, Color        *string
	Rank                 *int
	Deck                 *string
	Assignees            []string
	Content              *string
}

// serveLimit serves the limit program on address until ctx ends. It reads the URL of the database from given, and not
// from an argument of the program, since the URL contains a password. Uploads are stored in folder.
func serveLimit(ctx context.Context, given io.Reader, address, folder string) error {
	database, err := io.ReadAll(given)
	if err != nil {
		return err
	}
	config, err := pgxpool.ParseConfig(string(database))
	if err != nil {
		return err
	}
	config.MaxConns = 20
	config.ConnConfig.RuntimeParams["session_replication_role"] = "replica"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	l := &limit{pool: pool, folder: folder}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /companies/{id}", answering(l.get))
	mux.HandleFunc("GET /companies", answering(l.list))
	mux.HandleFunc("POST /companies", answering(l.create))
	mux.HandleFunc("PATCH /companies/{id}", answering(l.patch))
	mux.HandleFunc("GET /dashboard", answering(l.dashboard))
	mux.HandleFunc("POST /upload", answering(l.upload))
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func answering(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := handle(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func (l *limit) rows(ctx context.Context, statement string, args ...any) ([]limitRow, error) {
	rows, err := l.pool.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[limitRow])
}

func (l *limit) get(r *http.Request) (any, error) {
	rows, err := l.rows(r.Context(), limitGet, r.PathValue("id"))
	if err == nil && len(rows) == 0 {
		return nil, errors.New("no such company")
	}
	return rows, err
}

func (l *limit) list(r *http.Request) (any, error) {
	if words := r.FormValue("search"); words != "" {
		return l.rows(r.Context(), limitSearch, r.FormValue("account_id"), words)
	}
	return l.rows(r.Context(), limitList, r.FormValue("account_id"))
}

func (l *limit) create(r *http.Request) (any, error) {
	var sent struct {
		AccountID uuid.UUID `json:"account_id"`
		Owner     uuid.UUID
		Name      string
		Source    string
		Notes     string
		Metadata  json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		return nil, err
	}
	made := limitRow{
		ID:         uuid.New(),
		AccountID:  sent.AccountID,
		Name:       sent.Name,
		Source:     sent.Source,
		Visibility: "team",
		Metadata:   sent.Metadata,
	}
	err := l.pool.QueryRow(
		r.Context(),
		limitInsert,
		made.ID,
		made.AccountID,
		made.Name,
		made.Source,
		sent.Notes,
		made.Metadata,
		sent.Owner,
	).
		Scan(
			&made.CreatedAt,
			&made.UpdatedAt,
		)
	return made, err
}

func (l *limit) patch(r *http.Request) (any, error) {
	var sent struct{ Notes string }
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		return nil, err
	}
	var row limitRow
	err := l.pool.QueryRow(r.Context(), limitUpdate, r.PathValue("id"), sent.Notes).Scan(&row.Name, &row.UpdatedAt)
	return row, err
}

func (l *limit) dashboard(r *http.Request) (any, error) {
	batch := &pgx.Batch{}
	for _, statement := range []string{limitTotals, limitFigures, limitRecent} {
		batch.Queue(statement, r.FormValue("account_id"))
	}
	results := l.pool.SendBatch(r.Context(), batch)
	defer results.Close()
	var answer [][][]any
	for range batch.Len() {
		rows, err := results.Query()
		if err != nil {
			return nil, err
		}
		values, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
		if err != nil {
			return nil, err
		}
		answer = append(answer, values)
	}
	return answer, nil
}

// upload writes the body of a request to a file in the folder and hashes it. It does not remove the file, as the
// service does not either.
func (l *limit) upload(r *http.Request) (any, error) {
	file, err := os.CreateTemp(l.folder, "upload-*")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, hash), r.Body)
	return fmt.Sprintf("%d %x", n, hash.Sum(nil)), err
}
