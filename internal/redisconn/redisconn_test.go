package redisconn_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/redisconn"
	"dealflow/internal/testkit"
)

func connect(t *testing.T, rawURL string) redis.UniversalClient {
	t.Helper()
	s, err := redisconn.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	client := s.Client()
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// wantSame fails the test unless one client reads what the other wrote.
func wantSame(t *testing.T, writer, reader redis.UniversalClient) {
	t.Helper()
	if err := writer.Set(t.Context(), "where", t.Name(), 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got, err := reader.Get(t.Context(), "where").Result(); got != t.Name() || err != nil {
		t.Errorf("got %q, %v: another place", got, err)
	}
}

func TestSingleServer(t *testing.T) {
	t.Parallel()
	direct := miniredis.RunT(t)
	direct.RequireUserAuth("deal", "p@ss/word")
	tlsServer := runTLS(t)
	for name, c := range map[string]struct {
		rawURL string
		holder *miniredis.Miniredis
		db     int
	}{
		"database in the path": {"redis://deal:p%40ss%2Fword@" + direct.Addr() + "/3", direct, 3},
		"no database":          {"redis://deal:p%40ss%2Fword@" + direct.Addr(), direct, 0},
		"its own parameters":   {"redis://deal:p%40ss%2Fword@" + direct.Addr() + "/4?pool_size=2&dial_timeout=1s", direct, 4},
		"TLS":                  {"rediss://" + tlsServer.Addr() + "/1?skip_verify=true", tlsServer, 1},
	} {
		if err := connect(t, c.rawURL).Set(t.Context(), "where", name, 0).Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := c.holder.DB(c.db).Get("where"); got != name || err != nil {
			t.Errorf("%s: database %d holds %q, %v", name, c.db, got, err)
		}
	}
}

func TestRealServer(t *testing.T) {
	t.Parallel()
	rawURL := testkit.RedisURL(t)
	wantSame(t, connect(t, rawURL), connect(t, rawURL))
}

// TestSocket writes through a socket of this machine, whose path has characters that a URL escapes, and reads through
// the port.
func TestSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "dealflow %socket-") //nolint:usetesting // a test's folder is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "redis.sock")
	server := testkit.StartRedis(t, "--unixsocket", path, "--databases", "4")
	socket := url.URL{Scheme: "unix", Path: path, RawQuery: "db=3"}
	wantSame(t, connect(t, socket.String()), connect(t, "redis://"+server.Addr+"/3"))
}

