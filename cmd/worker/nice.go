package main

import (
	"os"
	"strconv"
	"syscall"
)

// niceness lowers a worker's priority below that of an API and a database on the same machine: people's requests must
// not wait for analyses. On a machine where nothing else runs it changes nothing.
const niceness = 5

// lowerPriority lowers the priority of the process. On Linux it does so thread by thread, and new threads inherit the
// priority of the thread that starts them. Failures are ignored.
func lowerPriority() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) // another system; there it is the whole process
		return
	}
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness) // a thread may have ended
		}
	}
}
