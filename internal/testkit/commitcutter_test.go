package testkit_test

import (
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// TestAWatcherMayUseTheProxy has a watcher send something through the proxy that it watches, and wait for it.
func TestAWatcherMayUseTheProxy(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	cutter := testkit.NewCommitCutter(t, "postgres://"+listener.Addr().String()+"/x")
	through, err := url.Parse(cutter.URL)
	if err != nil {
		t.Fatal(err)
	}
	echo := func() error {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", through.Host)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			return err
		}
		if _, err := conn.Write([]byte("x")); err != nil {
			return err
		}
		_, err = io.ReadFull(conn, make([]byte, 1))
		return err
	}
	var nested error
	cutter.Watch(func(sends int) {
		if sends == 1 {
			nested = echo()
		}
	})
	if err := echo(); err != nil || nested != nil {
		t.Errorf("sent through the proxy: %v, by its watcher: %v", err, nested)
	}
}
