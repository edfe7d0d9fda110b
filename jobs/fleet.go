package jobs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hibiken/asynq"
)

// Process is an asynq server, as it last reported itself to Redis. A process of the service runs one asynq server for
// each queue of which it does the tasks.
type Process struct {
	Host    string
	PID     int
	Status  string
	Queues  []string
	Running int
	Most    int // tasks that it runs at once
	Started time.Time
}

// Queue is a queue with the numbers of its tasks.
type Queue struct {
	Name    string
	Waiting int
	Running int
	Later   int           // scheduled, or waiting for another attempt
	Oldest  time.Duration // how long the oldest waiting task has waited
	Paused  bool
}

// Fleet returns the asynq servers that reported themselves in the last seconds, sorted by host, process id and queue,
// and the queues, sorted by name.
func (c *Client) Fleet() (processes []Process, queues []Queue, err error) {
	servers, err := c.inspector.Servers()
	if err != nil {
		return nil, nil, fmt.Errorf("ask for the workers: %w", err)
	}
	for _, server := range servers {
		processes = append(processes, processOf(server))
	}
	slices.SortFunc(processes, func(a, b Process) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID), slices.Compare(a.Queues, b.Queues))
	})
	names, err := c.inspector.Queues()
	if err != nil {
		return nil, nil, fmt.Errorf("ask for the queues: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		info, err := c.inspector.GetQueueInfo(name)
		if err != nil {
			return nil, nil, fmt.Errorf("ask for the queue %s: %w", name, err)
		}
		queues = append(queues, Queue{
			Name: name, Waiting: info.Pending, Running: info.Active, Later: info.Scheduled + info.Retry, Oldest: info.Latency,
			Paused: info.Paused,
		})
	}
	return processes, queues, nil
}

func processOf(server *asynq.ServerInfo) Process {
	one := Process{
		Host: server.Host, PID: server.PID, Status: server.Status, Running: len(server.ActiveWorkers),
		Most: server.Concurrency, Started: server.Started,
	}
	for queue := range server.Queues {
		one.Queues = append(one.Queues, queue)
	}
	slices.Sort(one.Queues)
	return one
}
