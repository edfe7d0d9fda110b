package jobs

import (
	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// analyse reads and analyses a company, or a dry run's.
func (w *Worker) analyse(id uuid.UUID) ([]postgres.Query, doing) {
	task, queries := w.Companies.Task(id)
	return queries, task.Do
}
