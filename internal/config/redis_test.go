package config_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"dealflow/internal/config"
)

func TestTheRedisPasswordMayHoldAnything(t *testing.T) {
	t.Parallel()
	const password = `p@ss/w:rd?#%41 "$'é`
	var c config.API
	r := &c.Redis
	r.URL, r.Password = "rediss://db.example.com:6380/2", password
	options, err := redis.ParseURL(r.Address())
	if err != nil || options.Password != password || options.Addr != "db.example.com:6380" || options.DB != 2 {
		t.Errorf("%q is read as %+v, %v", r.Address(), options, err)
	}
}

func TestTheRedisURLKeepsItsOwnPassword(t *testing.T) {
	t.Parallel()
	var c config.API
	r := &c.Redis
	r.Password = "other"
	for _, address := range []string{"redis://:own@h:6379/0", "redis-sentinel://:own@a:1,b:2?master=m"} {
		r.URL = address
		if got := r.Address(); got != address {
			t.Errorf("got %q, want %q", got, address)
		}
	}
	r.URL, r.Password = "redis-sentinel://a:1,b:2?master=m", "x"
	if got := r.Address(); got != "redis-sentinel://:x@a:1,b:2?master=m" {
		t.Errorf("got %q", got)
	}
}
