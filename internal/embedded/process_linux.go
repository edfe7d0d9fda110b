package embedded

import (
	"os"
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel send the child a signal when the thread that starts it ends.
func dieWithUs(cmd *exec.Cmd, signal syscall.Signal) { cmd.SysProcAttr.Pdeathsig = signal }

// namespaces returns the candidates for an owner that need a user namespace.
func namespaces() []owner { return []owner{mapped()} }

// mapped returns an owner in whose user namespace the present user has the uid and gid of nobody. It is for a root that
// may not become another user, and for a user whom the system has no name for: initdb refuses to run as either.
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
