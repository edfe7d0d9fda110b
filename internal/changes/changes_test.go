package changes_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/changes"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// scene is a team whose changes are followed.
type scene struct {
	*testkit.Team

	feed  *changes.Feed
	marks []uuid.UUID // the emails of follow
}

func newScene(t *testing.T) *scene {
	t.Helper()
	team := testkit.NewTeam(t)
	return &scene{Team: team, feed: changes.New(team.DB)}
}

// as runs statements as the user, in one transaction.
func (s *scene) as(t *testing.T, user uuid.UUID, statements ...string) {
	t.Helper()
	err := s.DB.As(t.Context(), user, func(tx *postgres.Tx) error {
		for _, statement := range statements {
			if err := tx.Exec(statement).Error; err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// follow returns the changes that the user reads after a position, and the position after them. It adds an email and
// reads until it has seen its change, since transactions in other databases of the server delay the feed.
func (s *scene) follow(t *testing.T, user uuid.UUID, after *changes.Position) ([]changes.Change, *changes.Position) {
	t.Helper()
	last := uuid.New()
	s.marks = append(s.marks, last)
	s.as(t, s.Owner,
		fmt.Sprintf(
			"INSERT INTO emails (id, account_id, external_id, from_email) VALUES ('%s', '%s', '%[1]s', 'a@b.example')", last,
			s.ID,
		))
	var told []changes.Change
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		part, err := s.feed.Read(t.Context(), postgres.AsUser(user), s.ID, after, 7)
		if err != nil {
			t.Fatal(err)
		}
		told, after = append(told, part.Changes...), &part.Next
		if end := len(told) - 1; end >= 0 && told[end].Position.Thing == last {
			isMark := func(c changes.Change) bool { return slices.Contains(s.marks, c.Position.Thing) }
			return slices.DeleteFunc(told, isMark), after
		}
		if !part.More {
			time.Sleep(time.Millisecond)
		}
	}
	t.Fatal("the last change is not told")
	return nil, nil
}

// want fails the test unless the changes that somebody has read are those wanted, each a thing's name and a type, in
// any order.
func want(t *testing.T, who string, told []changes.Change, names map[uuid.UUID]string, wanted ...string) {
	t.Helper()
	var got []string
	for _, c := range told {
		got = append(got, names[c.Position.Thing]+" "+c.Type())
	}
	slices.Sort(got)
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) {
		t.Errorf("%s is told\n%q, want\n%q", who, got, wanted)
	}
}

// TestLateCommitIsNotMissed reads while a transaction runs that began before one that has ended.
func TestLateCommitIsNotMissed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	_, start := s.follow(t, s.Owner, nil)
	slow, quick := uuid.Nil, uuid.Nil
	err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
		slow = insertCompany(t, tx, s, s.Owner)
		quick = testkit.Company(t, s.DB, s.ID, s.Owner, "team")
		part, err := s.feed.Read(t.Context(), postgres.AsUser(s.Member), s.ID, start, 100)
		if err != nil {
			return err
		}
		if len(part.Changes) > 0 {
			t.Errorf("told %v before what began earlier", part.Changes)
		}
		start = &part.Next
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	told, _ := s.follow(t, s.Member, start)
	if len(told) != 2 || told[0].Position.Thing != slow || told[1].Position.Thing != quick {
		t.Errorf("told %v, want %s and then %s", told, slow, quick)
	}
}

func insertCompany(t *testing.T, tx *postgres.Tx, s *scene, creator uuid.UUID) uuid.UUID {
	t.Helper()
	id := postgres.NewID()
	err := tx.Exec(`INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by) VALUES
		(?, ?, 'Acme', 'team', 'manual', ?, ?)`,
		id, s.ID, creator, creator).Error
	if err != nil {
		t.Error(err)
	}
	return id
}

var errUndo = errors.New("undone on purpose")

// TestFollowerSeesEveryChangeOnce follows while many write, alone and in batches, commit out of order, and roll back.
func TestFollowerSeesEveryChangeOnce(t *testing.T) {
	t.Parallel()
	const writers, transactions = 6, 40
	s := newScene(t)
	var mu sync.Mutex
	_, after := s.follow(t, s.Owner, nil)
	made := map[uuid.UUID]int{} // committed changes by thing
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for range transactions {
				ids, err := s.write(t, random)
				if err != nil && !errors.Is(err, errUndo) {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, id := range ids {
					made[id]++
				}
				mu.Unlock()
			}
		})
	}
	ended := make(chan struct{})
	go func() { writing.Wait(); close(ended) }()
	told := map[uuid.UUID]int{}
	note := func(more []changes.Change, next *changes.Position) {
		for _, c := range more {
			told[c.Position.Thing]++
		}
		after = next
	}
	for running := true; running; {
		select {
		case <-ended:
			running = false
			note(s.follow(t, s.Member, after))
		default:
			part, err := s.feed.Read(t.Context(), postgres.AsUser(s.Member), s.ID, after, 50)
			if err != nil {
				t.Fatal(err)
			}
			note(part.Changes, &part.Next)
		}
	}
	if len(made) < 1000 {
		t.Fatalf("only %d things were written", len(made))
	}
	if !maps.Equal(made, told) {
		t.Errorf("%d things were written, %d were told, or not as often", len(made), len(told))
	}
}

