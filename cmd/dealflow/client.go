package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dealflow/client"
	"dealflow/internal/config"
)

// Names of the settings of a client, in the environment and in dev.env.
const (
	urlVariable     = "DEALFLOW_URL"
	accountVariable = "DEALFLOW_ACCOUNT_ID"
	keyVariable     = "DEALFLOW_API_KEY"
)

// completed returns the server, the account on it and the key: each as it was given, or, if it was not, as nearest
// finds it. The error names what is missing or malformed.
func completed(given config.Server) (config.Server, error) {
	cfg, err := config.LoadClient()
	if err != nil {
		return config.Server{}, err
	}
	server, err := nearest(given, cfg)
	if err != nil {
		return config.Server{}, err
	}
	return server, checkServer(server, setting{server.AccountID, "--account or " + accountVariable})
}

// nearest returns given with the URL, the account and the key that it lacks: from the environment, which cfg has, then
// from the dev.env of DATA_DIR. It uses dev.env only if no URL is set, or the same URL as in dev.env, so that the key
// in dev.env is sent to no other server. What it does not find remains empty.
func nearest(given config.Server, cfg config.Client) (config.Server, error) {
	server := filled(given, cfg.Server)
	kept, err := dataDir(cfg.Embedded.DataDir).devServer()
	if err != nil {
		return config.Server{}, err
	}
	server.URL, kept.URL = strings.TrimRight(server.URL, "/"), strings.TrimRight(kept.URL, "/")
	if server.URL == "" || server.URL == kept.URL {
		server = filled(server, kept)
	}
	return server, nil
}

func filled(server, from config.Server) config.Server {
	if server.URL == "" {
		server.URL = from.URL
	}
	if server.AccountID == "" {
		server.AccountID = from.AccountID
	}
	if server.Key == "" {
		server.Key = from.Key
	}
	return server
}

// setting is the value of a setting that a command needs, and the names of the flag and the variable that set it.
type setting struct{ value, name string }

// checkServer returns an error that names the settings that are missing: the URL, the key, and those in more. If none
// is missing, it returns an error for a URL that is not http or https or has no host, or a key with a space or line
// break.
func checkServer(server config.Server, more ...setting) error {
	missing := []string{}
	needed := []setting{{server.URL, "--url or " + urlVariable}, {server.Key, "--api-key or " + keyVariable}}
	for _, one := range append(needed, more...) {
		if one.value == "" {
			missing = append(missing, one.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("set %s (dealflow up writes them into the %s of its DATA_DIR)",
			strings.Join(missing, ", and "), devFile)
	}
	base, err := url.Parse(server.URL)
	if err != nil || base.Host == "" || !slices.Contains([]string{"http", "https"}, base.Scheme) {
		return fmt.Errorf("%q is no address of an API, which looks like http://127.0.0.1:8080/api/v1", server.URL)
	}
	if strings.ContainsAny(server.Key, "\r\n\x00 ") {
		return fmt.Errorf("%s is no API key: it holds white space", keyVariable)
	}
	return nil
}

// devServer returns the settings in dev.env. Fields that dev.env does not have are empty. All are empty if there is no
// dev.env.
func (d dataDir) devServer() (config.Server, error) {
	file, err := os.Open(d.path(devFile))
	if errors.Is(err, fs.ErrNotExist) {
		return config.Server{}, nil
	}
	if err != nil {
		return config.Server{}, err
	}
	defer file.Close()
	var found config.Server
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		switch name {
		case urlVariable:
			found.URL = value
		case accountVariable:
			found.AccountID = value
		case keyVariable:
			found.Key = value
		}
	}
	return found, lines.Err()
}

// refused returns the error of a request with advice: what to do about a refusal, or how to name a server that can be
// reached. Without advice, it returns the cause if ctx has ended, such as a signal; the error of reading a file that
// was to be sent; and any other error. In the details of a refusal, it replaces names of form fields such as file_0 by
// the names of the files in paths, which changes the *client.Error in err. base is the URL of the API.
func refused(ctx context.Context, err error, base string, paths []string) error {
	var outside *url.Error
	switch said, isRefusal := errors.AsType[*client.Error](err); {
	case isRefusal:
		for i, detail := range said.Details {
			for position, path := range paths {
				if detail.Field == "file_"+strconv.Itoa(position) {
					said.Details[i].Field = filepath.Base(path)
				}
			}
		}
		return advised(said)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &outside):
		if local, isLocal := errors.AsType[*client.ReadError](err); isLocal {
			return local.Err
		}
		return fmt.Errorf("reach %s: %w: start it with dealflow up, or set --url or %s", base, outside.Err, urlVariable)
	}
	return err
}

func advised(said *client.Error) error {
	switch {
	case said.Status == http.StatusUnauthorized:
		return fmt.Errorf("%w: make a key with dealflow key create and set %s", said, keyVariable)
	case said.Status == http.StatusNotFound && len(said.Details) == 0:
		return fmt.Errorf("%w: check the ids of account and status", said)
	case said.RetryAfter > 0:
		return fmt.Errorf("%w: try again in %d s", said, int(said.RetryAfter.Seconds()))
	}
	return said
}
