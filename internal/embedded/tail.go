package embedded

import (
	"strings"
	"sync"
)

// tail keeps the last tailSize bytes that were written to it, for errors about a server that ended. It is safe for
// concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4 << 10

// Write implements io.Writer. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text) - tailSize; n > 0 {
		t.text = append(t.text[:0], t.text[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