// write makes companies and changes them in a second transaction, and returns an id for each change that is durable.
func (s *scene) write(t *testing.T, random *rand.Rand) (written []uuid.UUID, err error) {
	t.Helper()
	var ids []uuid.UUID
	err = s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
		for range 1 + random.IntN(12) {
			ids = append(ids, insertCompany(t, tx, s, s.Owner))
		}
		if random.IntN(3) == 0 {
			if err := tx.Exec("SELECT pg_sleep(?)", random.Float64()/50).Error; err != nil {
				return err
			}
		}
		if random.IntN(5) == 0 {
			return errUndo
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
		return tx.Exec(
			"UPDATE companies SET notes = 'called', updated_at = clock_timestamp() WHERE id = ANY (string_to_array(?, "+
				"',')::uuid[])", joined(ids),
		).Error
	})
	return append(ids, ids...), err
}

func joined(ids []uuid.UUID) string {
	text := ""
	for i, id := range ids {
		if i > 0 {
			text += ","
		}
		text += id.String()
	}
	return text
}

// TestEachIsToldWhatTheySee changes who sees what, and asks everybody after each step.
func TestEachIsToldWhatTheySee(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	third := testkit.User(t, s.DB, "Theo Third").ID
	testkit.Member(t, s.DB, s.ID, third, "member")
	company, minutes, submission := uuid.New(), uuid.New(), uuid.New()
	names := map[uuid.UUID]string{company: "Acme", minutes: "call", submission: "form"}
	set := func(visibility string) string {
		return fmt.Sprintf("UPDATE companies SET visibility = '%s', updated_at = clock_timestamp() WHERE id = '%s'",
			visibility, company)
	}
	share := fmt.Sprintf("INSERT INTO company_shares (company_id, account_id, user_id) VALUES ('%s', '%s', '%s')",
		company, s.ID, s.Member)
	positions := map[uuid.UUID]*changes.Position{s.Owner: nil, s.Member: nil, third: nil}
	for user := range positions {
		_, positions[user] = s.follow(t, user, nil)
	}
	for _, step := range []struct {
		what                 string
		do                   []string
		owner, member, third []string
	}{
		{"a private company, and what hangs on it", []string{
			fmt.Sprintf("INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by) VALUES "+
				"('%s', '%s', 'Acme', 'private', 'manual', '%s', '%[3]s')",
				company, s.ID, s.Owner),
			fmt.Sprintf(
				"INSERT INTO meeting_minutes (id, account_id, title, company_id, created_by) VALUES ('%s', '%s', 'Call', '%s', "+
					"'%s')", minutes, s.ID, company, s.Owner,
			),
			fmt.Sprintf(
				"INSERT INTO form_submissions (id, account_id, data, company_id, integration_type) VALUES ('%s', '%s', '[]', "+
					"'%s', 'manual')", submission, s.ID, company,
			),
		}, []string{"Acme company.created", "call meeting_minutes.created", "form form_submission.created"}, nil, nil},
		{"a share that has no effect", []string{share}, []string{"Acme company.updated"}, nil, nil},
		{"for those it is shared with", []string{set("shared")}, []string{"Acme company.updated"}, []string{
			"Acme company.updated",
		}, nil},
		{
			"no longer shared",
			[]string{fmt.Sprintf("DELETE FROM company_shares WHERE company_id = '%s'", company)},
			[]string{"Acme company.updated"},
			[]string{"Acme company.deleted"},
			nil,
		},
		{"for the team", []string{set("team")}, []string{"Acme company.updated"}, []string{"Acme company.updated"}, []string{
			"Acme company.updated",
		}},
		{"only its words", []string{
			fmt.Sprintf("UPDATE companies SET words = 'other' WHERE id = '%s'", company),
		}, nil, nil, nil},
		{
			"shared again",
			[]string{share, set("shared")},
			[]string{"Acme company.updated"},
			[]string{"Acme company.updated"},
			[]string{"Acme company.deleted"},
		},
		{
			"the minutes are of no company",
			[]string{
				fmt.Sprintf("UPDATE meeting_minutes SET company_id = NULL, updated_at = clock_timestamp() WHERE id = '%s'",
					minutes),
			},
			[]string{"call meeting_minutes.updated"},
			[]string{"call meeting_minutes.updated"},
			[]string{"call meeting_minutes.updated"},
		},
		{
			"and again of it",
			[]string{
				fmt.Sprintf("UPDATE meeting_minutes SET company_id = '%s', updated_at = clock_timestamp() WHERE id = '%s'",
					company, minutes),
			},
			[]string{"call meeting_minutes.updated"},
			[]string{"call meeting_minutes.updated"},
			[]string{"call meeting_minutes.deleted"},
		},
		{
			"all is deleted",
			[]string{fmt.Sprintf("DELETE FROM companies WHERE id = '%s'", company)},
			[]string{"Acme company.deleted", "call meeting_minutes.deleted", "form form_submission.deleted"},
			[]string{"Acme company.deleted", "call meeting_minutes.deleted", "form form_submission.deleted"},
			nil,
		},
	} {
		s.as(t, s.Owner, step.do...)
		for user, wanted := range map[uuid.UUID][]string{s.Owner: step.owner, s.Member: step.member, third: step.third} {
			told, next := s.follow(t, user, positions[user])
			positions[user] = next
			want(t, fmt.Sprint(step.what, ": ",
				map[uuid.UUID]string{s.Owner: "the owner", s.Member: "the member", third: "the third"}[user]),
				told, names, wanted...)
		}
	}
	if _, err := s.feed.Read(t.Context(), postgres.AsUser(s.Stranger), s.ID, nil, 1); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a stranger reads: %v", err)
	}
}

