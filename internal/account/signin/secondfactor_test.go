package signin_test

import (
	"bytes"
	"encoding/base32"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/seal"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
)

// guarded is a user whose service has a clock that the test moves.
type guarded struct {
	*accountkit.Both

	t      *testing.T
	db     *postgres.DB
	url    string
	ada    account.User
	caller account.Caller
	at     time.Time
	secret string
	codes  []string
	seen   accountkit.Watch
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	_, db, address := accountkit.Setup(t)
	g := &guarded{t: t, db: db, url: address, at: time.Unix(1_800_000_000, 0)}
	box, err := seal.New([][]byte{bytes.Repeat([]byte("k"), 32)}, signin.SealPurpose)
	if err != nil {
		t.Fatal(err)
	}
	g.Both = accountkit.New(signin.Options{
		DB: db, Seal: box, Now: func() time.Time { return g.at },
	})
	if g.ada, err = g.CreateUser(t.Context(), "ada@fund.example", "Ada", password); err != nil {
		t.Fatal(err)
	}
	entry, err := g.login("")
	if err != nil {
		t.Fatal(err)
	}
	g.caller = account.Caller{UserID: g.ada.ID, SessionID: entry.ID}
	return g
}

func (g *guarded) login(code string) (signin.Entry, error) {
	in := signin.Credentials{Email: "ADA@fund.example", Password: password, TOTPCode: code}
	return g.Login(g.t.Context(), in, g.seen.Guard())
}

// code returns the code that an app shows steps * 30 seconds after the present time of the test's clock.
func (g *guarded) code(steps int) string {
	g.t.Helper()
	code, err := signin.TOTPCode(g.secret, g.at.Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		g.t.Fatal(err)
	}
	return code
}

// turnOn activates a second factor, and moves the clock until the code that did so is no longer valid.
func (g *guarded) turnOn() {
	g.t.Helper()
	made, err := g.StartFactor(g.t.Context(), g.caller, password, accountkit.Anyone())
	if err != nil {
		g.t.Fatal(err)
	}
	g.secret = made.Secret
	if g.codes, err = g.ConfirmFactor(g.t.Context(), g.caller, g.code(0)); err != nil {
		g.t.Fatal(err)
	}
	g.at = g.at.Add(time.Minute)
}

func (g *guarded) wantRefusal(what string, err error, kind fault.Kind, code string) {
	g.t.Helper()
	accountkit.WantKind(g.t, what, err, kind)
	if refusal, ok := errors.AsType[*fault.Error](err); !ok || refusal.Code != code {
		g.t.Errorf("%s: %v, want the code %s", what, err, code)
	}
}

func TestCodesAreThoseOfTheStandard(t *testing.T) {
	t.Parallel()
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, want := range map[int64]string{ // RFC 6238, appendix B, without the first two digits
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if code, err := signin.TOTPCode(secret, time.Unix(at, 0)); err != nil || code != want {
			t.Errorf("at %d: %s, %v; want %s", at, code, err, want)
		}
	}
}

func TestASecondFactorIsAskedForOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	made, err := g.StartFactor(t.Context(), g.caller, password, accountkit.Anyone())
	if err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(made.URL)
	if err != nil || link.Scheme != "otpauth" || link.Host != "totp" || link.Path != "/dealflow:ada@fund.example" ||
		link.Query().Get("secret") != made.Secret || len(made.Secret) != 32 {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := g.login(""); err != nil {
		t.Errorf("before it is confirmed: %v", err)
	}
	g.turnOn() // the second start replaces the first
	if on, err := g.HasFactor(t.Context(), g.ada.ID); err != nil || !on || g.secret == made.Secret || len(g.codes) != 10 {
		t.Errorf("on: %v, %v, with %d recovery codes", on, err, len(g.codes))
	}
	_, err = g.login(" ")
	g.wantRefusal("no code", err, fault.Unauthenticated, "totp_required")
	if len(g.seen.Failed) != 0 {
		t.Errorf("a missing code counts as a guess of %v", g.seen.Failed)
	}
	_, err = g.Login(t.Context(), signin.Credentials{
		Email: g.ada.Email, Password: "wrong password", TOTPCode: g.code(0),
	}, accountkit.Anyone())
	g.wantRefusal("a wrong password with the code", err, fault.Unauthenticated, "invalid_credentials")
	code := g.code(0)
	if _, err := g.login(code[:3] + " " + code[3:]); err != nil {
		t.Errorf("with the code: %v", err)
	}
	stored := testkit.Texts(t, g.url, "SELECT encode(secret, 'escape') FROM second_factors")
	if len(stored) != 1 || strings.Contains(stored[0], g.secret) {
		t.Errorf("the secret is stored as %q", stored)
	}
}

