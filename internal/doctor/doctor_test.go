package doctor_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"dealflow/internal/doctor"
	"dealflow/internal/pdftext"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/mailbox"
	"dealflow/migrations"
)

func TestMain(m *testing.M) {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	os.Exit(m.Run())
}

func installation(t *testing.T) doctor.Options {
	t.Helper()
	return doctor.Options{
		DatabaseURL: testkit.DatabaseURL(t), RedisURL: testkit.RedisURL(t), StorageURL: "file://" + t.TempDir(),
		MailURL: "smtp://" + mailbox.Start(t).Address, MailFrom: "Deals <deals@fund.example>",
		Migrations: migrations.Files,
		Reader:     pdftext.Options{Timeout: time.Minute},
	}
}

func problems(findings []doctor.Finding) map[string]string {
	found := map[string]string{}
	for _, f := range findings {
		if f.OK != (f.Problem == "") || f.OK != (f.Detail != "") {
			found[f.Name] = "inconsistent: " + f.Detail
		} else if !f.OK {
			found[f.Name] = f.Problem
		}
	}
	return found
}

func TestAWholeInstallation(t *testing.T) {
	t.Parallel()
	findings := doctor.Examine(t.Context(), installation(t))
	if found := problems(findings); len(found) > 0 {
		t.Errorf("problems: %v", found)
	}
	if len(findings) != 5 {
		t.Errorf("findings: %+v", findings)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	t.Parallel()
	wrong := installation(t)
	wrong.DatabaseURL = testkit.EmptyDatabaseURL(t)
	wrong.RedisURL = "redis://127.0.0.1:1/0"
	wrong.StorageURL = "file:///proc/nothing"
	wrong.MailURL = strings.Replace(wrong.MailURL, "smtp://", "smtp://user:secret@", 1) // it takes no logins
	found := problems(doctor.Examine(t.Context(), wrong))
	for name, want := range map[string]string{
		"database": "dealflow migrate", "redis": "see that Redis runs", "storage": "storage folder",
		"mail": "has its user and password",
	} {
		if !strings.Contains(found[name], want) {
			t.Errorf("%s: got %q, want %q in it", name, found[name], want)
		}
		delete(found, name)
	}
	if len(found) > 0 {
		t.Errorf("also: %v", found)
	}
}

func TestWithoutMailsNoMailServerIsExamined(t *testing.T) {
	t.Parallel()
	o := installation(t)
	o.MailURL = ""
	for _, found := range doctor.Examine(t.Context(), o) {
		if found.Name == "mail" {
			t.Errorf("found %+v", found)
		}
	}
}

func TestARedisThatDropsKeys(t *testing.T) {
	t.Parallel()
	o := installation(t)
	o.RedisURL = testkit.StartRedis(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru").URL
	if got := problems(doctor.Examine(t.Context(), o))["redis"]; !strings.Contains(got, "maxmemory-policy noeviction") {
		t.Errorf("got %q", got)
	}
}
