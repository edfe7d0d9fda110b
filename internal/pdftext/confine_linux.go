package pdftext

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// executable returns the path of the running program. It is valid even if the file of the program was replaced by a
// newer one.
func executable() (string, error) { return "/proc/self/exe", nil }

// bindToParent makes the child die with its parent, even if that is killed. It starts the child outside of the
// terminal's process group, so that Ctrl-C reaches only the parent.
func bindToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// confine limits the memory of this process to what it uses now plus memory*overhead bytes. It limits data
// (RLIMIT_DATA) and not the address space, of which Go reserves far more than it uses. It also forbids core files, and
// lowers the priority.
func confine(memory int64) error {
	now, err := dataSize()
	if err != nil {
		return fmt.Errorf("measure own memory: %w", err)
	}
	most := uint64(now + memory*overhead) //nolint:gosec // all are positive
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit own memory: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core files: %w", err)
	}
	lowerPriority()
	return nil
}

// niceness is how low a reader's priority is: work that takes seconds of a processor must not delay requests that take
// a millisecond, nor the worker that writes what was read.
const niceness = 10

// lowerPriority lowers the priority of the process, thread by thread; new threads inherit the priority of the thread
// that starts them. Failures are ignored.
func lowerPriority() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return // it matters to speed alone
	}
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			// fails where it is lower already, or the thread has ended
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness)
		}
	}
}

// clockTick is the unit in which the kernel reports processor time: USER_HZ, 100 a second wherever Go runs.
const clockTick = 10 * time.Millisecond

// used returns the processor time of the child so far, of all its threads; 0 once it is gone.
func (c *process) used() time.Duration {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ") // before it is the name of the program
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick
}

// killedBy returns the signal by which another process ended the child; "" if it ended by itself, or by a fault of its
// own.
func killedBy(state *os.ProcessState) string {
	status, known := state.Sys().(syscall.WaitStatus)
	if !known || !status.Signaled() {
		return ""
	}
	own := []syscall.Signal{
		syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE, syscall.SIGABRT, syscall.SIGSYS, syscall.SIGTRAP,
	}
	if slices.Contains(own, status.Signal()) {
		return ""
	}
	return status.Signal().String()
}

// dataSize returns how many bytes of this process RLIMIT_DATA counts.
func dataSize() (int64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 6 {
		return 0, fmt.Errorf("unexpected statm %q", statm)
	}
	pages, err := strconv.ParseInt(fields[5], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// lockName is the file by which compiling processes wait for each other.
const lockName = "lock"

// lockCache waits until no other process compiles into the folder. Processes that waited find the result and need not
// compile it too. If the folder cannot be locked, lockCache returns at once: compiling twice is only slower. The caller
// must call unlock.
func lockCache(dir string) (unlock func()) {
	nothing := func() {}
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return nothing
	}
	//nolint:gosec // the operator's folder
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nothing
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return func() { _ = file.Close() }
	}
	return func() { _ = file.Close() }
}

// openCache makes the compiled files readable for the user that the readers run as. Unless this process runs as root,
// the readers are the same user, and openCache does nothing.
func openCache(dir string) error {
	if os.Getuid() != 0 || dir == "" {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.Chmod(path, 0o755) //nolint:gosec // compiled PDFium is no secret
		case entry.Type().IsRegular() && entry.Name() != lockName:
			return os.Chmod(path, 0o644) //nolint:gosec // as above
		default:
			return nil
		}
	})
}
