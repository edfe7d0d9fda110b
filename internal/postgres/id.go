package postgres

import "github.com/google/uuid"

// NewID returns an id for a new row. Ids made at about the same time are neighbors in an index, so that rows inserted
// one after the other change the same pages of it. An id is not a secret: much of it is the time.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
