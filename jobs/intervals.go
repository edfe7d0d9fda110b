package jobs

import "time"

// Intervals of asynq's servers. Each queue has a server of its own.
const (
	// The time between looks at a queue that has to be polled (see waiting): of interactive work, and of bulk work and
	// webhooks. With asynq's default of a second, this wait would be most of the time of an AI creation.
	checkInterval = 5 * time.Millisecond
	bulkInterval  = 100 * time.Millisecond

	// The time between looks for delayed tasks that are due: of interactive work, whose delays are whole seconds, of
	// bulk work and of webhooks. Nobody waits for the last two, and longer intervals spare Redis while the service is
	// idle.
	delayedInterval = time.Second
	bulkDelayed     = 2 * time.Second
	webhooksDelayed = 10 * time.Second

	// asynq's janitor removes only tasks that are kept when done, and there are none.
	janitorInterval = time.Hour

	// How long a server that shuts down waits for its running tasks.
	shutdownTimeout = 8 * time.Second
)

// taskTimeout limits one attempt, as a last resort. The slowest kind of work is faster: an analysis does not wait
// longer than 20 minutes for its PDFs (readFor of package analyst).
const taskTimeout = 30 * time.Minute

// How an idle worker waits for a task.
const (
	// idleWait is how long one command waits in an empty queue. A task that arrives ends the wait at once; the limit
	// is for a connection that died silently.
	idleWait = 5 * time.Second
	// hungWait is how much longer than idleWait the answer may take before it counts as lost.
	hungWait = time.Second
	// pausedWait is the time between looks at a queue that has tasks and that an operator has paused.
	pausedWait = time.Second
	// outageWait is the time between tries while Redis cannot be reached; asynq itself would try without a pause.
	outageWait = 100 * time.Millisecond
	// pollingTime is for how long a queue is polled after Redis has refused to wait.
	pollingTime = time.Minute
)

// dueInterval is the time between sweeps for lost work, quietPeriod the time after which a queued row may be lost, and
// dueBatch the most rows that each step of work.Store.Due handles in a sweep. Sweeper.Interval and Sweeper.Quiet
// replace the first two.
const (
	dueInterval = time.Second
	quietPeriod = 4 * time.Second
	dueBatch    = 500
	// returnGrace is how long the database must have been reachable before imports without a living receiver are ended:
	// during an outage receivers cannot report that they live, and need this time to do so after it.
	returnGrace = 10 * time.Second
)

// How long one task may work on an import: importTurn while other bulk work waits, importLongTurn otherwise.
const (
	importTurn     = time.Second
	importLongTurn = time.Minute
)

// finishGrace is how long running attempts may continue once the worker is stopping, if Deps.Grace is 0. The rest of
// shutdownTimeout is for handing them over.
const finishGrace = 5 * time.Second

// releasePause is the time between tries to release an attempt while the database cannot be reached.
const releasePause = 250 * time.Millisecond
