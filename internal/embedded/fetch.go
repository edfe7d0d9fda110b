package embedded

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// server has the name of a server, and the name of its package for each package tool. unpacked is true if the package
// must be unpacked and not installed where apt is the tool, even for root, since installing it would start a service.
type server struct {
	name, apt, dnf, apk string
	unpacked            bool
}

func postgresServer(major int) server {
	s := server{name: "postgresql", apt: "postgresql", dnf: "postgresql-server", apk: "postgresql"}
	if major != 0 {
		s.apt += "-" + strconv.Itoa(major)
		s.apk += strconv.Itoa(major)
	}
	return s
}

// redisServer returns the package of Redis. With apt it is unpacked, since installing it would start a Redis for the
// whole machine.
func redisServer() server {
	return server{name: "redis", apt: "redis-server", dnf: "redis", apk: "redis", unpacked: true}
}

func pgBouncer() server {
	return server{name: "pgbouncer", apt: "pgbouncer", dnf: "pgbouncer", apk: "pgbouncer", unpacked: true}
}

// fetch fetches a server by the machine's package tool, and waits until it is there. With apt, root installs it, unless
// s.unpacked is set, and any other user unpacks it; with dnf or apk, only root can install it. It returns an error if
// f.Unpacked is "". If typing a command can help, the error ends with it.
func (f Finder) fetch(ctx context.Context, s server) error {
	f.Logger.InfoContext(ctx, "fetching a server that this machine lacks; it may take a minute", "server", s.name)
	root := os.Geteuid() == 0
	switch {
	case f.Unpacked == "":
		return fmt.Errorf("%s is not on this machine", s.name)
	case onPath("apt-get") && onPath("dpkg-deb") && (s.unpacked || !root):
		return advise(f.unpack(ctx, s), "sudo apt-get install "+s.apt)
	case onPath("apt-get") && root:
		return advise(f.installWithApt(ctx, s), "apt-get update && apt-get install "+s.apt)
	case onPath("dnf"):
		return f.installWith(ctx, root, "dnf", "install", "-y", s.dnf)
	case onPath("apk"):
		return f.installWith(ctx, root, "apk", "add", s.apk)
	}
	return fmt.Errorf("%s is not on this machine, and no package tool that we know: install it with its server programs",
		s.name)
}

func (f Finder) installWith(ctx context.Context, root bool, tool string, args ...string) error {
	line := tool + " " + strings.Join(args, " ")
	if !root {
		return fmt.Errorf("a server is missing that only root can install here; type: sudo %s", line)
	}
	return advise(f.tool(ctx, "/", io.Discard, tool, args...), line)
}

func advise(err error, line string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("a missing server could not be fetched: %w\ntype: %s", err, line)
}

func onPath(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// toolVariables returns the variables of an environment that a package tool needs, such as a proxy, and two that make
// it speak English and ask nothing. It leaves out other variables, which may have secrets.
func toolVariables(environment []string) []string {
	var given []string
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name)
		if strings.HasSuffix(upper, "_PROXY") || strings.HasPrefix(upper, "APT_") || strings.HasPrefix(upper, "SSL_CERT_") ||
			slices.Contains([]string{"PATH", "HOME", "TMPDIR"}, name) {
			given = append(given, variable)
		}
	}
	return append(given, "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
}

// tool runs a package tool in dir, writes its standard output to output, and waits for its end. If the tool fails, the
// error contains the end of what it wrote. When ctx ends, it sends SIGTERM to the tool, kills it after toolGrace, and
// returns the error of ctx.
func (f Finder) tool(ctx context.Context, dir string, output io.Writer, name string, args ...string) error {
	f.Logger.DebugContext(ctx, "package tool", "command", name, "args", args)
	var said tail
	//nolint:gosec // G204: the tools and their arguments are constants, but for folders of ours and package names
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	cmd.Dir = dir
	cmd.Env = toolVariables(cmd.Environ())
	cmd.Stdout, cmd.Stderr = io.MultiWriter(output, &said), &said
	child, err := StartChild(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		_ = child.Stop(syscall.SIGTERM, toolGrace)
		return ctx.Err()
	}
	if err := child.Err(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said.String())
	}
	return nil
}
