package config_test

import (
	"testing"

	"dealflow/internal/config"
)

func TestWhereTracesGo(t *testing.T) {
	t.Parallel()
	var api config.API
	c := &api.Tracing
	c.Endpoint, c.HeaderList = "http://collector:4318/otlp/", "Authorization=Bearer%20a%20b, X-Team=deals,"
	c.Milliseconds = 1500
	headers, err := c.Headers()
	if err != nil || len(c.Validate()) > 0 {
		t.Fatal(err, c.Validate())
	}
	if headers.Get("Authorization") != "Bearer a b" || headers.Get("X-Team") != "deals" || len(headers) != 2 {
		t.Errorf("the headers are %q", headers)
	}
	if c.URL() != "http://collector:4318/otlp/v1/traces" || c.Timeout().Seconds() != 1.5 {
		t.Errorf("%s within %s", c.URL(), c.Timeout())
	}
	c.TracesEndpoint = "https://traces.example/in"
	if c.URL() != "https://traces.example/in" {
		t.Errorf("traces go to %s", c.URL())
	}
	for name, wrong := range map[string]struct {
		endpoint, headers string
		milliseconds      int
	}{
		"a header without a value": {headers: "secret", milliseconds: 1},
		"a wrong escape":           {headers: "a=%zz", milliseconds: 1},
		"no time":                  {},
		"gRPC":                     {endpoint: "grpc://collector", milliseconds: 1},
	} {
		var api config.API
		c := &api.Tracing
		c.Endpoint, c.HeaderList, c.Milliseconds = wrong.endpoint, wrong.headers, wrong.milliseconds
		if len(c.Validate()) != 1 {
			t.Errorf("%s: %v", name, c.Validate())
		}
	}
}
