package webhook

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// rotation is how long messages are signed with a secret after it was replaced.
const rotation = 24 * time.Hour

// mostOld is how many replaced secrets sign at most, so that the header stays short: the last ones.
const mostOld = 20

// secrets are the sealed secrets of a webhook, as its row has them.
type secrets struct {
	Secret         []byte
	OldSecret      []byte     // a JSON array of oldSecret; of earlier versions a single secret
	OldSecretUntil *time.Time // when the last of the old secrets ceases to sign
	ReadAt         time.Time  // by the clock of the database
}

// oldSecret is a secret that was replaced.
type oldSecret struct {
	Text  string    `json:"text"`
	Until time.Time `json:"until"` // when it ceases to sign
}

// old returns the replaced secrets that still sign, the last one first. It leaves out those that the keys of this
// process cannot open, so that a rotation is enough to sign messages again.
func (s *Service) old(id uuid.UUID, from secrets) []oldSecret {
	if from.OldSecretUntil == nil || !from.ReadAt.Before(*from.OldSecretUntil) {
		return nil
	}
	text, err := s.box.Open(id.String(), from.OldSecret)
	if err != nil {
		return nil
	}
	var all, valid []oldSecret
	if json.Unmarshal([]byte(text), &all) != nil {
		return []oldSecret{{text, *from.OldSecretUntil}}
	}
	for _, one := range all {
		if from.ReadAt.Before(one.Until) {
			valid = append(valid, one)
		}
	}
	return valid
}

// retire returns what OldSecret must be once the present secret is replaced as well: the present one and those that old
// returns, at most mostOld of them, sealed. A present secret that the keys of this process cannot open is left out.
func (s *Service) retire(id uuid.UUID, from secrets) ([]byte, error) {
	old := s.old(id, from)
	if present, err := s.box.Open(id.String(), from.Secret); err == nil {
		old = append([]oldSecret{{present, from.ReadAt.Add(rotation)}}, old...)
	}
	text, err := json.Marshal(old[:min(len(old), mostOld)])
	if err != nil {
		return nil, fmt.Errorf("encode the old secrets of webhook %s: %w", id, err)
	}
	return s.box.Seal(id.String(), string(text)), nil
}
