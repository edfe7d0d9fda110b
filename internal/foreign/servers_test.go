//go:build foreign

package foreign_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/embedded"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/process"
)

const serverWait = 30 * time.Second

// start starts a server, which runs until the test ends, and returns once the server accepts connections.
func start(t *testing.T, address string, cmd *exec.Cmd) *embedded.Child {
	t.Helper()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	child, err := embedded.StartChild(cmd, syscall.SIGKILL)
	if err != nil {
		t.Fatalf("start %s: %v", cmd.Path, err)
	}
	t.Cleanup(func() { _ = child.Stop(syscall.SIGKILL, time.Second) })
	await(t, "the server at "+address, func() error {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-child.Done():
			t.Fatalf("%s ended: %v\n%s", cmd.Path, child.Err(), said.String())
		default:
		}
		return err
	})
	return child
}

func await(t *testing.T, what string, ready func() error) {
	t.Helper()
	err := ready()
	for deadline := time.Now().Add(serverWait); err != nil && time.Now().Before(deadline); err = ready() {
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		t.Fatalf("%s is not ready: %v", what, err)
	}
}

func execute(t *testing.T, address string, statements ...string) {
	t.Helper()
	if err := executeAll(t.Context(), address, statements); err != nil {
		t.Fatal(err)
	}
}

func executeLate(t *testing.T, address string, statements ...string) {
	t.Helper()
	if err := executeAll(context.WithoutCancel(t.Context()), address, statements); err != nil {
		t.Error(err)
	}
}

