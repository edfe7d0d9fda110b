package embedded

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// toolGrace is how long a package tool may take to stop when it is interrupted.
const toolGrace = 20 * time.Second

// noCluster is a configuration file that keeps Debian's packages from creating and starting a database.
const noCluster = "/etc/postgresql-common/createcluster.d/dealflow.conf"

// installWithApt installs the package of a server on this machine; only root may. It writes noCluster before that, and
// removes it afterwards.
func (f Finder) installWithApt(ctx context.Context, s server) (err error) {
	if err := os.MkdirAll(filepath.Dir(noCluster), 0o755); err != nil { //nolint:gosec // G301: as the package makes it
		return err
	}
	//nolint:gosec // G306: read by every user's tools
	if err := os.WriteFile(noCluster, []byte("create_main_cluster = false\n"), 0o644); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(noCluster)) }()
	wait := []string{"-q", "-o", "DPkg::Lock::Timeout=300"}
	if err := f.tool(ctx, "/", io.Discard, "apt-get", append(wait, "update")...); err != nil {
		return err
	}
	return f.tool(ctx, "/", io.Discard, "apt-get", append(wait, "install", "-y", "--no-install-recommends", s.apt)...)
}

// unpack downloads the package of a server, and the packages that it needs and the machine lacks, and unpacks them
// below f.Unpacked. It keeps apt's state in a folder there, so that it needs no rights of root. The folder of the
// server gets its final name, and replaces an older one, once it is complete.
func (f Finder) unpack(ctx context.Context, s server) error {
	unpacked, err := filepath.Abs(f.Unpacked) // apt takes a relative folder for one of the root's
	if err != nil {
		return err
	}
	work := filepath.Join(unpacked, s.name+".new")
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	a := apt{finder: f, dir: filepath.Join(work, "apt")}
	defer os.RemoveAll(work)
	if err := a.prepare(ctx); err != nil {
		return err
	}
	root := filepath.Join(work, "root")
	if err := a.extract(ctx, s.apt, root); err != nil {
		return err
	}
	final := filepath.Join(unpacked, s.name)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	return os.Rename(root, final)
}

// redisTools is the package with the program to which the link redis-server in Debian's package points. It is unpacked
// even if the machine has it, since the unpacked link points into our folder.
const redisTools = "redis-tools"

// apt is Debian's package tool with its state and cache in dir, and the machine's list of installed packages.
type apt struct {
	finder Finder
	dir    string
}

func (a apt) options() []string {
	return []string{
		"-q", "-o", "Dir::State=" + filepath.Join(a.dir, "state"), "-o", "Dir::State::status=/var/lib/dpkg/status",
		"-o", "Dir::Cache=" + filepath.Join(a.dir, "cache"), "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=",
	}
}

func (a apt) prepare(ctx context.Context) error {
	for _, dir := range []string{"state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(a.dir, dir), 0o700); err != nil {
			return err
		}
	}
	return a.run(ctx, "/", io.Discard, "update")
}

func (a apt) run(ctx context.Context, dir string, output io.Writer, args ...string) error {
	return a.finder.tool(ctx, dir, output, "apt-get", append(a.options(), args...)...)
}

// extract downloads the package and the packages that it needs and the machine lacks (see missing), and unpacks them
// into root.
func (a apt) extract(ctx context.Context, name, root string) error {
	var plan bytes.Buffer
	if err := a.run(ctx, "/", &plan, "install", "--simulate", "--no-install-recommends", name); err != nil {
		return err
	}
	wanted := missing(plan.String())
	if name == redisProgram && !slices.Contains(wanted, redisTools) {
		wanted = append(wanted, redisTools)
	}
	if err := a.run(ctx, a.dir, io.Discard, append([]string{"download"}, wanted...)...); err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(a.dir, "*.deb"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if err := a.finder.tool(ctx, "/", io.Discard, "dpkg-deb", "--extract", archive, root); err != nil {
			return err
		}
	}
	return nil
}

// planned matches a package that apt would newly install. It does not match one that apt would upgrade: such a line has
// the old version in brackets.
const planned = `(?m)^Inst (\S+) \(`

// missing returns the packages that a server needs to run, out of the output of a simulated installation. It leaves out
// packages of which the machine has a version, even an older one. It also leaves out the libraries of Postgres's
// just-in-time compiler, which the server runs without, and the locales and Perl, which only scripts of the packages
// use.
func missing(plan string) []string {
	var names []string
	for _, match := range regexp.MustCompile(planned).FindAllStringSubmatch(plan, -1) {
		names = append(names, match[1])
	}
	return slices.DeleteFunc(names, func(name string) bool {
		for _, prefix := range []string{"libllvm", "libz3", "locales", "libc-l10n", "perl", "libperl"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	})
}
