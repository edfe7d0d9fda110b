package activity_test

import (
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func TestRecordStandsUnderItsMakerInHisAccount(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	ada, bob, eve := testkit.User(t, db, "Ada"), testkit.User(t, db, "Bob"), testkit.User(t, db, "Eve")
	team := testkit.Account(t, db, ada.ID, "Fund")
	testkit.Member(t, db, team.ID, bob.ID, account.RoleMember)
	record := func(user uuid.UUID) error {
		return db.As(t.Context(), user, func(tx *postgres.Tx) error {
			return activity.Record(tx, team.ID, activity.CompanyAdded, "Company Acme was added", nil)
		})
	}
	if err := record(ada.ID); err != nil {
		t.Fatal(err)
	}
	if err := record(eve.ID); err == nil {
		t.Error("a stranger wrote into the account's activity")
	}
	for name, tc := range map[string]struct {
		user uuid.UUID
		want int
	}{"maker": {ada.ID, 1}, "member": {bob.ID, 1}, "stranger": {eve.ID, 0}} {
		var seen []activity.Entry
		err := db.As(t.Context(), tc.user, func(tx *postgres.Tx) error {
			return tx.Where("type = ?", activity.CompanyAdded).Find(&seen).Error
		})
		if err != nil || len(seen) != tc.want {
			t.Errorf("%s sees %d entries, %v; want %d", name, len(seen), err, tc.want)
		}
		for _, entry := range seen {
			if entry.UserID != ada.ID || entry.CreatedAt.IsZero() || entry.Description != "Company Acme was added" {
				t.Errorf("entry %+v", entry)
			}
		}
	}
}

func TestRecordGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	ada := testkit.User(t, db, "Ada")
	team := testkit.Account(t, db, ada.ID, "Fund")
	unknown := uuid.New()
	err := db.As(t.Context(), ada.ID, func(tx *postgres.Tx) error {
		if err := activity.Record(tx, team.ID, activity.StatusChanged, "moved", nil); err != nil {
			return err
		}
		return activity.Record(tx, team.ID, activity.StatusChanged, "of a company that is not there", &unknown)
	})
	if err == nil {
		t.Fatal("an activity of no company was recorded")
	}
	var seen int64
	err = db.As(t.Context(), ada.ID, func(tx *postgres.Tx) error {
		return tx.Model(&activity.Entry{}).Where("type = ?", activity.StatusChanged).Count(&seen).Error
	})
	if err != nil || seen != 0 {
		t.Errorf("%d entries outlived their transaction, %v", seen, err)
	}
}
