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

// processOutput is the writer to which several processes write their logs at the same time.
type processOutput = io.Writer

// drainSetting is the variable of the API's DRAIN_DELAY, and shortDrain its value if the environment does not set it.
const (
	drainSetting = "DRAIN_DELAY"
	shortDrain   = 300 * time.Millisecond
)

// fleet has the two processes that a supervisor runs, an API and a worker.
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

// withheld returns the names of the variables that a program must not get: the login that owns the schema, an API key,
// and secrets that only the other program needs. Only the API signs and decrypts, and only a worker calls a model.
func withheld(program string) []string {
	return append([]string{"MIGRATE_DATABASE_URL", "DEALFLOW_API_KEY"},
		map[string]string{"api": "OPENAI_API_KEY", "worker": "SECRET_KEYS"}[program])
}

// settings returns the environment of a program: that of this process, without the variables of withheld, and with the
// addresses and secrets that this process has found, started or generated.
func (s *supervisor) settings(program string, servers *servers, facts up) []string {
	set := map[string]string{
		"DATABASE_URL": servers.database.service, "REDIS_URL": servers.redisURL, "STORAGE_URL": servers.storageURL,
		"SECRET_KEYS": s.secret, "OPERATOR_USER": s.operator.user, "OPERATOR_PASSWORD": s.operator.password,
		"WORKER_HTTP_ADDR": facts.worker,
	}
	if !slices.ContainsFunc(s.environment,
		func(variable string) bool { return strings.HasPrefix(variable, drainSetting+"=") }) {
		set[drainSetting] = shortDrain.String() // no load balancer is in front of this API
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

// awaitReady waits until /readyz of the API says that database, queue and a worker are ready, and then sets wasReady of
// both processes. It returns an error if ctx ends, the database dies (errServerDied), or a process ends and is not
// started again.
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

// askReady reports whether /readyz of the API says that everything is ready. state is the body of the response, or says
// why there was none.
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

// watch waits until ctx ends, and returns nil. It returns the error of the API or the worker if one of them ends and is
// not started again, and errServerDied if the database dies.
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

// stop stops the API and then the worker, since requests that the API still answers may wait for the worker. A process
// that was not started is nil and is left out.
func (f *fleet) stop() error {
	return errors.Join(f.api.stop(), f.worker.stop())
}