func TestUntrustedCertificateIsRefused(t *testing.T) {
	t.Parallel()
	err := connect(t, "rediss://"+runTLS(t).Addr()).Ping(t.Context()).Err()
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

func runTLS(t *testing.T) *miniredis.Miniredis {
	t.Helper()
	https := httptest.NewTLSServer(nil) // for its certificate
	defer https.Close()
	s := miniredis.NewMiniRedis()
	if err := s.StartTLS(&tls.Config{Certificates: https.TLS.Certificates, MinVersion: tls.VersionTLS12}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// runSentinel starts a Sentinel, which answers only where the master of this name is, and returns its host:port. It
// requires the password unless that is "".
func runSentinel(t *testing.T, master, password string, at *miniredis.Miniredis) string {
	t.Helper()
	s := miniredis.RunT(t)
	if password != "" {
		s.RequireAuth(password)
	}
	err := s.Server().Register("SENTINEL", func(c *server.Peer, _ string, args []string) {
		if strings.EqualFold(args[0], "get-master-addr-by-name") && args[1] == master {
			c.WriteStrings([]string{at.Host(), at.Port()})
			return
		}
		if strings.EqualFold(args[0], "get-master-addr-by-name") {
			c.WriteNull()
			return
		}
		c.WriteLen(0) // no other sentinels
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.Addr()
}

func TestSentinel(t *testing.T) {
	t.Parallel()
	master := miniredis.RunT(t)
	master.RequireAuth("secret")
	open, closed := runSentinel(t, "deals", "", master), runSentinel(t, "deals", "hush", master)
	for name, c := range map[string]struct {
		rawURL string
		db     int
	}{
		"one sentinel":             {"redis-sentinel://:secret@" + open + "?master=deals", 0},
		"one of several is down":   {"redis-sentinel://:secret@127.0.0.1:1," + open + "/2?master=deals&pool_size=3", 2},
		"sentinels have their own": {"redis-sentinel://:secret@" + closed + "/5?master=deals&sentinel_password=hush", 5},
	} {
		if err := connect(t, c.rawURL).Set(t.Context(), "where", name, 0).Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := master.DB(c.db).Get("where"); got != name || err != nil {
			t.Errorf("%s: database %d holds %q, %v", name, c.db, got, err)
		}
	}
	if err := connect(t, "redis-sentinel://:secret@"+open+"?master=other").Ping(t.Context()).Err(); err == nil {
		t.Error("a master that nobody knows answered")
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	own := testkit.StartRedisCluster(t)
	client := connect(t, "redis-cluster://127.0.0.1:1,"+own.Addr+"?pool_size=3")
	wantSame(t, client, client)
	if err := client.MSet(t.Context(), "a", 1, "b", 2).Err(); err == nil {
		t.Error("this is no cluster: it took keys of two slots at once")
	}
	if _, isCluster := client.(*redis.ClusterClient); !isCluster {
		t.Errorf("got a %T", client)
	}
}

func TestOneHostIsAClusterToo(t *testing.T) {
	t.Parallel()
	s := miniredis.RunT(t)
	client := connect(t, "redis-cluster://"+s.Addr())
	if _, isCluster := client.(*redis.ClusterClient); !isCluster {
		t.Errorf("got a %T", client)
	}
	wantSame(t, client, client)
}

func TestEveryClientIsItsOwn(t *testing.T) {
	t.Parallel()
	s, err := redisconn.Parse(testkit.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	first, second := s.Client(), s.Client()
	defer second.Close()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Ping(t.Context()).Err(); err != nil {
		t.Errorf("closing one client closed the other: %v", err)
	}
}

func TestBadURLs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rawURL, says string }{
		"nothing":      {"", "no scheme"},
		"a host alone": {"localhost:6379", "no scheme"},
		"another scheme": {
			"http://localhost", `"http" is unknown: use redis, rediss, unix, redis-sentinel or redis-cluster`,
		},
		"no host":                   {"redis://", "host 1 is missing"},
		"a port alone":              {"redis://:6379/0", "host 1 is missing"},
		"a bad database":            {"redis://localhost/one", "invalid database number"},
		"an unknown parameter":      {"redis://localhost/0?colour=red", "colour"},
		"a socket without a path":   {"unix://:secret@?db=1", "names no socket"},
		"a socket on a host":        {"unix://localhost/run/redis.sock", "names no socket"},
		"several hosts":             {"redis://h1,h2/0", "redis-sentinel:// or redis-cluster://"},
		"a password to be escaped":  {"redis://:sec/ret@localhost/0", "percent-encode"},
		"an impossible port":        {"redis://:secret@localhost:port/0", "percent-encode"},
		"sentinel without a master": {"redis-sentinel://:secret@h1,h2", "add ?master=NAME"},
		"sentinel with a gap":       {"redis-sentinel://:secret@h1,,h3?master=deals", "host 2 is missing"},
		"sentinel with a bad port": {
			"redis-sentinel://:secret@h1,h2:x?master=deals", "host 2 is missing or cannot be read",
		},
		"sentinel with a parameter":   {"redis-sentinel://h1?master=deals&colour=red", "colour"},
		"sentinel that asks replicas": {"redis-sentinel://h1?master=deals&route_randomly=true", "replicas"},
		"sentinel, unclear TLS":       {"redis-sentinel://h1?master=deals&tls=maybe", "neither true nor false"},
		"cluster with a database":     {"redis-cluster://:secret@h1,h2/1", "remove the path"},
		"cluster with a parameter":    {"redis-cluster://h1?colour=red", "colour"},
		"cluster without a host":      {"redis-cluster://:secret@", "host 1 is missing"},
	} {
		_, err := redisconn.Parse(c.rawURL)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error that says %q", name, err, c.says)
		}
		if err != nil && strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: the error shows the password: %v", name, err)
		}
	}
}

// TestContextBoundsACommand asks a server that accepts connections and never answers.
func TestContextBoundsACommand(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	client := connect(t, "redis://"+silent.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := client.Ping(ctx).Err(); err == nil || time.Since(start) > time.Second {
		t.Errorf("got %v after %v", err, time.Since(start))
	}
}

func TestLibraryTalksToTheLogger(t *testing.T) { // not parallel: the library has one logger a process
	var out strings.Builder
	redisconn.LogTo(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	defer redisconn.LogTo(slog.New(slog.DiscardHandler))
	// The library complains of a time that it cannot send.
	if err := connect(t, testkit.RedisURL(t)).PExpire(t.Context(), "a", time.Microsecond).Err(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"level":"DEBUG","msg":"redis client","message":"specified duration is 1µs`) {
		t.Errorf("the library said %s", strconv.Quote(out.String()))
	}
}
