package testkit_test

import (
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/testkit"
)

func TestRedisIsOnesOwn(t *testing.T) {
	t.Parallel()
	first, second := testkit.Redis(t), testkit.Redis(t)
	if err := first.Set(t.Context(), "a", "first", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got, err := second.Get(t.Context(), "a").Result(); !errors.Is(err, redis.Nil) {
		t.Errorf("another database shows %q, %v", got, err)
	}
}

func TestRedisIsEmptiedAfterTheTest(t *testing.T) {
	t.Parallel()
	var used string
	t.Run("writes", func(t *testing.T) {
		used = testkit.RedisURL(t)
		if err := open(t, used).Set(t.Context(), "a", "left", 0).Err(); err != nil {
			t.Fatal(err)
		}
	})
	// The next test may have the database by now, but not what was left in it.
	if got := open(t, used).Exists(t.Context(), "a").Val(); got != 0 {
		t.Error("what the test wrote is still there")
	}
}

func TestOwnRedisComesBackEmpty(t *testing.T) {
	t.Parallel()
	own := testkit.StartRedis(t)
	client := open(t, own.URL)
	client.Set(t.Context(), "a", "before", 0)
	own.Stop()
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Error("a stopped server answers")
	}
	own.Start()
	if got, err := client.Exists(t.Context(), "a").Result(); got != 0 || err != nil {
		t.Errorf("after the restart: %d, %v", got, err)
	}
}

func open(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}
