package wire

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// TestAConnectionThatComesAsTheProxyClosesIsClosed passes on a connection that was not yet there when Close looked for
// open ones: both its ends must be closed.
func TestAConnectionThatComesAsTheProxyClosesIsClosed(t *testing.T) {
	t.Parallel()
	p, err := Start(t.Context(), "postgres://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	program, client := net.Pipe()
	server, postgres := net.Pipe()
	defer program.Close()
	defer postgres.Close()
	ends := map[string]net.Conn{"program": program, "server": postgres}
	for _, end := range ends {
		if err := end.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	p.pass(client, server)
	for name, end := range ends {
		if _, err := end.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the connection of the %s: %v, want EOF", name, err)
		}
	}
}
