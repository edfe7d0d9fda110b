package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// superuser is the login that owns the cluster. Its password is in the file password of the cluster's folder.
const superuser = "dealflow"

// cluster is the folder of a private Postgres. Its folder data has Postgres's own files, and its file password has the
// superuser's password.
type cluster struct {
	dir      string
	binaries Binaries
	owner    owner
	password string
	log      io.Writer
}

func (c cluster) data() string { return filepath.Join(c.dir, "data") }

// open creates the cluster if there is none, and syncs a new one to the disk if sync is true. A new cluster gets its
// final name once it is complete, so that one whose creation was interrupted is created again. For a cluster that
// exists, open ends the processes that a killed parent left; see release. It starts no server.
func (c *cluster) open(ctx context.Context, sync bool) error {
	if err := c.readPassword(); err != nil {
		return err
	}
	if clusterVersion(c.data()) != 0 {
		return release(ctx, c.data())
	}
	making := c.data() + ".new"
	if err := release(ctx, making); err != nil {
		return err
	}
	if err := c.emptyFolder(making); err != nil {
		return fmt.Errorf("make the folder of the database: %w", err)
	}
	if err := c.initialise(ctx, making, sync); err != nil {
		return err
	}
	return os.Rename(making, c.data())
}

func (c *cluster) readPassword() error {
	path := filepath.Join(c.dir, "password")
	text, err := os.ReadFile(path) //nolint:gosec // G304: our own folder
	if err == nil {
		c.password = strings.TrimSpace(string(text))
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if clusterVersion(c.data()) != 0 {
		return fmt.Errorf(
			"%s is missing, and nobody can enter the database without it: restore it, or move %s away to begin anew", path,
			c.dir,
		)
	}
	c.password = rand.Text()
	if err := os.WriteFile(path, []byte(c.password+"\n"), 0o600); err != nil {
		return err
	}
	return os.Lchown(path, c.owner.uid, c.owner.gid)
}

func (c *cluster) emptyFolder(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.Lchown(dir, c.owner.uid, c.owner.gid)
}

// initialise runs initdb on dir, which must be empty, with the password in the file password, which must exist. If sync
// is true, it syncs all files in one pass at the end, which is ten times faster than initdb's own syncing, which waits
// for each file.
func (c *cluster) initialise(ctx context.Context, dir string, sync bool) error {
	password, err := os.Open(filepath.Join(c.dir, "password"))
	if err != nil {
		return err
	}
	defer password.Close()
	args := append(locale(), "--no-sync", "--no-instructions", "--username="+superuser,
		"--pwfile="+inherited(4, password.Name()), "--auth=scram-sha-256", "--encoding=UTF8")
	err = c.run(ctx, dir, []*os.File{password}, "initdb", args...)
	if err != nil || !sync {
		return err
	}
	return c.run(ctx, dir, nil, "initdb", "--sync-only")
}

// run runs one of the binaries on the data folder dir and waits for its end. When ctx ends, it kills the process and
// returns the error of ctx. The process inherits the files extra as descriptors from 4 on. The error of a process that
// failed contains the end of its output.
func (c *cluster) run(ctx context.Context, dir string, extra []*os.File, name string, args ...string) error {
	var said tail
	child, err := c.start(ctx, dir, extra, io.MultiWriter(&said, c.log), name, args...)
	if err != nil {
		return err
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		_ = child.Stop(syscall.SIGKILL, 0)
		return ctx.Err()
	}
	if err := child.Err(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, said.String())
	}
	return nil
}

// start starts one of the binaries on the data folder dir, and writes its output to output. The process inherits dir as
// descriptor 3, and the files extra as descriptors from 4 on; see inherited.
func (c *cluster) start(
	ctx context.Context, dir string, extra []*os.File, output io.Writer, name string, args ...string,
) (*Child, error) {
	folder, err := os.Open(dir) //nolint:gosec // G304: our own folder
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	cmd := c.binaries.Command(ctx, name, append([]string{"-D", inherited(3, dir)}, args...)...)
	cmd.ExtraFiles = append([]*os.File{folder}, extra...)
	cmd.SysProcAttr = c.owner.attributes()
	return startWriting(cmd, output)
}

func startWriting(cmd *exec.Cmd, output io.Writer) (*Child, error) {
	cmd.Stdout, cmd.Stderr = output, output
	child, err := StartChild(cmd, syscall.SIGINT)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return child, nil
}
