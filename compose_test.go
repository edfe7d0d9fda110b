// Package dealflow_test checks what is at the project's root and cannot be run by the other tests.
package dealflow_test

import (
	"context"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"

	"dealflow/internal/config"
)

func composeEnvironment() map[string]string {
	return map[string]string{
		"POSTGRES_PASSWORD": "pg-from-env", "MIGRATE_PASSWORD": "migrate-from-env", "SERVICE_PASSWORD": "service-from-env",
		"REDIS_PASSWORD": "redis-from-env", "SECRET_KEYS": strings.Repeat("k", 32),
		"OPERATOR_USER": "operator", "OPERATOR_PASSWORD": "op-from-env",
	}
}

func load(ctx context.Context, environment map[string]string) (*types.Project, error) {
	details := types.ConfigDetails{
		WorkingDir: ".", Environment: environment, ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml"}},
	}
	return loader.LoadWithContext(ctx, details, func(o *loader.Options) { o.SetProjectName("dealflow", true) })
}

func TestComposeHasEveryPart(t *testing.T) {
	t.Parallel()
	project, err := load(t.Context(), composeEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	for name, after := range map[string][]string{
		"postgres": nil, "redis": nil, "migrate": {"postgres"}, "api": {"migrate", "postgres", "redis"},
		"worker": {"migrate", "postgres", "redis"},
	} {
		service, found := project.Services[name]
		if !found {
			t.Errorf("there is no service %s", name)
			continue
		}
		waits := service.GetDependencies()
		slices.Sort(waits)
		if !slices.Equal(waits, after) {
			t.Errorf("%s starts after %v, want %v", name, waits, after)
		}
	}
	redis := strings.Join(project.Services["redis"].Command, " ")
	if !strings.Contains(redis, "--appendonly yes") || !strings.Contains(redis, "--maxmemory-policy noeviction") {
		t.Errorf("redis runs %q", redis)
	}
	if worker := project.Services["worker"]; worker.Deploy == nil || *worker.Deploy.Replicas < 2 ||
		worker.ContainerName != "" || len(worker.Ports) > 0 {
		t.Error("worker is not scaled, or cannot be: it has a fixed name or port")
	}
	if project.Services["migrate"].Restart != "no" {
		t.Error("migrate would be run again and again")
	}
}

func TestComposeRefusesToStartWithoutSecrets(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"POSTGRES_PASSWORD", "MIGRATE_PASSWORD", "SERVICE_PASSWORD", "REDIS_PASSWORD", "SECRET_KEYS",
	} {
		environment := composeEnvironment()
		delete(environment, name)
		if _, err := load(t.Context(), environment); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestComposeServesAsALoginOfItsOwn(t *testing.T) {
	t.Parallel()
	project, err := load(t.Context(), composeEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	for service, want := range map[string][2]string{
		"api": {"dealflow_login", "service-from-env"}, "worker": {"dealflow_login", "service-from-env"},
		"migrate": {"dealflow_login", "migrate-from-env"},
	} {
		given := project.Services[service].Environment
		address, err := url.Parse(*given["DATABASE_URL"])
		if err != nil || address.User.Username() != want[0] || *given["PGPASSWORD"] != want[1] {
			t.Errorf("%s logs in at %v with %s, want %v", service, address, *given["PGPASSWORD"], want)
		}
	}
	if logins := project.Configs["logins"].Content; !strings.Contains(logins,
		"CREATE ROLE dealflow_login LOGIN PASSWORD :'service' IN ROLE dealflow_app;") {
		t.Errorf("the logins are made by %q", logins)
	}
}

func TestComposeGivesSecretsWhereTheyAreNeeded(t *testing.T) {
	t.Parallel()
	project, err := load(t.Context(), composeEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	for service, kept := range map[string][]string{
		"api":     {"OPENAI_API_KEY", "POSTGRES_PASSWORD", "MIGRATE_PASSWORD"},
		"worker":  {"SECRET_KEYS", "POSTGRES_PASSWORD", "MIGRATE_PASSWORD"},
		"migrate": {"SECRET_KEYS", "OPENAI_API_KEY", "OPERATOR_PASSWORD", "REDIS_URL", "POSTGRES_PASSWORD"},
		"redis":   {"SECRET_KEYS", "PGPASSWORD"},
	} {
		for _, name := range kept {
			if _, given := project.Services[service].Environment[name]; given {
				t.Errorf("%s gets %s", service, name)
			}
		}
	}
}

func TestComposeHoldsNoSecret(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	given := regexp.MustCompile(`(?im)^\s*\w*(password|secret|key)\w*:\s*[^\s$#]`)
	if found := given.FindString(string(text)); found != "" {
		t.Errorf("compose.yaml gives a secret's value: %q", found)
	}
}

func TestComposeSettingsExist(t *testing.T) {
	t.Parallel()
	project, err := load(t.Context(), composeEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	for service, known := range map[string][]string{
		"api": settings(reflect.TypeFor[config.API]()), "worker": settings(reflect.TypeFor[config.Worker]()),
		"migrate": {"DATABASE_URL", "MIGRATE_DATABASE_URL"},
	} {
		for name := range project.Services[service].Environment {
			if name != "PGPASSWORD" && !slices.Contains(known, name) { // the database's client reads that one
				t.Errorf("%s is given %s, which it does not read", service, name)
			}
		}
	}
}

// settings lists the environment variables of a configuration struct.
func settings(t reflect.Type) []string {
	var names []string
	for field := range t.Fields() {
		if name := field.Tag.Get("env"); name != "" {
			names = append(names, name)
		}
		if field.Type.Kind() == reflect.Struct {
			names = append(names, settings(field.Type)...)
		}
	}
	return names
}

func TestImageHasTheThreeCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"./cmd/api ./cmd/worker ./cmd/dealflow", "FROM scratch", "USER 65532", "CGO_ENABLED=0"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("Dockerfile lacks %q", want)
		}
	}
	project, err := load(t.Context(), composeEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	for service, command := range map[string]string{
		"api": "/bin/api", "worker": "/bin/worker", "migrate": "/bin/dealflow migrate",
	} {
		if got := strings.Join(project.Services[service].Entrypoint, " "); got != command {
			t.Errorf("%s runs %q, want %q", service, got, command)
		}
	}
}

// A password may contain characters that have a meaning in a URL.
func TestComposePasswordsMayHoldAnything(t *testing.T) {
	t.Parallel()
	const password = `p@ss/w:rd?#%41"'$x`
	environment := composeEnvironment()
	for _, name := range []string{"POSTGRES_PASSWORD", "MIGRATE_PASSWORD", "SERVICE_PASSWORD", "REDIS_PASSWORD"} {
		environment[name] = password
	}
	project, err := load(t.Context(), environment)
	if err != nil {
		t.Fatal(err)
	}
	api := project.Services["api"].Environment
	var c config.API
	c.Redis.URL, c.Redis.Password = *api["REDIS_URL"], *api["REDIS_PASSWORD"]
	address, err := url.Parse(c.Redis.Address())
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := address.User.Password(); got != password || *api["PGPASSWORD"] != password ||
		strings.Contains(*api["DATABASE_URL"], "p@ss") {
		t.Errorf("the API gets Redis at %s and Postgres at %s with %q", address, *api["DATABASE_URL"], *api["PGPASSWORD"])
	}
	if !slices.Contains(project.Services["redis"].Command, password) {
		t.Errorf("redis runs %q", project.Services["redis"].Command)
	}
}

func TestComposeAsksAboutHealthAndLimitsMemory(t *testing.T) {
	t.Parallel()
	project, err := load(t.Context(), composeEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	for name, service := range project.Services {
		if name == "migrate" {
			continue
		}
		if service.HealthCheck == nil || service.Deploy == nil || service.Deploy.Resources.Limits.MemoryBytes == 0 {
			t.Errorf("%s has no health check or no limit of memory", name)
		}
	}
}