// TestWholeStoryOfWhatIsDeleted checks that those who saw a company are shown its creation and its deletion afterwards.
func TestWholeStoryOfWhatIsDeleted(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	_, start := s.follow(t, s.Owner, nil)
	open, hidden := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	testkit.DeleteCompany(t, s.DB, s.Owner, open)
	testkit.DeleteCompany(t, s.DB, s.Owner, hidden)
	names := map[uuid.UUID]string{open: "open", hidden: "hidden"}
	told, _ := s.follow(t, s.Owner, start)
	want(t, "the owner", told, names, "open company.created", "open company.deleted", "hidden company.created",
		"hidden company.deleted")
	told, _ = s.follow(t, s.Member, start)
	want(t, "the member", told, names, "open company.created", "open company.deleted")
}

func TestTransactionIsOneChangeOfAThing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	_, start := s.follow(t, s.Owner, nil)
	id := uuid.New()
	made := fmt.Sprintf("INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by) "+
		"VALUES ('%s', '%s', 'Acme', 'team', 'manual', '%s', '%[3]s')",
		id, s.ID, s.Owner)
	changed := fmt.Sprintf(
		"UPDATE companies SET notes = clock_timestamp()::text, updated_at = clock_timestamp() WHERE id = '%s'", id,
	)
	linked := fmt.Sprintf(`INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title, created_by)
		VALUES (gen_random_uuid(), '%s', '%s', 'attachment', 'link', 'a', '%s')`, s.ID, id, s.Owner)
	s.as(t, s.Owner, made, changed, linked, changed)
	s.as(t, s.Owner, changed, linked)
	s.as(t, s.Owner, changed, fmt.Sprintf("DELETE FROM companies WHERE id = '%s'", id))
	told, _ := s.follow(t, s.Member, start)
	want(t, "the member", told, map[uuid.UUID]string{id: "Acme"}, "Acme company.created", "Acme company.updated",
		"Acme company.deleted")
}

