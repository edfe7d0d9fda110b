package main

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed seed.sql
var seedSQL string

// texts is how many different texts the seeded companies have.
const texts = 500

// data has the numbers of seeded companies and accounts. The ids of their rows can be computed from the number of a
// row; see uuidOf.
type data struct{ companies, accounts int }

// key returns the API key of the owner of the account with this number.
func (d data) key(account int) string { return fmt.Sprintf("mk_bench%d", account) }

// seed fills an empty, migrated database with d. It switches triggers and foreign keys off and creates the indexes
// last, so it must also write the rows that triggers would write; TestSeededRowsAreWhatTriggersWrite compares the two.
func seed(ctx context.Context, conn *pgx.Conn, d data) error {
	if _, err := conn.Exec(
		ctx,
		"CREATE TEMPORARY TABLE bench_texts (n integer PRIMARY KEY, summary text, content text, words tsvector)",
	); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // G404: texts, not secrets
	for n := range texts {
		_, err := conn.Exec(ctx, "INSERT INTO bench_texts VALUES ($1, $2, $3)", n, prose(random, 40), prose(random, 120))
		if err != nil {
			return fmt.Errorf("seed the texts: %w", err)
		}
	}
	indexes, err := dropIndexes(ctx, conn, "companies", "company_keys", "company_files", "activity")
	if err != nil {
		return err
	}
	settings := fmt.Sprintf(
		"SET bench.companies = %d; SET bench.accounts = %d; SET bench.texts = %d; SET maintenance_work_mem = '256MB'",
		d.companies,
		d.accounts,
		texts,
	)
	for _, statement := range append([]string{settings, seedSQL}, indexes...) {
		if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	for _, statement := range []string{"RESET session_replication_role", "VACUUM ANALYZE", "CHECKPOINT"} {
		if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return nil
}

// dropIndexes drops the indexes of tables, except those of constraints, and returns the statements that create the
// dropped ones again.
func dropIndexes(ctx context.Context, conn *pgx.Conn, tables ...string) ([]string, error) {
	rows, err := conn.Query(ctx, `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
		WHERE i.indrelid = ANY ($1::text[]::regclass[]) AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid =
			i.indexrelid)`, tables)
	if err != nil {
		return nil, fmt.Errorf("list the indexes: %w", err)
	}
	type index struct{ Name, Definition string }
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
	if err != nil {
		return nil, fmt.Errorf("list the indexes: %w", err)
	}
	definitions := make([]string, 0, len(found))
	for _, one := range found {
		if _, err := conn.Exec(ctx, "DROP INDEX "+one.Name); err != nil {
			return nil, err
		}
		definitions = append(definitions, one.Definition)
	}
	return definitions, nil
}

// vocabulary has the words of texts and names, the frequent ones first.
//
//nolint:gochecknoglobals // it is only read, and cutting it for each word costs more than most requests
var vocabulary = strings.Fields(`
solar grid battery storage heat pump retrofit carbon soil sensor drone satellite imaging genome protein antibody trial
clinic triage radiology insurer broker claims ledger payments payroll invoice treasury lending credit mortgage escrow
logistics freight customs warehouse robotics gripper lidar autonomy charging fleet leasing mobility scooter bicycle rail
timetable ticketing tourism hotel kitchen recipe grocery farming irrigation fertilizer seed harvest dairy fermentation
brewing packaging recycling polymer coating adhesive steel cement timber modular housing tenant landlord facade elevator
acoustics lighting wiring plumbing inspection permit zoning planning surveying compiler database kernel scheduler
tracing logging firewall identity passkey encryption enclave retrieval embedding inference transcription translation
captioning dubbing animation rendering shader texture avatar esports league coaching tutoring exam credential staffing
recruiting onboarding benefits pension childcare eldercare hearing vision dental rehab sleep nutrition fasting glucose
cardiology`)

// frequent returns a random word of the vocabulary, most often one of the first words.
func frequent(random *rand.Rand) string {
	share := random.Float64()
	return vocabulary[int(share*share*share*float64(len(vocabulary)))]
}

// rare returns a word composed of two random words of the vocabulary, one of some ten thousand.
func rare(random *rand.Rand) string {
	return vocabulary[random.IntN(len(vocabulary))] + vocabulary[random.IntN(len(vocabulary))]
}

// speech returns a line of this many frequent words. With longer words, as in prose, the PDF reader would consider a
// page badly read, and read it again.
func speech(random *rand.Rand, words int) string {
	line := make([]string, words)
	for n := range line {
		line[n] = frequent(random)
	}
	return strings.Join(line, " ")
}

// prose returns a text of this many words, in turns a frequent and a rare one, with a full stop and a line break after
// every eleventh.
func prose(random *rand.Rand, words int) string {
	var text strings.Builder
	for n := range words {
		if n > 0 {
			text.WriteByte(' ')
		}
		if n%2 == 0 {
			text.WriteString(frequent(random))
		} else {
			text.WriteString(rare(random))
		}
		if n%11 == 10 {
			text.WriteString(".\n")
		}
	}
	return text.String()
}
