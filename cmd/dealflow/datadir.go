package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Names of the files in the data folder.
const (
	lockFile     = "lock"
	runFile      = "run.json"
	devFile      = "dev.env"
	secretFile   = "secret.key"
	operatorFile = "operator.password"
)

// dataDir is the path of the folder with the data of the embedded servers, the secrets, and the addresses of the
// servers that run on it. Only its owner may read it.
type dataDir string

func (d dataDir) path(name string) string { return filepath.Join(string(d), name) }

func (d dataDir) make() error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("make DATA_DIR: %w", err)
	}
	if err := os.Chmod(string(d), 0o700); err != nil { //nolint:gosec // G302: a folder needs the x
		return fmt.Errorf("DATA_DIR must belong to whoever runs this: %w", err)
	}
	return nil
}

// write replaces a file atomically, so that readers see either the old or the new content. Only the owner may read the
// file. Once write returns, the file lasts through a power cut: what was sealed with a lost key would be lost as well.
func (d dataDir) write(name string, data []byte) error {
	temporary := d.path(name + ".new")
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return err
	}
	if err := syncFile(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, d.path(name)); err != nil {
		return err
	}
	return syncFile(string(d))
}

// syncFile returns once the disk has a file, or the names in a folder.
func syncFile(path string) error {
	file, err := os.Open(path) //nolint:gosec // G304: our own folder
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// secret returns the secret in a file. If the file is missing or empty, it writes a new random secret of 52 characters
// (260 bits) first.
func (d dataDir) secret(name string) (string, error) {
	text, err := os.ReadFile(d.path(name))
	if err == nil && strings.TrimSpace(string(text)) != "" {
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	secret := rand.Text() + rand.Text()
	return secret, d.write(name, []byte(secret+"\n"))
}

// inUse is the error for a data folder that another process has locked. command is "?" and pid 0 if that process has
// not written them yet.
type inUse struct {
	dir     dataDir
	pid     int
	command string
}

func (e *inUse) Error() string {
	return fmt.Sprintf("%s is in use by `dealflow %s` with process id %d: stop that, or set another DATA_DIR", e.dir,
		e.command, e.pid)
}

// lock locks the folder for this process until unlock is called or the process ends, and writes the id of this process
// and the name of the command into the lock. It does not wait: if another process has locked the folder, the error
// wraps an *inUse.
func (d dataDir) lock(command string) (unlock func(), err error) {
	file, err := os.OpenFile(d.path(lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(d.holder(file), file.Close())
	}
	if err == nil {
		err = errors.Join(file.Truncate(0), errOf(fmt.Fprintf(file, "%d %s\n", os.Getpid(), command)))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", d, err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

func (d dataDir) holder(file io.Reader) error {
	other := &inUse{dir: d, command: "?"}
	_, _ = fmt.Fscan(file, &other.pid, &other.command) // the other process may not have written them yet
	return other
}

func errOf(_ int, err error) error { return err }

// running is the content of run.json, which `up` writes for other commands: the addresses of the servers and programs
// that it runs, with passwords.
type running struct {
	PID              int    `json:"pid"`
	BaseURL          string `json:"base_url"`
	DocsURL          string `json:"docs_url"`
	DashboardURL     string `json:"dashboard_url"`
	WorkerURL        string `json:"worker_url"`
	OperatorUser     string `json:"operator_user"`
	OperatorPassword string `json:"operator_password"`
	DatabaseURL      string `json:"database_url"`
	MigrateURL       string `json:"migrate_database_url"`
	RedisURL         string `json:"redis_url"`
	StorageURL       string `json:"storage_url"`
}

func (d dataDir) announce(r running) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return d.write(runFile, append(text, '\n'))
}

// running returns the content of run.json, and reports whether the process with this id wrote it. It returns false if
// the file cannot be read.
func (d dataDir) running(pid int) (running, bool) {
	var r running
	text, err := os.ReadFile(d.path(runFile))
	if err != nil || json.Unmarshal(text, &r) != nil {
		return running{}, false
	}
	return r, r.PID == pid
}
