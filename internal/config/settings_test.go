package config_test

import (
	"strings"
	"testing"

	"dealflow/internal/config"
)

func TestMisspelledSettingsAreNamed(t *testing.T) {
	for _, tc := range []struct{ name, meant string }{
		{"DATABASE_ULR", "DATABASE_URL"},
		{"REDIS_URI", "REDIS_URL"},
		{"WORKER_CONCURENCY", "WORKER_CONCURRENCY"},
		{"RATELIMIT_PER_SECOND", "RATE_LIMIT_PER_SECOND"},
		{"storage_url", "STORAGE_URL"},
		{"ANALYSIS_WAITS", "ANALYSIS_WAIT"},
		{"OPENAIMAXINPUTTOKENS", "OPENAI_MAX_INPUT_TOKENS"},
		{"DATABASE_URL", ""},
		{"HTTP_PROXY", ""},
		{"PUBLIC", ""},
		{"URL", ""},
		{"HOME", ""},
		{"SIGNUPS_TOTAL", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(tc.name, "x")
			said := ""
			for _, sentence := range config.Misspelled() {
				if strings.HasPrefix(sentence, tc.name+" ") {
					said = sentence
				}
			}
			if tc.meant == "" && said != "" || tc.meant != "" && !strings.HasSuffix(said, "did you mean "+tc.meant+"?") {
				t.Errorf("%s: %q", tc.name, said)
			}
		})
	}
}

func TestMistakesSpeakOfSettings(t *testing.T) {
	setAPI(t)
	t.Setenv("DATABASE_MAX_CONNECTIONS", "many")
	t.Setenv("ANALYSIS_WAIT", "soon")
	t.Setenv("LOG_LEVEL", "LOUD")
	_, err := config.LoadAPI()
	for _, want := range []string{
		"DATABASE_MAX_CONNECTIONS=many: must be a whole number", "ANALYSIS_WAIT=soon: must be a duration, such as 30s",
		"LOG_LEVEL=LOUD: must be DEBUG, INFO, WARN or ERROR",
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestSettingsHaveTheirDefaults(t *testing.T) {
	t.Parallel()
	all := strings.Join(config.APISettings(), "\n") + "\n" + strings.Join(config.WorkerSettings(), "\n")
	for _, want := range []string{"DATABASE_URL=\n", "HTTP_ADDR=127.0.0.1:8080\n", "WORKER_LEASE=10s\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in %s", want, all)
		}
	}
}
