package embedded

import (
	"context"
	"errors"
)

// packages names what a server is called by each package tool.
type packages struct{ apt, dnf, apk string }

func postgresPackages(int) packages { return packages{apt: "postgresql", dnf: "postgresql-server", apk: "postgresql"} }

func redisPackages() packages { return packages{apt: "redis-server", dnf: "redis", apk: "redis"} }

func (f Finder) fetch(context.Context, packages) error { return errors.New("missing") }