// TestOldCursorsAreRefused removes changes for their age.
func TestOldCursorsAreRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	_, old := s.follow(t, s.Owner, nil)
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	_, between := s.follow(t, s.Owner, old)
	testkit.Exec(t, s.URL, "UPDATE changes SET at = now() - interval '2 days'")
	young := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	forget := func(age time.Duration) {
		if err := s.feed.Forget(t.Context(), age); err != nil {
			t.Fatal(err)
		}
	}
	forget(0)
	if told, _ := s.follow(t, s.Owner, old); len(told) != 2 {
		t.Errorf("told %v where nothing is to be removed", told)
	}
	forget(24 * time.Hour)
	if _, err := s.feed.Read(t.Context(), postgres.AsUser(s.Owner), s.ID, old, 1); !fault.Is(err, fault.Gone) {
		t.Errorf("a cursor behind which changes were removed: %v", err)
	}
	for name, after := range map[string]*changes.Position{"none": nil, "behind what was removed": between} {
		if told, _ := s.follow(t, s.Owner, after); told[0].Position.Thing != young {
			t.Errorf("cursor %s: told %v, want %s first", name, told, young)
		}
	}
	elsewhere := *between
	elsewhere.Database = "1"
	ahead := *between
	ahead.Transaction = "1152921504606846976"
	for name, position := range map[string]changes.Position{
		"of another database": elsewhere, "of a transaction to come": ahead,
	} {
		if _, err := s.feed.Read(t.Context(), postgres.AsUser(s.Owner), s.ID, &position, 1); !fault.Is(err, fault.Gone) {
			t.Errorf("a cursor %s: %v", name, err)
		}
	}
}

// TestChangesOfAnotherDatabaseAreRemoved is about a copy that was restored from one with more transactions.
func TestChangesOfAnotherDatabaseAreRemoved(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	testkit.Exec(t, s.URL, "UPDATE changes SET xid = '1152921504606846976'")
	if err := s.feed.Forget(t.Context(), 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if n := testkit.Count(t, s.URL, "changes"); n != 0 {
		t.Errorf("%d changes are left that nobody will ever be told", n)
	}
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	if told, _ := s.follow(t, s.Owner, nil); len(told) != 1 {
		t.Errorf("told %v", told)
	}
}

func TestAccountTakesItsChangesWithIt(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	testkit.Exec(t, s.URL, "DELETE FROM accounts WHERE id = $1", s.ID)
	if left := testkit.Texts(t, s.URL, "SELECT kind || ' ' || action FROM changes WHERE account_id = $1",
		s.ID); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// TestWatcherWakesFollowers checks that those who wait for a change are woken by it.
func TestWatcherWakesFollowers(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	watcher := changes.NewWatcher(s.DB, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { watcher.Run(ctx); close(ended) }()
	defer func() { cancel(); <-ended }()
	watching := watcher.Watch(s.ID)
	defer watching.Close()
	<-watching.Changed() // the first look
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	select {
	case <-watching.Changed():
	case <-time.After(time.Minute):
		t.Error("nobody was told of a change")
	}
}

// TestFilesOfAnEmailAreItsChange adds a file to an email that is there, as a restored account does.
func TestFilesOfAnEmailAreItsChange(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	mail := uuid.New()
	s.as(t, s.Owner, fmt.Sprintf("INSERT INTO emails (id, account_id, external_id, from_email) VALUES ('%s', '%s', '1', "+
		"'a@b.example')", mail, s.ID))
	_, start := s.follow(t, s.Member, nil)
	s.as(t, s.Owner, fmt.Sprintf("INSERT INTO email_attachments (id, account_id, email_id, position, filename, "+
		"content_type, size_bytes, storage_path) VALUES ('%[1]s', '%[2]s', '%[1]s', 0, 'a.txt', 'text/plain', 1, 'x')", mail,
		s.ID))
	told, _ := s.follow(t, s.Member, start)
	want(t, "a member", told, map[uuid.UUID]string{mail: "mail"}, "mail email.updated")
}
