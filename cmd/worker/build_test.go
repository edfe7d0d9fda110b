package main

import (
	"testing"
	"time"

	"dealflow/internal/config"
)

func TestRemembered(t *testing.T) {
	t.Parallel()
	on := config.Model{Key: "k", CacheAge: time.Hour, CacheSize: 5}
	if got := remembered(on); got.Age != time.Hour || got.Most != 5 {
		t.Errorf("remembers %+v", got)
	}
	if off := remembered(config.Model{CacheAge: time.Hour, CacheSize: 5}); off.Age != 0 || off.Most != 0 {
		t.Errorf("without a model it remembers %+v", off)
	}
}
