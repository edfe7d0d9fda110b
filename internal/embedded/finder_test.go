package embedded_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dealflow/internal/embedded"
)

// program writes a shell script.
func program(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func postgresFolder(t *testing.T, dir, version string) string {
	t.Helper()
	program(t, filepath.Join(dir, "initdb"), "")
	program(t, filepath.Join(dir, "postgres"), "echo '"+version+"'")
	return dir
}

func TestFinderTakesTheChosenPostgres(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version string
		major   int
		want    string
	}{
		"any":             {"postgres (PostgreSQL) 15.18 (Debian 15.18-0)", 0, ""},
		"this":            {"postgres (PostgreSQL) 16.1", 16, ""},
		"a beta":          {"postgres (PostgreSQL) 19beta1", 19, ""},
		"another":         {"postgres (PostgreSQL) 16.1", 15, "PG_BIN has Postgres 16, but this cluster needs 15"},
		"too old":         {"postgres (PostgreSQL) 9.6.24", 0, "PG_BIN has Postgres 9, but this cluster needs 14 or newer"},
		"no Postgres":     {"hello", 0, "PG_BIN has Postgres 0"},
		"the very oldest": {"postgres (PostgreSQL) 14", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := postgresFolder(t, t.TempDir(), test.version)
			got, err := embedded.Finder{PostgresBin: dir}.Postgres(t.Context(), test.major)
			if test.want == "" && (err != nil || got.Dir != dir) {
				t.Errorf("found %q, %v", got.Dir, err)
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}

func TestFinderRefusesAFolderWithoutServer(t *testing.T) {
	t.Parallel()
	_, err := embedded.Finder{PostgresBin: t.TempDir()}.Postgres(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), "PG_BIN is ") {
		t.Errorf("the error is %v", err)
	}
}

func TestFinderPrefersTheNewestUnpacked(t *testing.T) {
	t.Parallel()
	unpacked := t.TempDir()
	for _, version := range []string{"1998", "1999", "1997"} {
		postgresFolder(t, filepath.Join(unpacked, "postgresql/usr/lib/postgresql", version, "bin"),
			"postgres (PostgreSQL) "+version+".1")
	}
	libraries := filepath.Join(unpacked, "postgresql/usr/lib/x86_64-linux-gnu")
	if err := os.MkdirAll(libraries, 0o755); err != nil {
		t.Fatal(err)
	}
	for major, want := range map[int]string{0: "1999", 1997: "1997"} {
		got, err := embedded.Finder{Unpacked: unpacked}.Postgres(t.Context(), major)
		if err != nil || !strings.Contains(got.Dir, "/"+want+"/") {
			t.Errorf("found %q, %v, want %s", got.Dir, err, want)
		}
		if len(got.Libraries) != 1 || got.Libraries[0] != libraries {
			t.Errorf("libraries are %v, want %s", got.Libraries, libraries)
		}
	}
}

// Scripts in place of a machine's package tools: apt-get writes what it was asked into $log, dpkg-deb unpacks a
// redis-server.
const (
	aptGet = `echo "$@" >>"$(dirname "$0")/log"
case "$*" in
*--simulate*) echo 'Inst redis-tools (5:7.0 Debian:12 [amd64])'; echo 'Inst libc6 [2.35] (2.36 Debian:12 [amd64])'
  echo 'Inst libllvm14 (1:14 Debian:12 [amd64])'; echo 'Inst redis-server (5:7.0 Debian:12 [amd64])'
  echo 'Conf redis-server (5:7.0)' ;;
*download*) touch redis.deb ;;
esac`
	dpkgDeb = `mkdir -p "$3/usr/bin"; : >"$3/usr/bin/redis-server"; chmod 755 "$3/usr/bin/redis-server"`
)

func machine(t *testing.T, apt, dpkg string) (finder embedded.Finder, bin string) {
	t.Helper()
	bin = t.TempDir()
	program(t, filepath.Join(bin, "apt-get"), apt)
	program(t, filepath.Join(bin, "dpkg-deb"), dpkg)
	for _, tool := range []string{"touch", "mkdir", "chmod", "dirname"} {
		if err := os.Symlink("/bin/"+tool, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	return embedded.Finder{Unpacked: filepath.Join(t.TempDir(), "servers"), Logger: slog.New(slog.DiscardHandler)}, bin
}

func TestFinderUnpacksWhatIsMissing(t *testing.T) {
	finder, bin := machine(t, aptGet, dpkgDeb)
	got, err := finder.Redis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(finder.Unpacked, "redis/usr/bin"); got.Dir != want {
		t.Errorf("found %q, want %q", got.Dir, want)
	}
	log, err := os.ReadFile(filepath.Join(bin, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), " download redis-tools redis-server\n") {
		t.Errorf("asked for other packages, without the compiler or what is installed:\n%s", log)
	}
	left, err := os.ReadDir(finder.Unpacked)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Remove(filepath.Join(bin, "apt-get")); err != nil {
		t.Fatal(err)
	}
	if _, err := finder.Redis(t.Context()); err != nil {
		t.Errorf("the second time it is not found: %v", err)
	}
}

// apt takes a relative folder for one below the root.
func TestFinderTellsAptWholePaths(t *testing.T) {
	finder, bin := machine(t, aptGet, dpkgDeb)
	t.Chdir(t.TempDir())
	finder.Unpacked = "servers"
	if _, err := finder.Redis(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(bin, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(log), "=servers/") {
		t.Errorf("apt is asked with a relative folder:\n%s", log)
	}
}

func TestFinderSaysWhatToType(t *testing.T) {
	for name, test := range map[string]struct{ apt, dpkg, want string }{
		"apt fails": {
			"echo 'no network' >&2; exit 100", dpkgDeb, "no network\ntype: sudo apt-get install redis-server",
		},
		"unpacking fails":   {aptGet, "exit 2", "type: sudo apt-get install redis-server"},
		"nothing useful":    {aptGet, `mkdir -p "$3"`, "brought no redis-server"},
		"nothing is listed": {"exit 0", dpkgDeb, "type: sudo apt-get install redis-server"},
	} {
		t.Run(name, func(t *testing.T) {
			finder, _ := machine(t, test.apt, test.dpkg)
			_, err := finder.Redis(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}

// Debian's redis-server is a link to a program of redis-tools. So an unpacked redis-server needs redis-tools unpacked
// beside it, even if redis-tools is installed.
func TestFinderUnpacksRedisToolsThatAreInstalled(t *testing.T) {
	finder, bin := machine(t, strings.Replace(aptGet, "echo 'Inst redis-tools (5:7.0 Debian:12 [amd64])'; ", "", 1),
		dpkgDeb)
	if _, err := finder.Redis(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(bin, "log"))
	if err != nil || !strings.Contains(string(log), " download redis-server redis-tools\n") {
		t.Errorf("asked for other packages, %v:\n%s", err, log)
	}
}
