package main

import (
	"os"
	"strconv"
	"syscall"
)

// niceness is the nice value of a worker. It is higher than that of an API and a database on the same machine, so that
// requests of people do not wait for analyses.
const niceness = 5

// lowerPriority sets the nice value of the process to niceness, and ignores failures. On Linux, where each thread has a
// nice value, it sets that of each thread; new threads inherit it.
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
