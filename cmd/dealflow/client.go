package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"dealflow/internal/config"
)

// Names of the settings of a client, in the environment and in dev.env.
const (
	urlVariable     = "DEALFLOW_URL"
	accountVariable = "DEALFLOW_ACCOUNT_ID"
	keyVariable     = "DEALFLOW_API_KEY"
)

// maxAnswer is more than any answer has, in bytes: what is longer does not come from an API of ours.
const maxAnswer = 64 << 20

// completed fills what is missing of where the server is: by the environment, then by the dev.env of DATA_DIR, which is only asked about the
// server that it is of, so that its key goes to no other.
func completed(given config.Server) (config.Server, error) {
	cfg, err := config.LoadClient()
	if err != nil {
		return config.Server{}, err
	}
	server := filled(given, cfg.Server)
	kept, err := dataDir(cfg.Embedded.DataDir).devServer()
	if err != nil {
		return config.Server{}, err
	}
	server.URL, kept.URL = strings.TrimRight(server.URL, "/"), strings.TrimRight(kept.URL, "/")
	if server.URL == "" || server.URL == kept.URL {
		server = filled(server, kept)
	}
	return server, checkServer(server)
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

// checkServer names everything that is still missing at once.
func checkServer(server config.Server) error {
	missing := []string{}
	for _, one := range []struct{ value, name string }{
		{server.URL, "--url or " + urlVariable}, {server.Key, "--api-key or " + keyVariable}, {server.AccountID, "--account or " + accountVariable},
	} {
		if one.value == "" {
			missing = append(missing, one.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("set %s (dealflow up writes all three into the %s of its DATA_DIR)", strings.Join(missing, ", and "), devFile)
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

// devServer reads dev.env; what it does not hold is empty.
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

// refusal is what the API said when it did not do what it was asked.
type refusal struct {
	Status  int             `json:"-"`
	After   string          `json:"-"` // seconds; "" where it did not say
	Message string          `json:"error"`
	Details []refusalDetail `json:"details"`
}

type refusalDetail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error says what to do, where it is known.
func (r *refusal) Error() string {
	details := []string{}
	for _, d := range r.Details {
		details = append(details, d.Field+": "+d.Message)
	}
	text := fmt.Sprintf("the API refused (%d): %s", r.Status, r.Message)
	if len(details) > 0 {
		text += ": " + strings.Join(details, "; ")
	}
	switch {
	case r.Status == http.StatusUnauthorized:
		text += ": make a key with dealflow key create and set " + keyVariable
	case r.Status == http.StatusNotFound && len(details) == 0:
		text += ": check the ids of account and status"
	case r.After != "":
		text += ": try again in " + r.After + " s"
	}
	return text
}

// post sends a body to a path under the base URL and decodes the data of the answer into result. The error is a *refusal where the API refused.
// It waits as long as ctx lasts: the API itself limits how long it works.
func post(ctx context.Context, server config.Server, path, contentType string, body io.Reader, result any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+server.Key)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", "dealflow")
	request.Header.Set("Expect", "100-continue") // a refusal that needs no body comes before the body is sent
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return unsent(err, server.URL)
	}
	defer response.Body.Close()
	return readAnswer(response, server.URL, result)
}

// unsent tells a server that cannot be reached from trouble with what was to be sent.
func unsent(err error, base string) error {
	if local, ok := errors.AsType[*localError](err); ok {
		return local.error
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return fmt.Errorf("reach %s: %w: start it with dealflow up, or set --url or %s", base, err, urlVariable)
}

func readAnswer(response *http.Response, base string, result any) error {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", base, err)
	}
	var envelope struct {
		refusal

		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &envelope) != nil || (envelope.Message == "" && !envelope.Success) {
		return fmt.Errorf("%s answered %d, and not as this API does: does the address end in /api/v1?", base, response.StatusCode)
	}
	if !envelope.Success {
		refused := envelope.refusal
		refused.Status, refused.After = response.StatusCode, response.Header.Get("Retry-After")
		return &refused
	}
	if err := json.Unmarshal(envelope.Data, result); err != nil {
		return fmt.Errorf("understand the answer of %s: %w", base, err)
	}
	return nil
}
