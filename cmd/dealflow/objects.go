package main

import "github.com/google/uuid"

// The types ending in Object are what --json prints. Their members are named as in the HTTP interface.

type userObject struct {
	ID        uuid.UUID `json:"id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	CreatedAt string    `json:"created_at"`
}

type accountObject struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	OwnerID   uuid.UUID `json:"owner_id"`
	CreatedAt string    `json:"created_at"`
}

type memberObject struct {
	ID        uuid.UUID `json:"id"` // the membership's
	AccountID uuid.UUID `json:"account_id"`
	UserID    uuid.UUID `json:"user_id"`
	Role      string    `json:"role"`
	CreatedAt string    `json:"created_at"`
}

type keyObject struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Key       string    `json:"key"` // the full value, which cannot be read again
	Hint      string    `json:"hint"`
	UserID    uuid.UUID `json:"user_id"`
	CreatedAt string    `json:"created_at"`
}
