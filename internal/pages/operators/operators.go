// Package operators has the page for operators, the people who run the service.
package operators

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/ingest/imports"
	"dealflow/internal/pages/frame"
	"dealflow/internal/program"
	"dealflow/internal/work"
)

// How many rows of failed work and how many imports the page of operators lists, and the path of the queue's dashboard.
const (
	failedWork      = 50
	importsOfAll    = 30
	dashboardOfWork = "/admin/queues/"
)

// Fleet has the workers that are alive, and the queues.
type Fleet struct {
	Processes []Process
	Queues    []Queue
}

// Process is an asynq server: the part of a worker process that runs tasks from some queues.
type Process struct {
	Host    string
	PID     int
	Status  string
	Queues  []string
	Running int
	Most    int // tasks at once
	Started time.Time
}

// Queue is a queue of tasks, with the numbers of tasks in it.
type Queue struct {
	Name    string
	Waiting int
	Running int
	Later   int           // scheduled, or waiting for another attempt
	Oldest  time.Duration // how long the oldest waiting task has waited
	Paused  bool
}

// system has the data of the page of operators.
type system struct {
	Fleet

	NoFleet   bool // the queue did not answer
	Failed    []work.Listed
	MoreFail  bool
	Imports   []imports.Watched
	Build     program.Build
	Dashboard string // of the queue
	Retried   string // how much work was queued again just now; "" if nothing was
}

// Deps are the dependencies of the page of operators. All are required.
type Deps struct {
	Fleet   func() (Fleet, error) // asks the queue
	Work    *work.Store
	Imports *imports.Service
	Logger  *slog.Logger
}

type pages struct {
	frame *frame.Server
	deps  Deps
}

// Serve adds the page of operators to the server. It does not check who requests the page: the caller must.
func Serve(on *frame.Server, deps Deps) {
	p := &pages{frame: on, deps: deps}
	on.Open("GET "+frame.SystemPath, p.systemPage)
	on.Open("POST "+frame.SystemPath+"/retry", p.retryWork)
}

func (p *pages) systemPage(w http.ResponseWriter, r *http.Request) error {
	model := system{Build: program.ThisBuild(), Dashboard: dashboardOfWork}
	if retried, err := strconv.Atoi(r.URL.Query().Get("retried")); err == nil && retried >= 0 {
		model.Retried = strconv.Itoa(retried)
	}
	var err error
	if model.Fleet, err = p.deps.Fleet(); err != nil { // the page is of use without the queues too
		p.deps.Logger.WarnContext(r.Context(), "the queue could not be read for the page of operators", slog.Any("error",
			err))
		model.NoFleet = true
	}
	if model.Failed, err = p.deps.Work.List(r.Context(), work.Failed, failedWork+1); err != nil {
		return err
	}
	if model.MoreFail = len(model.Failed) > failedWork; model.MoreFail {
		model.Failed = model.Failed[:failedWork]
	}
	if model.Imports, err = p.deps.Imports.Everywhere(r.Context(), importsOfAll); err != nil {
		return err
	}
	return p.frame.Show(w, http.StatusOK, "operators", frame.Page{Title: "System", Model: model})
}

// retryWork queues failed work again: the row whose id the form has under "work", or all rows for "all". It redirects
// to the page with the number of rows that it queued; rows that do not exist, have not failed, or were queued by
// somebody else meanwhile are not among them. The error is NotFound if "work" is neither an id nor "all", or that of
// frame.FormOf or work.Store.Retry.
func (p *pages) retryWork(w http.ResponseWriter, r *http.Request) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	only := uuid.Nil
	if form.Get("work") != "all" {
		if only, err = uuid.Parse(form.Get("work")); err != nil || only == uuid.Nil {
			return frame.NotFound()
		}
	}
	retried, err := p.deps.Work.Retry(r.Context(), only)
	if err != nil {
		return err
	}
	return frame.Redirect(w, r, frame.SystemPath+"?retried="+strconv.Itoa(len(retried)))
}
