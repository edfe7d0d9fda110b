//go:build model

package eval_test

import (
	"testing"

	"github.com/caarlos0/env/v11"

	"dealflow/internal/config"
)

// TestScoresOfTheModel scores the model that the service's settings name.
func TestScoresOfTheModel(t *testing.T) {
	settings, err := env.ParseAs[config.Model]()
	if err != nil {
		t.Fatal(err)
	}
	if settings.Key == "" {
		t.Fatal("OPENAI_API_KEY is not set: give the settings of the service (a server of your own takes any key)")
	}
	for _, mistake := range settings.Validate() {
		t.Fatal(mistake)
	}
	scoreModel(t, t.Output(), settings, setNames(t))
}
