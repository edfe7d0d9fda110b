//go:build !race

package pdftext

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// readerUser is the user and group as which a reader runs if the service runs as root. No account of the machine has
// it.
const readerUser = 64217

// mostThreads bounds the threads of all readers of a machine, if they run as a user of their own.
const mostThreads = 4096

// seal permanently drops every right of this process that reading a document does not need: root, network access,
// access to other processes, all files except the cache, which stays readable, and all system calls except those that
// computing needs. It returns the path of the cache after this, and the protections that could not be set up, such as
// Landlock or seccomp, each with its error.
func seal(cacheDir string) (cache string, missing []string) {
	without := func(what string, err error) {
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", what, err))
		}
	}
	root := os.Getuid() == 0
	var entered error
	if root {
		entered = enterFolder(cacheDir)
	}
	err := shutFiles(cacheDir) // before /proc is out of reach, which its library reads if built with cgo
	without("Landlock", err)
	shut := err == nil // whether no files but the cache's can be opened
	if root {
		if entered == nil {
			cacheDir, entered = enter(cacheDir)
		}
		without("a root folder of its own", entered)
		shut = shut || entered == nil
		without("a user of its own", becomeReader())
	}
	without("file limits", limitFiles())
	without("seccomp", filterCalls(shut))
	return cacheDir, missing
}

// enter makes the working folder the root folder, so that files outside of it have no path. It returns the path of the
// cache from then on: "/", or "" if there is no cache. After an error it returns cacheDir.
func enter(cacheDir string) (string, error) {
	if err := syscall.Chroot("."); err != nil {
		return cacheDir, err
	}
	if err := os.Chdir("/"); err != nil {
		return cacheDir, err
	}
	if cacheDir == "" {
		return "", nil
	}
	return "/", nil
}

// enterFolder makes the cache the working folder. If cacheDir is "", it uses a new empty folder and removes it: a
// process can stay in a removed folder.
func enterFolder(cacheDir string) error {
	if cacheDir != "" {
		return errors.Join(os.MkdirAll(cacheDir, 0o755), os.Chdir(cacheDir)) //nolint:gosec // the reader's own user reads it
	}
	empty, err := os.MkdirTemp("", "pdf-reader-")
	if err != nil {
		return err
	}
	return errors.Join(os.Chdir(empty), os.Remove(empty))
}

// becomeReader drops the rights of root and limits the number of threads to mostThreads. Changing the user clears the
// signal that ends a child with its parent, so becomeReader sets it again.
func becomeReader() error {
	most := &unix.Rlimit{Cur: mostThreads, Max: mostThreads}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, most); err != nil {
		return err
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setresgid(readerUser, readerUser, readerUser); err != nil {
		return err
	}
	if err := syscall.Setresuid(readerUser, readerUser, readerUser); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0)
}

// limitFiles forbids writing to files, and more than 64 open ones. Pipes may be written to.
func limitFiles() error {
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{}); err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64})
}

// shutFiles uses Landlock to forbid access to all files but those of the cache, which can be read, and whatever else
// the kernel's version of Landlock can forbid. The error says that the kernel has no Landlock or that it failed.
func shutFiles(cacheDir string) error {
	if _, err := landlocksyscall.LandlockGetABIVersion(); err != nil {
		return err
	}
	var rules []landlock.Rule
	if cacheDir != "" {
		rules = append(rules, landlock.RODirs(cacheDir).IgnoreIfMissing())
	}
	return landlock.V6.BestEffort().Restrict(rules...)
}

// filterCalls forbids all threads of this process, for good, all system calls but those of a Go program that computes.
// It permits the calls that open files only if shut is true, which says that other means forbid all files but the
// cache's.
func filterCalls(shut bool) error {
	const cloneThread = 0x10000
	self := uint64(os.Getpid()) //nolint:gosec // a process id is positive
	names := []string{
		"read", "write", "readv", "writev", "pread64", "close", "fstat", "lseek", "fcntl", "mmap", "munmap", "mprotect",
		"mremap", "madvise", "brk",
		"futex", "exit", "exit_group", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "sched_yield",
		"sched_getaffinity",
		"nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "getpid", "getppid", "gettid",
		"getuid", "geteuid", "getgid",
		"getegid", "epoll_create1", "epoll_ctl", "epoll_pwait", "eventfd2", "pipe2", "getrandom", "getrlimit", "uname",
		"timer_create",
		"timer_settime", "timer_delete", "setitimer", "set_robust_list", "set_tid_address", "rseq", "restart_syscall",
		"membarrier", "mincore", "getcwd",
	}
	if shut {
		names = append(names, "openat", "newfstatat", "statx", "getdents64", "readlinkat", "faccessat")
	}
	only := func(argument uint32, operation seccomp.Operation, value uint64) seccomp.ArgumentConditions {
		return seccomp.ArgumentConditions{{Argument: argument, Operation: operation, Value: value}}
	}
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls: []seccomp.SyscallGroup{
				// The C library begins threads by clone, whose flags the filter can see, where clone3 does not exist.
				{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
				{Action: seccomp.ActionAllow, Names: names, NamesWithCondtions: []seccomp.NameWithConditions{
					{Name: "clone", Conditions: only(0, seccomp.BitsSet, cloneThread)}, // threads, no processes
					{Name: "tgkill", Conditions: only(0, seccomp.Equal, self)},
					{Name: "prlimit64", Conditions: only(2, seccomp.Equal, 0)},
					{Name: "prctl", Conditions: only(0, seccomp.Equal, unix.PR_SET_VMA)},
				}},
			},
		},
	})
}