func TestACodeWorksOnce(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	made, err := g.StartFactor(t.Context(), g.caller, password, accountkit.Anyone())
	if err != nil {
		t.Fatal(err)
	}
	g.secret = made.Secret
	if _, err := g.ConfirmFactor(t.Context(), g.caller, g.code(0)); err != nil {
		t.Fatal(err)
	}
	wrong := func(what, code string) {
		t.Helper()
		before := len(g.seen.Failed)
		_, err := g.login(code)
		g.wantRefusal(what, err, fault.Unauthenticated, "invalid_credentials")
		if len(g.seen.Failed) != before+1 {
			t.Errorf("%s is not counted", what)
		}
	}
	wrong("the code that confirmed", g.code(0))
	wrong("an older one", g.code(-1))
	wrong("one of later", g.code(2))
	wrong("no number", "abcdef")
	if _, err := g.login(g.code(1)); err != nil { // a clock that is fast
		t.Errorf("the next code: %v", err)
	}
	g.at = g.at.Add(30 * time.Second)
	wrong("the same again", g.code(0))
	g.at = g.at.Add(time.Minute)
	if _, err := g.login(g.code(-1)); err != nil { // a clock that is slow
		t.Errorf("the code before: %v", err)
	}
	locked := g.seen.Guard()
	asked := 0
	locked.Allow = func(string, uuid.UUID) error {
		if asked++; asked > 1 {
			return fault.New(fault.RateLimited, "rate_limited")
		}
		return nil
	}
	in := signin.Credentials{Email: g.ada.Email, Password: password, TOTPCode: g.code(0)}
	_, err = g.Login(t.Context(), in, locked)
	accountkit.WantKind(t, "locked out by guesses meanwhile", err, fault.RateLimited)
}

func TestARecoveryCodeWorksOnce(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	g.turnOn()
	if _, err := g.login(strings.ToUpper(strings.ReplaceAll(g.codes[3], "-", " "))); err != nil {
		t.Errorf("a recovery code: %v", err)
	}
	_, err := g.login(g.codes[3])
	g.wantRefusal("the same again", err, fault.Unauthenticated, "invalid_credentials")
	if _, err := g.login(g.codes[4]); err != nil {
		t.Errorf("another: %v", err)
	}
	if left := testkit.Count(t, g.url, "recovery_codes"); left != 8 {
		t.Errorf("%d recovery codes are left", left)
	}
	for _, text := range testkit.Texts(t, g.url, "SELECT encode(hash, 'escape') FROM recovery_codes") {
		if strings.Contains(text, g.codes[0]) {
			t.Error("a recovery code is stored as it is")
		}
	}
}

func TestRefusalsOfSecondFactors(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	byKey := account.Caller{UserID: g.ada.ID, KeyID: uuid.New()}
	start := func(caller account.Caller, text string) error {
		_, err := g.StartFactor(t.Context(), caller, text, accountkit.Anyone())
		return err
	}
	confirm := func(caller account.Caller, code string) error {
		_, err := g.ConfirmFactor(t.Context(), caller, code)
		return err
	}
	g.wantRefusal("start by a key", start(byKey, password), fault.Forbidden, "session_required")
	g.wantRefusal("start with another password", start(g.caller, "wrong password"), fault.Unauthenticated,
		"invalid_credentials")
	g.wantRefusal("confirm before the start", confirm(g.caller, "123456"), fault.Conflict, "totp_not_started")
	g.wantRefusal("stop before the start", g.StopFactor(t.Context(), g.caller, password,
		accountkit.Anyone()), fault.NotFound,
		"not_found")
	if err := start(g.caller, password); err != nil {
		t.Fatal(err)
	}
	g.wantRefusal("confirm with a wrong code", confirm(g.caller, "12345"), fault.InvalidBody, "invalid_field")
	g.wantRefusal("confirm by a key", confirm(byKey, "123456"), fault.Forbidden, "session_required")
	g.turnOn()
	g.wantRefusal("start again", start(g.caller, password), fault.Conflict, "totp_enabled")
	g.wantRefusal("confirm again", confirm(g.caller, g.code(0)), fault.Conflict, "totp_not_started")
	g.wantRefusal("stop by a key", g.StopFactor(t.Context(), byKey, password, accountkit.Anyone()), fault.Forbidden,
		"session_required")
	g.wantRefusal("stop with another password", g.StopFactor(t.Context(), g.caller, "wrong password", accountkit.Anyone()),
		fault.Unauthenticated, "invalid_credentials")

	_, err := signin.New(g.db).Login(t.Context(),
		signin.Credentials{Email: g.ada.Email, Password: password, TOTPCode: g.code(0)}, accountkit.Anyone())
	if err == nil {
		t.Error("a service without the key lets a user in")
	}
}