func executeAll(ctx context.Context, address string, statements []string) error {
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, statement := range statements {
		if _, err := pool.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// ordinaryUser makes a command run as nobody if the test runs as root, since PgBouncer refuses root.
func ordinaryUser(cmd *exec.Cmd) {
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

// reachable returns binaries that any user can run. If the test runs as root, it copies unpacked ones, whose folder
// only its owner can enter.
func reachable(t *testing.T, b embedded.Binaries) embedded.Binaries {
	t.Helper()
	if b.Root == "" || os.Geteuid() != 0 {
		return b
	}
	root := filepath.Join(openFolder(t), "root")
	if err := os.CopyFS(root, os.DirFS(b.Root)); err != nil {
		t.Fatal(err)
	}
	moved := embedded.Binaries{Dir: root + strings.TrimPrefix(b.Dir, b.Root), Root: root}
	for _, dir := range b.Libraries {
		moved.Libraries = append(moved.Libraries, root+strings.TrimPrefix(dir, b.Root))
	}
	return moved
}

// behindPgBouncer starts PgBouncer in transaction mode in front of a database, and returns the URL of the database
// through it. PgBouncer has no settings but its mode, the addresses and the users.
func behindPgBouncer(t *testing.T, database string) string {
	t.Helper()
	binaries, err := testkit.Finder(t).PgBouncer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	address := process.FreeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	password, _ := server.User.Password()
	dir := openFolder(t)
	users := filepath.Join(dir, "users.txt")
	write(t, users, fmt.Sprintf("%q %q\n", server.User.Username(), password))
	write(t, filepath.Join(dir, "pgbouncer.ini"), fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = %s
listen_port = %s
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
pool_mode = transaction
default_pool_size = 4
`, server.Hostname(), server.Port(), host, port, users))
	cmd := reachable(t, binaries).Command(t.Context(), "pgbouncer", filepath.Join(dir, "pgbouncer.ini"))
	ordinaryUser(cmd)
	start(t, address, cmd)
	server.Host = address
	return server.String()
}

// openFolder returns a temporary folder that all users can enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path := dir; path != "/" && path != os.TempDir(); path = filepath.Dir(path) {
		_ = os.Chmod(path, 0o755)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// certificateFiles are the paths of a certificate for localhost and of its key, in PEM.
type certificateFiles struct{ certificate, key string }

func newCertificate(t *testing.T) certificateFiles {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := openFolder(t)
	files := certificateFiles{certificate: filepath.Join(dir, "server.crt"), key: filepath.Join(dir, "server.key")}
	write(t, files.certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})))
	write(t, files.key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	return files
}

// startTLSPostgres starts a Postgres server, and returns the URL of a database that accepts only connections with TLS.
func startTLSPostgres(t *testing.T, files certificateFiles) string {
	t.Helper()
	server, err := embedded.StartPostgres(t.Context(), embedded.PostgresOptions{
		Dir: filepath.Join(t.TempDir(), "postgres"), Finder: testkit.Finder(t), Volatile: true,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	address, err := url.Parse(server.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	// The server reads a key only where it owns it and nobody else may, so the server itself copies it.
	copied := fmt.Sprintf(
		"COPY (SELECT 1) TO PROGRAM 'cd \"$PGDATA\" 2>/dev/null; umask 077; cp %s server.key; cp %s server.crt'", files.key,
		files.certificate,
	)
	execute(t, address.String(), copied, "ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()")
	query := address.Query()
	query.Set("sslmode", "verify-full")
	query.Set("sslrootcert", files.certificate)
	secure := *address
	secure.RawQuery = query.Encode()
	await(t, "TLS to Postgres", func() error { return executeAll(t.Context(), secure.String(), []string{"SELECT 1"}) })
	owned, err := url.Parse(ownedDatabase(t, address))
	if err != nil {
		t.Fatal(err)
	}
	owned.RawQuery = secure.RawQuery
	return owned.String()
}

func redisCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binaries, err := testkit.Finder(t).Redis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := binaries.Command(t.Context(), "redis-server", args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// startRedis starts a Redis server with a password, and returns its host:port and its process.
func startRedis(t *testing.T, args ...string) (string, *embedded.Child) {
	t.Helper()
	address := process.FreeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	child := start(t, address,
		redisCommand(t,
			append([]string{"--bind", host, "--port", port, "--save", "", "--requirepass", "secret", "--masterauth", "secret"},
				args...)...))
	return address, child
}

func startTLSRedis(t *testing.T, files certificateFiles) string {
	t.Helper()
	address := process.FreeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	start(t, address, redisCommand(t, "--bind", host, "--port", "0", "--tls-port", port, "--tls-cert-file",
		files.certificate, "--tls-key-file", files.key,
		"--tls-auth-clients", "no", "--requirepass", "secret"))
	return "rediss://:secret@" + address + "/0"
}

// startCluster starts a Redis Cluster of three masters, and returns its URL.
func startCluster(t *testing.T) string {
	t.Helper()
	const nodes = 3
	var addresses []string
	clients := make([]*redis.Client, nodes)
	for i := range nodes {
		address, _ := startRedis(t, "--cluster-enabled", "yes", "--cluster-port", portOf(process.FreeAddress(t)),
			"--cluster-node-timeout", "2000")
		addresses = append(addresses, address)
		clients[i] = redis.NewClient(&redis.Options{Addr: address, Password: "secret"})
		t.Cleanup(func() { _ = clients[i].Close() })
	}
	const slots = 16384
	for i, client := range clients {
		if err := client.ClusterAddSlotsRange(t.Context(), i*slots/nodes, (i+1)*slots/nodes-1).Err(); err != nil {
			t.Fatal(err)
		}
		host, port, _ := net.SplitHostPort(addresses[i])
		bus, err := client.ConfigGet(t.Context(), "cluster-port").Result()
		if err != nil {
			t.Fatal(err)
		}
		if err := clients[0].Do(t.Context(), "CLUSTER", "MEET", host, port, bus["cluster-port"]).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, client := range clients {
		await(t, "the cluster", func() error {
			info, err := client.ClusterInfo(t.Context()).Result()
			if err == nil && (!strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:3")) {
				err = fmt.Errorf("%s", info)
			}
			return err
		})
	}
	return "redis-cluster://:secret@" + strings.Join(addresses, ",")
}

func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// startSentinels starts a Redis master, a replica and three Sentinels, and returns their URL. The function that it
// returns kills the master, and waits until the replica has become master.
func startSentinels(t *testing.T) (string, func()) {
	t.Helper()
	master, child := startRedis(t)
	host, port, _ := net.SplitHostPort(master)
	startRedis(t, "--replicaof", host+" "+port)
	var addresses []string
	for range 3 {
		address := process.FreeAddress(t)
		settings := filepath.Join(openFolder(t), "sentinel.conf")
		write(t, settings,
			fmt.Sprintf("port %s\nbind 127.0.0.1\nsentinel monitor deals %s %s 2\nsentinel auth-pass deals secret\n"+
				"sentinel down-after-milliseconds deals 1000\nsentinel failover-timeout deals 5000\n", portOf(address), host, port))
		start(t, address, redisCommand(t, settings, "--sentinel"))
		addresses = append(addresses, address)
	}
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: addresses[0]})
	t.Cleanup(func() { _ = sentinel.Close() })
	await(t, "the sentinels", func() error {
		known, err := sentinel.Master(t.Context(), "deals").Result()
		if err == nil && (known["num-slaves"] != "1" || known["num-other-sentinels"] != "2") {
			err = fmt.Errorf("the sentinel knows %v", known)
		}
		return err
	})
	return "redis-sentinel://:secret@" + strings.Join(addresses, ",") + "?master=deals", func() {
		_ = child.Stop(syscall.SIGKILL, time.Second)
		await(t, "the failover", func() error {
			now, err := sentinel.GetMasterAddrByName(t.Context(), "deals").Result()
			if err == nil && net.JoinHostPort(now[0], now[1]) == master {
				err = fmt.Errorf("the master is still %v", now)
			}
			return err
		})
	}
}

// startS3 starts an S3 server that stores files in a folder, and returns the URL of a bucket and the variables with its
// credentials.
func startS3(t *testing.T) (string, []string) {
	t.Helper()
	program := os.Getenv("VERSITYGW")
	if program == "" {
		t.Fatal("VERSITYGW is not set: run `make test-foreign`")
	}
	dir, address := t.TempDir(), process.FreeAddress(t)
	if err := os.Mkdir(filepath.Join(dir, "deals"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--access", "access", "--secret",
		"secret-key", "--port", address, "posix", dir)
	start(t, address, cmd)
	return "s3://deals?region=us-east-1&use_path_style=true&endpoint=http://" + address, []string{
		"AWS_ACCESS_KEY_ID=access", "AWS_SECRET_ACCESS_KEY=secret-key",
	}
}
