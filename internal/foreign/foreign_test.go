//go:build foreign

package foreign_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
	"dealflow/internal/testkit/process"
)

// TestForeignServers runs the tests one after the other, since each is a whole installation. They share the programs.
func TestForeignServers(t *testing.T) {
	programs := process.Build(t)
	redisURL := testkit.RedisURL(t)
	t.Run("judges", func(t *testing.T) { judgeDocument(t, programs, redisURL) })
	t.Run("prometheus", func(t *testing.T) { watchByPrometheus(t, programs, redisURL) })
	for name, arrange := range map[string]func(*testing.T) (settings, func()){
		"pgbouncer": func(t *testing.T) (settings, func()) {
			t.Helper()
			return settings{database: behindPgBouncer(t, newDatabase(t))}, nil
		},
		"TLS": func(t *testing.T) (settings, func()) {
			t.Helper()
			files := newCertificate(t)
			database, redis := startTLSPostgres(t, files), startTLSRedis(t, files)
			return settings{database: database, redis: redis, environment: []string{"SSL_CERT_FILE=" + files.certificate}}, nil
		},
		"cluster": func(t *testing.T) (settings, func()) {
			t.Helper()
			return settings{redis: startCluster(t)}, nil
		},
		"sentinel": func(t *testing.T) (settings, func()) {
			t.Helper()
			address, failOver := startSentinels(t)
			return settings{redis: address}, failOver
		},
		"S3": func(t *testing.T) (settings, func()) {
			t.Helper()
			address, environment := startS3(t)
			return settings{storage: address, environment: environment}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			given, disturb := arrange(t)
			given.fill(t, redisURL)
			environment := given.variables()
			team := programs.NewTeam(t, environment)
			programs.Start(t, "worker", environment)
			api := client{t: t, base: "http://" + programs.Start(t, "api", environment).Address + "/api/v1", team: team}
			api.doMainJob("GridMint")
			if disturb != nil {
				disturb()
				api.doMainJob("Brackenfield")
			}
			api.importEmails()
		})
	}
}

// settings has the URLs of the servers of an installation, and more variables of its environment. fill replaces empty
// URLs.
type settings struct {
	database, redis, storage string
	environment              []string
}

func (s *settings) fill(t *testing.T, redisURL string) {
	t.Helper()
	if s.database == "" {
		s.database = newDatabase(t)
	}
	if s.redis == "" {
		s.redis = redisURL
	}
	if s.storage == "" {
		s.storage = "file://" + t.TempDir()
	}
}

func (s *settings) variables() []string {
	return append([]string{
		"DATABASE_URL=" + s.database, "REDIS_URL=" + s.redis, "STORAGE_URL=" + s.storage,
		"SECRET_KEYS=" + strings.Repeat("k", 32),
		"RATE_LIMIT_PER_SECOND=0", "RATE_LIMIT_PER_MINUTE=0", "ANALYSIS_WAIT=60s",
	}, s.environment...)
}

// newDatabase returns the URL of an empty database. Its login owns the database and may create roles, but is not a
// superuser.
func newDatabase(t *testing.T) string {
	t.Helper()
	address, err := url.Parse(testkit.EmptyDatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	return ownedDatabase(t, address)
}

// roleIfMissing returns a statement that creates a role unless it exists.
func roleIfMissing(role string) string {
	return "DO $$ BEGIN CREATE ROLE " + role +
		" NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
}

func ownedDatabase(t *testing.T, address *url.URL) string {
	t.Helper()
	name := strings.TrimPrefix(address.Path, "/")
	login := fmt.Sprintf("foreign_%d_%d", os.Getpid(), time.Now().UnixNano())
	execute(t, address.String(), roleIfMissing("dealflow_app"), roleIfMissing("dealflow_system"),
		"CREATE ROLE "+login+" LOGIN CREATEROLE PASSWORD 'foreign'",
		"GRANT dealflow_app, dealflow_system TO "+login+" WITH ADMIN OPTION",
		"ALTER DATABASE "+name+" OWNER TO "+login, "ALTER SCHEMA public OWNER TO "+login)
	t.Cleanup(func() {
		executeLate(t, address.String(), "REASSIGN OWNED BY "+login+" TO CURRENT_USER", "DROP OWNED BY "+login,
			"DROP ROLE "+login)
	})
	owned := *address
	owned.User = url.UserPassword(login, "foreign")
	return owned.String()
}