func TestASecondFactorIsTurnedOff(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	if _, err := g.Create(t.Context(), g.ada.ID, "Team", nil); err != nil {
		t.Fatal(err)
	}
	g.turnOn()
	other, err := g.login(g.code(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.StopFactor(t.Context(), g.caller, password, accountkit.Anyone()); err != nil {
		t.Fatal(err)
	}
	_, err = g.AuthenticateSession(t.Context(), other.Token)
	accountkit.WantKind(t, "the other session", err, fault.Unauthenticated)
	if n := testkit.Count(t, g.url, "sessions"); n != 1 {
		t.Errorf("%d sessions last, want the one that asked", n)
	}
	if _, err := g.login(""); err != nil {
		t.Errorf("a login without a code: %v", err)
	}
	logged := testkit.Texts(t, g.url, "SELECT action FROM audit_entries WHERE action LIKE 'totp.%' ORDER BY at")
	if !slices.Equal(logged, []string{"totp.enabled", "totp.disabled"}) {
		t.Errorf("the audit log has %v", logged)
	}
	g.turnOn()
	if err := g.RemoveFactor(t.Context(), g.ada.ID); err != nil {
		t.Fatal(err)
	}
	accountkit.WantKind(t, "the operator, twice", g.RemoveFactor(t.Context(), g.ada.ID), fault.NotFound)
	if _, err := g.login(""); err != nil || testkit.Count(t, g.url, "recovery_codes") != 0 {
		t.Errorf("after the operator turned it off: %v", err)
	}
}

func TestAResetKeepsTheSecondFactorOfAProvenUser(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"proven": 1, "claimed": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGuarded(t)
			g.turnOn()
			if name == "claimed" {
				testkit.Exec(t, g.url, "UPDATE users SET proven_at = NULL")
			}
			testkit.Exec(t, g.url, `INSERT INTO address_proofs (hash, kind, user_id, expires_at)
				SELECT sha256('token'), 'reset', id, now() + interval '1 hour' FROM users`)
			if err := g.ResetPassword(t.Context(), "token", password); err != nil {
				t.Fatal(err)
			}
			if n := testkit.Count(t, g.url, "second_factors"); n != want {
				t.Errorf("%d second factors are left, want %d", n, want)
			}
		})
	}
}

func TestAnInvitationByPasswordNeedsTheCode(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	g.turnOn()
	bob := g.User(t, "bob@fund.example")
	team, err := g.Create(t.Context(), bob.ID, "Team", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, token, err := g.Invite(t.Context(), bob.ID, team.ID, g.ada.Email, account.RoleMember)
	if err != nil {
		t.Fatal(err)
	}
	accept := func(code string) error {
		in := signin.Acceptance{Token: token, Name: "Ada", Password: password, TOTPCode: code}
		_, err := g.Accept(t.Context(), in, g.seen.Guard())
		return err
	}
	g.wantRefusal("no code", accept(""), fault.Unauthenticated, "totp_required")
	g.wantRefusal("a wrong code", accept("12345"), fault.Unauthenticated, "invalid_credentials")
	if err := accept(g.code(0)); err != nil {
		t.Errorf("with the code: %v", err)
	}
}

func TestSecondFactorsOutliveTheKeyThatSealedThem(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	g.turnOn()
	old, fresh := bytes.Repeat([]byte("k"), 32), bytes.Repeat([]byte("f"), 32)
	done, err := signin.ResealFactors(t.Context(), g.db, [][]byte{fresh, old})
	if err != nil || done.Renewed != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	box, err := seal.New([][]byte{fresh}, signin.SealPurpose)
	if err != nil {
		t.Fatal(err)
	}
	g.Both = accountkit.New(signin.Options{
		DB: g.db, Seal: box, Now: func() time.Time { return g.at },
	})
	g.at = g.at.Add(time.Hour)
	if _, err := g.login(g.code(0)); err != nil {
		t.Errorf("after the old key was dropped: %v", err)
	}
}
