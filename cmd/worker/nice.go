package main

import (
	"os"
	"strconv"
	"syscall"
)

// niceness is how low a worker's priority is behind an API and a database on the same machine: what people read must
// not wait for what is analyzed. Where it is alone it changes nothing.
const niceness = 5

// standBack lowers the priority of the process. In Linux it belongs to each thread, and new ones have that of the
// thread that makes them.
func standBack() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return // another system, where it stays as it is
	}
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness) // a thread may have ended
		}
	}
}
