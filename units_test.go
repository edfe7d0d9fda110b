package dealflow_test

import (
	"os"
	"strings"
	"testing"
)

// Both programs start PDF readers: the worker to read documents, the API to draw their pages.
func TestUnitsLetReadersWork(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"api", "worker"} {
		unit, err := os.ReadFile("deploy/systemd/dealflow-" + program + ".service")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"Environment=PDF_CACHE_DIR=/var/cache/dealflow\n", "CacheDirectory=dealflow\n", "KillMode=mixed\n",
			"SystemCallFilter=@system-service seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self\n",
		} {
			if !strings.Contains(string(unit), "\n"+line) {
				t.Errorf("the unit of %s lacks %s", program, line)
			}
		}
		if strings.Contains(string(unit), "\nMemoryDenyWriteExecute=") {
			t.Errorf("the unit of %s keeps a reader from compiling WebAssembly", program)
		}
	}
}

func TestComposeKeepsWhatReadersCompile(t *testing.T) {
	t.Parallel()
	project, err := load(t.Context(), composeEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"api", "worker"} {
		service := project.Services[name]
		folder := service.Environment["PDF_CACHE_DIR"]
		kept := false
		for _, volume := range service.Volumes {
			kept = kept || folder != nil && volume.Source == "cache" && volume.Target == *folder
		}
		if !kept {
			t.Errorf("%s compiles PDFium anew at each start", name)
		}
	}
}
