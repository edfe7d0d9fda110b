package webhook

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/timestamp"
)

// message is the body of a delivery, as Standard Webhooks recommends it.
type message struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      data   `json:"data"`
}

type data struct {
	AccountID uuid.UUID `json:"account_id"`
	Target    *target   `json:"target"` // null in a message of TypeTest
}

type target struct {
	Type string    `json:"type"`
	ID   uuid.UUID `json:"id"`
}

func newDelivery(accountID, webhookID uuid.UUID, kind string, at time.Time, about *target) (Delivery, error) {
	content := data{AccountID: accountID, Target: about}
	body, err := json.Marshal(message{Type: kind, Timestamp: timestamp.Format(at), Data: content})
	return Delivery{
		ID: postgres.NewID(), AccountID: accountID, WebhookID: webhookID, EventType: kind, Body: string(body),
		State: Pending,
	}, err
}
