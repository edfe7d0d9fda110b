package identity

import (
	"sync"

	"github.com/google/uuid"

	"dealflow/internal/account"
)

// subjectOf returns the subject under which requests of a caller are counted: "session:" or "key:", and the id.
func subjectOf(caller account.Caller) string {
	if caller.SessionID != uuid.Nil {
		return "session:" + caller.SessionID.String()
	}
	return "key:" + caller.KeyID.String()
}

// subjects is a cache of the subjects under which requests with a secret are counted. It is emptied when it has
// maxSubjects secrets. A secret in it may have become invalid, so each request still looks its secret up in the
// database. It is safe for concurrent use.
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
