package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// processOutput is where the processes write their logs, several of them at the same time.
type processOutput = io.Writer

// shortDrain is the API's DRAIN_DELAY if the environment does not set it.
const (
	drainSetting = "DRAIN_DELAY"
	shortDrain   = 300 * time.Millisecond
)

// fleet has the processes of the API and of a worker.
type fleet struct {
	api, worker *kept
	supervisor  *supervisor
}

func (s *supervisor) startFleet(ctx context.Context, servers *servers, facts up) (*fleet, error) {
	f := &fleet{supervisor: s}
	var err error
	grace := processGrace + s.cfg.HTTP.DrainDelay
	for name, program := range map[string]**kept{"api": &f.api, "worker": &f.worker} {
		if *program, err = keep(ctx, process{
			name: name, start: s.startProgram(name, s.settings(name, servers, facts)), grace: grace, log: s.log,
		}); err != nil {
			return nil, errors.Join(err, f.stop())
		}
	}
	return f, nil
}

// withheld returns the variables that a program does not get: the login that owns the schema, and secrets of the
// other program. The API alone signs and unseals, a worker alone asks a model.
func withheld(program string) []string {
	return append([]string{"MIGRATE_DATABASE_URL", "DEALFLOW_API_KEY"},
		map[string]string{"api": "OPENAI_API_KEY", "worker": "SECRET_KEYS"}[program])
}

// settings returns the environment of a program: our own without the variables of withheld. The addresses of the
// servers, the secrets and the address of the worker in it are those that this process uses, started or made.
func (s *supervisor) settings(program string, servers *servers, facts up) []string {
	set := map[string]string{
		"DATABASE_URL": servers.database.service, "REDIS_URL": servers.redisURL, "STORAGE_URL": servers.storageURL,
		"SECRET_KEYS": s.secret, "OPERATOR_USER": s.operator.user, "OPERATOR_PASSWORD": s.operator.password,
		"WORKER_HTTP_ADDR": facts.worker,
	}
	if !slices.ContainsFunc(s.environment,
		func(variable string) bool { return strings.HasPrefix(variable, drainSetting+"=") }) {
		set[drainSetting] = shortDrain.String() // nobody balances load between this API and another one
	}
	all := slices.DeleteFunc(slices.Clone(s.environment), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, ours := set[name]
		return ours || slices.Contains(withheld(program), name)
	})
	for name, value := range set {
		if !slices.Contains(withheld(program), name) {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// awaitReady waits until the API says that database, queue and a worker are ready. It fails if a process or the
// database dies, or the context ends.
func (f *fleet) awaitReady(ctx context.Context, url string, died <-chan struct{}) error {
	said := ""
	for told := time.Now(); ; {
		ready, state := askReady(ctx, url)
		if ready {
			f.api.wasReady.Store(true)
			f.worker.wasReady.Store(true)
			return nil
		}
		if state != said || time.Since(told) > 5*time.Second {
			f.supervisor.log.DebugContext(ctx, "not ready yet", "state", state)
			said, told = state, time.Now()
		}
		short, cancel := context.WithTimeout(ctx, 25*time.Millisecond)
		err := f.watch(short, died)
		cancel()
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
}

// askReady asks /readyz of the API whether it is ready. state is the answer, or why there was none.
func askReady(ctx context.Context, url string) (ready bool, state string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false, err.Error()
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, "the API does not answer"
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		return false, "the API does not answer"
	}
	var answer struct {
		Data struct {
			Status string `json:"status"`
		} `json:"data"`
	}
	err = json.Unmarshal(body, &answer)
	return err == nil && response.StatusCode == http.StatusOK && answer.Data.Status == "ready", string(body)
}

// watch waits. It returns nil when the context ends, the error of a process that is given up before that, or
// errServerDied if the database ends.
func (f *fleet) watch(ctx context.Context, died <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return nil
	case <-f.api.done:
		return f.api.err
	case <-f.worker.done:
		return f.worker.err
	case <-died:
		return errServerDied
	}
}

// stop stops the API before the worker, since requests that the API still answers may wait for the worker.
func (f *fleet) stop() error {
	return errors.Join(f.api.stop(), f.worker.stop())
}
