package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account/signin"
	"dealflow/internal/seal"
	"dealflow/internal/testkit"
)

func TestSecretsAreSealedAnew(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	old, fresh := strings.Repeat("o", 32), strings.Repeat("f", 32)
	made, _ := d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	id := made["id"].(string)
	box, err := seal.New([][]byte{[]byte(old)}, signin.SealPurpose)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, d.url, "INSERT INTO second_factors (user_id, secret) VALUES ($1, $2)", uuid.MustParse(id),
		box.Seal(id, "the secret"))
	reseal := func(keys string) outcome {
		return command{
			env: []string{"DATABASE_URL=" + d.url, "SECRET_KEYS=" + keys}, args: []string{"secrets", "reseal", "--json"},
		}.run(t)
	}
	if got := reseal(fresh); got.code != 1 || !strings.Contains(got.errOut, "totp of "+id) {
		t.Errorf("without the old key: %+v", got)
	}
	if got := reseal(fresh + "," + old).object(t); got["renewed"] != 1.0 || got["fresh"] != 0.0 {
		t.Errorf("renewed %v", got)
	}
	got := reseal(fresh).object(t)
	if got["renewed"] != 0.0 || got["fresh"] != 1.0 {
		t.Errorf("without the old key, then: %v", got)
	}
	if lost, isList := got["lost"].([]any); !isList || len(lost) > 0 {
		t.Errorf("lost is %v, want an empty list", got["lost"])
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.key"), []byte(old+",\n"+fresh+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := (command{
		env: []string{"DATABASE_URL=" + d.url, "DATA_DIR=" + dir}, args: []string{"secrets", "reseal", "--json"},
	}).run(t).object(t); got["renewed"] != 1.0 {
		t.Errorf("with the keys of a data folder: %v", got)
	}
	if got := reseal("short"); got.code != 1 || !strings.Contains(got.errOut, "SECRET_KEYS") ||
		bytes.Contains([]byte(got.errOut), []byte("short")) {
		t.Errorf("with a short key: %+v", got)
	}
}
