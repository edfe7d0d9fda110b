package signin_test

import (
	"context"
	"testing"

	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
)

// Wrong passwords are in the audit log although the client whose request was to write them has hung up, and although
// the process stops.
func TestWrongPasswordsAreNotLost(t *testing.T) {
	t.Parallel()
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for name, write := range map[string]func(*accountkit.Both) error{
		"a client hangs up": func(service *accountkit.Both) error {
			if err := service.WriteUses(gone); err == nil {
				t.Error("a write in a context that has ended succeeds")
			}
			return service.WriteUses(t.Context())
		},
		"the process stops": func(service *accountkit.Both) (err error) {
			service.KeepUses(gone, func(failed error) { err = failed })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, db, url := accountkit.Setup(t)
			ada, err := service.CreateUser(t.Context(), "ada@fund.example", "Ada", password)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Account(t, db, ada.ID, "Northwind Ventures")
			_, err = service.Login(t.Context(), signin.Credentials{Email: ada.Email, Password: "wrong password"},
				accountkit.Anyone())
			accountkit.WantKind(t, "a wrong password", err, fault.Unauthenticated)
			if err := write(service); err != nil {
				t.Fatal(err)
			}
			const refusals = "SELECT target_name FROM audit_entries WHERE action = 'session.refused'"
			if found := testkit.Texts(t, url, refusals); len(found) != 1 {
				t.Errorf("the audit log has %v", found)
			}
		})
	}
}

// Notes outlive an error of the database that is no outage, such as a deadlock, but no second one: a note may be what
// the database refuses.
func TestNotesOutliveAnErrorOfTheDatabase(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]int{1: 1, 2: 0} {
		service, db, url := accountkit.Setup(t)
		ada, err := service.CreateUser(t.Context(), "ada@fund.example", "Ada", password)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Account(t, db, ada.ID, "Northwind Ventures")
		_, err = service.Login(t.Context(), signin.Credentials{Email: ada.Email, Password: "wrong password"},
			accountkit.Anyone())
		accountkit.WantKind(t, "a wrong password", err, fault.Unauthenticated)
		testkit.Exec(t, url, "ALTER FUNCTION app_note_uses RENAME TO hidden")
		for range failures {
			if err := service.WriteUses(t.Context()); err == nil {
				t.Error("a write without its function succeeds")
			}
		}
		testkit.Exec(t, url, "ALTER FUNCTION hidden RENAME TO app_note_uses")
		if err := service.WriteUses(t.Context()); err != nil {
			t.Fatal(err)
		}
		const refusals = "SELECT target_name FROM audit_entries WHERE action = 'session.refused'"
		if found := testkit.Texts(t, url, refusals); len(found) != want {
			t.Errorf("after %d failures the audit log has %v", failures, found)
		}
	}
}
