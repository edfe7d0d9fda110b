package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// owner is the user as whom a server's processes run. Postgres refuses to run as root, and Redis does not need root.
// attr makes a process run as the user.
type owner struct {
	uid, gid int
	attr     syscall.SysProcAttr
	name     string
}

// self returns the owner of a server that runs as the same user as this process.
func self() owner { return owner{uid: os.Geteuid(), gid: os.Getegid(), name: "the user itself"} }

// as returns the owner of a server that runs as another user, which only root may start.
func as(uid, gid uint32, name string) owner {
	return owner{
		uid: int(uid), gid: int(gid), name: name,
		attr: syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}},
	}
}

// findOwner returns the first candidate as whom these binaries of Postgres run on this machine, and makes dir theirs.
// If this process runs as root, the candidates are the present owner of dir, the users postgres and nobody, and a user
// namespace; otherwise see owners. If none can run them, the error says why.
func findOwner(ctx context.Context, dir string, b Binaries) (owner, error) {
	found, err := firstOwner(owners(dir, "postgres", "nobody"), dir, func(o owner) error {
		cmd := b.Command(ctx, "postgres", "--version")
		cmd.SysProcAttr = o.attributes()
		return cmd.Run()
	})
	if err != nil {
		return owner{}, fmt.Errorf("run Postgres as an ordinary user, or set DATABASE_URL to a running server: "+
			"it refuses to be root, and on this machine it does not start otherwise:\n%w", err)
	}
	return found, nil
}

// firstOwner returns the first of the candidates for whom try succeeds and whom it can make the owner of the folder.
// The error says of each candidate why that failed. If owners found no candidate, the error says that the user needs a
// name.
func firstOwner(candidates []owner, dir string, try func(owner) error) (owner, error) {
	if len(candidates) == 0 {
		return owner{}, fmt.Errorf("as user %d: the system has no name for them, which initdb needs", os.Geteuid())
	}
	var refused error
	for _, o := range candidates {
		err := try(o)
		if err == nil {
			err = o.own(dir)
		}
		if err == nil {
			return o, nil
		}
		refused = errors.Join(refused, fmt.Errorf("as %s: %w", o.name, err))
	}
	return owner{}, refused
}

// attributes returns a copy of the owner's attributes, since starting a process may change them.
func (o owner) attributes() *syscall.SysProcAttr {
	attr := o.attr
	return &attr
}

// owners returns the candidates for the owner of a folder, in order of preference. For root these are the present owner
// of the folder, unless that is root, those of the accounts that exist on the machine, and a user namespace. For any
// other user the only candidate is the user, or a user namespace if the system has no name for the user; there is none
// if such a system has no user namespaces either.
func owners(dir string, accounts ...string) []owner {
	if os.Geteuid() != 0 {
		if _, err := user.LookupId(strconv.Itoa(os.Geteuid())); err != nil {
			return namespaces()
		}
		return []owner{self()}
	}
	var all []owner
	if uid, gid, err := ownerOf(dir); err == nil && uid != 0 {
		all = append(all, as(uid, gid, "the owner of "+dir))
	}
	for _, name := range accounts {
		if uid, gid, ok := account(name); ok {
			all = append(all, as(uid, gid, name))
		}
	}
	return append(all, namespaces()...)
}

func account(name string) (uid, gid uint32, ok bool) {
	u, err := user.Lookup(name)
	if err != nil {
		return 0, 0, false
	}
	id, err1 := strconv.ParseUint(u.Uid, 10, 32)
	group, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(id), uint32(group), err1 == nil && err2 == nil && id != 0
}

func ownerOf(path string) (uid, gid uint32, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return math.MaxUint32, math.MaxUint32, fmt.Errorf("no owner is known of %s", path)
	}
	return stat.Uid, stat.Gid, nil
}

// own changes the owner of dir and everything in it to o, unless dir belongs to o already.
func (o owner) own(dir string) error {
	uid, _, err := ownerOf(dir)
	if err != nil || int(uid) == o.uid {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return root.Lchown(path, o.uid, o.gid)
	})
}
