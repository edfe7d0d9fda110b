package embedded

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// socketLimit is the length of the longest path of a Unix socket: the kernel has 108 bytes for the path and a NUL.
const socketLimit = 107

// dieWithUs makes the kernel send the child a signal when the thread that started it ends. It must be called before cmd
// is started, and cmd.SysProcAttr must not be nil.
func dieWithUs(cmd *exec.Cmd, signal syscall.Signal) { cmd.SysProcAttr.Pdeathsig = signal }

// inherited returns the path by which a process opens a file or folder that it inherits as an open descriptor. The file
// may be below a folder that only root can enter, so that the user of the process could not open it by its own path.
func inherited(descriptor int, _ string) string { return "/proc/self/fd/" + strconv.Itoa(descriptor) }

// locale returns the options of initdb for texts in any language, sorted by code point.
func locale() []string { return []string{"--locale=C.UTF-8"} }

// namespaces returns the candidates for an owner that need a user namespace.
func namespaces() []owner { return []owner{mapped()} }

// mapped returns an owner in whose user namespace the present user has the uid and gid of nobody. It is for a root that
// may not become another user, and for a user for whom the system has no name: initdb refuses to run as either of them.
func mapped() owner {
	const nobody = 65534
	return owner{
		uid: os.Geteuid(), gid: os.Getegid(), name: "a user namespace",
		attr: syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}},
		},
	}
}
