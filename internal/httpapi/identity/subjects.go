package identity

import (
	"sync"

	"github.com/google/uuid"

	"dealflow/internal/account"
)

// subjectOf returns the subject that the requests of a caller are counted for: "session:" or "key:", and its id.
func subjectOf(caller account.Caller) string {
	if caller.SessionID != uuid.Nil {
		return "session:" + caller.SessionID.String()
	}
	return "key:" + caller.KeyID.String()
}

// subjects remembers, by secret, the subject that requests are counted for, for up to maxSubjects secrets. It proves
// nothing: for every request the secret is looked up in the database. It is safe for concurrent use.
type subjects struct {
	mu    sync.Mutex
	known map[string]string
}

const maxSubjects = 10_000

func (s *subjects) find(secret string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	subject, found := s.known[secret]
	return subject, found
}

func (s *subjects) keep(secret, subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxSubjects {
		s.known = map[string]string{}
	}
	s.known[secret] = subject
}

func (s *subjects) forget(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, secret)
}
