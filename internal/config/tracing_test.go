package config_test

import (
	"testing"

	"dealflow/internal/config"
)

func TestWhereTracesGo(t *testing.T) {
	t.Parallel()
	c := config.Tracing{
		Endpoint: "http://collector:4318/otlp/", HeaderList: "Authorization=Bearer%20a%20b, X-Team=deals,",
		Milliseconds: 1500,
	}
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
	for name, wrong := range map[string]config.Tracing{
		"a header without a value": {HeaderList: "secret", Milliseconds: 1},
		"a wrong escape":           {HeaderList: "a=%zz", Milliseconds: 1},
		"no time":                  {},
		"gRPC":                     {Endpoint: "grpc://collector", Milliseconds: 1},
	} {
		if len(wrong.Validate()) != 1 {
			t.Errorf("%s: %v", name, wrong.Validate())
		}
	}
}
