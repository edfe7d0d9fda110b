package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/embedded"
)

// startRedis starts a redis-server that stores nothing on disk, waits until it answers, and returns its URL and a
// function that stops it, which the caller must call.
func startRedis(ctx context.Context, finder embedded.Finder) (address string, stop func() error, err error) {
	binaries, err := finder.Redis(ctx)
	if err != nil {
		return "", nil, err
	}
	port, err := embedded.FreePort(ctx)
	if err != nil {
		return "", nil, err
	}
	cmd := binaries.Command(ctx, "redis-server", "--bind", "127.0.0.1", "--port", strconv.Itoa(port),
		"--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction", "--daemonize", "no", "--databases", "64")
	cmd.Dir = os.TempDir()
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	child, err := embedded.StartChild(cmd, syscall.SIGKILL)
	if err != nil {
		return "", nil, err
	}
	stop = func() error { return child.Stop(syscall.SIGTERM, 5*time.Second) }
	address = fmt.Sprintf("redis://127.0.0.1:%d/0", port)
	if err := awaitRedis(ctx, child, address); err != nil {
		return "", nil, fmt.Errorf("start redis-server: %w", errors.Join(err, stop()))
	}
	return address, stop, nil
}

func awaitRedis(ctx context.Context, child *embedded.Child, address string) error {
	options, err := redis.ParseURL(address)
	if err != nil {
		return err
	}
	client := redis.NewClient(options)
	defer client.Close()
	for {
		if client.Ping(ctx).Err() == nil {
			return nil
		}
		select {
		case <-child.Done():
			return child.Err()
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
