package httpapi_test

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account/outbox"
	"dealflow/internal/logs"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/mailbox"
)

// mailing is a server with mails.
type mailing struct {
	*server

	box    *mailbox.Box
	outbox *outbox.Outbox
}

func startMailing(t *testing.T) *mailing {
	t.Helper()
	m := &mailing{box: mailbox.Start(t)}
	m.server = start(t, func(s *setup) { s.MailBase = "https://deals.example" })
	m.outbox = outbox.New(m.db, mailbox.Server(t, m.box.Address), logs.New(m.log, 0, "json"))
	return m
}

var mailedLink = regexp.MustCompile(`https://deals\.example(/\w+/([a-z2-7]+))`)

// mailed sends what is due and returns the links of the last mail of a kind to an address: path and token.
func (m *mailing) mailed(to, kind string) [][]string {
	m.Helper()
	must(m.T, m.outbox.SendDue(m.Context()))
	for _, sent := range slices.Backward(m.box.Mails()) {
		if sent.To == to && strings.Contains(sent.Text, kind) {
			return mailedLink.FindAllStringSubmatch(sent.Text, -1)
		}
	}
	return nil
}

func (m *mailing) me(cookie *http.Cookie) reply {
	m.Helper()
	return m.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
}

func TestAMailedLinkProvesAnAddress(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	_, cookie := m.register("ada@fund.example")
	links := m.mailed("ada@fund.example", "/verify/")
	if len(links) != 1 || m.me(cookie).at("data.user.email_verified") != false {
		t.Fatalf("the mails are %q", m.box.Mails())
	}
	page, token := links[0][1], links[0][2]
	m.get(page, "").shows(http.StatusOK, "Confirm your address", `type="password"`)
	m.join(page, url.Values{"password": {"a wrong password"}}, nil).shows(http.StatusUnauthorized, "not your password")
	verify := func(token string) reply {
		return m.post("/api/v1/auth/email/verify", "", map[string]any{"token": token})
	}
	verify(token+"a").refused(http.StatusBadRequest, "Invalid request body", "invalid_token", "token")
	if m.me(cookie).at("data.user.email_verified") != false {
		t.Error("a refusal proves the address")
	}
	m.join(page, url.Values{"password": {password}}, nil).shows(http.StatusOK, "is confirmed")
	if m.me(cookie).at("data.user.email_verified") != true {
		t.Error("the address is not proven")
	}
	verify(token).refused(http.StatusBadRequest, "Invalid request body", "invalid_token", "token")

	_, second := m.register("ada@fund.example") // another claim, whose mail the owner gets too
	claim := m.mailed("ada@fund.example", "/verify/")[0][2]
	verify(claim).refused(http.StatusConflict, "Conflict", "email_taken", "email")
	if m.me(second).at("data.user.email_verified") != false {
		t.Error("two have proven one address")
	}
	if log := m.log.String(); strings.Contains(log, token) || strings.Contains(log, claim) {
		t.Error("a token is in the log")
	}
}

func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	made := m.post(m.accountPath("invitations"), m.key, map[string]any{"email": "new@fund.example"}).
		want(http.StatusCreated)
	if made.at("data.accept_url") != nil {
		t.Errorf("whoever invites is told the token: %s", made.Raw)
	}
	m.box.Set(mailbox.Later)
	must(t, m.outbox.SendDue(t.Context()))
	m.box.Set(nil)
	if left := m.mailed("new@fund.example", "/invitations/"); left != nil {
		t.Errorf("it was sent at once again: %v", left)
	}
	time.Sleep(5500 * time.Millisecond) // the pause after the first attempt
	links := m.mailed("new@fund.example", "/invitations/")
	if len(links) != 1 {
		t.Fatalf("the mails are %q", m.box.Mails())
	}
	body := map[string]any{"token": links[0][2], "name": "New", "password": password}
	joined := m.post("/api/v1/invitations/accept", "", body).want(http.StatusOK)
	if joined.at("data.user.email_verified") != true {
		t.Errorf("joined %s", joined.Raw)
	}
}

// TestAnInvitationThatIsNotMailedHasItsURL invites an address that others have had mailed too often.
func TestAnInvitationThatIsNotMailedHasItsURL(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	testkit.Exec(t, m.dbURL, `INSERT INTO mails (id, kind, email, base_url)
		SELECT gen_random_uuid(), 'invitation', 'new@fund.example', '' FROM generate_series(1, 10)`)
	made := m.post(m.accountPath("invitations"), m.key, map[string]any{"email": "new@fund.example"}).
		want(http.StatusCreated)
	link, _ := made.at("data.accept_url").(string)
	body := map[string]any{"token": path.Base(link), "name": "New", "password": password}
	joined := m.post("/api/v1/invitations/accept", "", body).want(http.StatusOK)
	if joined.at("data.user.email_verified") != false {
		t.Errorf("what nobody mailed proves the address: %s", joined.Raw)
	}
}

// TestInvitationsOfAnAccountAreLimited invites more people than an account may have mailed in a day. One of the
// invitations before was revoked after its mail was sent.
func TestInvitationsOfAnAccountAreLimited(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	isMailed := func(email string) bool {
		made := m.post(m.accountPath("invitations"), m.key, map[string]any{"email": email}).want(http.StatusCreated)
		return made.at("data.accept_url") == nil
	}
	if !isMailed("first@fund.example") {
		t.Error("the first invitation is not mailed")
	}
	testkit.Exec(t, m.dbURL, `INSERT INTO mails (id, kind, email, base_url, invited_to, sent_at)
		SELECT gen_random_uuid(), 'invitation', n || '@fund.example', '', invited_to, now()
		FROM mails, generate_series(1, $1) n`, outbox.PerDay-2)
	testkit.Exec(t, m.dbURL, "UPDATE mails SET attempt = 1, sent_at = now()")
	testkit.Exec(t, m.dbURL, "DELETE FROM invitations")
	if !isMailed("last@fund.example") {
		t.Error("the last invitation of the day is not mailed")
	}
	if isMailed("more@fund.example") {
		t.Error("an account has any number of invitations mailed in a day")
	}
	testkit.Exec(t, m.dbURL, "UPDATE mails SET created_at = now() - interval '25 hours' WHERE email = '1@fund.example'")
	if !isMailed("tomorrow@fund.example") {
		t.Error("a mail of the day before counts")
	}
}

// TestInvitationsThatWereReplacedCount invites an address again and again. The mails of the invitations before were
// sent, or are on their way when they are replaced or revoked.
func TestInvitationsThatWereReplacedCount(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	var links []bool
	for i := range 11 {
		made := m.post(m.accountPath("invitations"), m.key, map[string]any{"email": "new@fund.example"}).
			want(http.StatusCreated)
		links = append(links, made.at("data.accept_url") != nil)
		testkit.Exec(t, m.dbURL, `UPDATE mails SET attempt = 1, sent_at = CASE WHEN $1 THEN now() END
			WHERE attempt = 0`, i%2 == 0)
		if i%3 == 0 {
			m.send(request{
				Method: http.MethodDelete, Key: m.key,
				Path: m.accountPath("invitations/" + made.at("data.invitation.id").(string)),
			}).want(http.StatusOK)
		}
	}
	if slices.Contains(links[:10], true) || !links[10] {
		t.Errorf("accept_url is there: %v; want it for the eleventh alone", links)
	}
	left := testkit.Texts(t, m.dbURL, `SELECT id FROM mails WHERE sent_at IS NULL AND failed_at IS NULL
		AND invitation_id IS NULL`)
	if len(left) > 0 {
		t.Errorf("mails without an invitation would be sent: %v", left)
	}
}

// TestMailsThatProveAnAddressAreLimitedInSight asks for more mails than one user may get in an hour, and checks the
// refusal. Mails that other users with the same address asked for must not show.
func TestMailsThatProveAnAddressAreLimitedInSight(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	_, other := m.register("ada@fund.example")
	_, cookie := m.register("ada@fund.example")
	ask := func(cookie *http.Cookie) reply {
		return m.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/email/verify/send"})
	}
	for range 9 {
		ask(cookie).want(http.StatusAccepted)
	}
	testkit.Exec(t, m.dbURL, "UPDATE mails SET created_at = created_at - interval '30 minutes'")
	refused := ask(cookie)
	refused.refused(http.StatusTooManyRequests, "Rate limit exceeded", "rate_limited", "")
	if after, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || after < 1700 || after > 1800 {
		t.Errorf("Retry-After is %q", refused.Header.Get("Retry-After"))
	}
	ask(other).want(http.StatusAccepted)
	sent := func() string {
		return testkit.Texts(t, m.dbURL, "SELECT count(*) FROM mails WHERE failed_at IS NULL")[0]
	}
	if got := sent(); got != "10" {
		t.Errorf("%s mails go to the address, want 10", got)
	}
	testkit.Exec(t, m.dbURL, "UPDATE mails SET created_at = created_at - interval '31 minutes'")
	ask(cookie).want(http.StatusAccepted)
	if got := sent(); got != "11" {
		t.Errorf("%s mails after an hour, want 11", got)
	}
}

func TestAPasswordIsReset(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	ask := func(email string) {
		m.post("/api/v1/auth/password/reset", "", map[string]any{"email": email}).want(http.StatusAccepted)
	}
	for _, email := range []string{m.owner.Email, "nobody@fund.example", "no address"} {
		ask(email)
	}
	links := m.mailed(m.owner.Email, "/reset/")
	if len(links) != 1 || len(m.box.Mails()) != 1 {
		t.Fatalf("the mails are %q", m.box.Mails())
	}
	confirm := func(token, password string) reply {
		return m.post("/api/v1/auth/password/reset/confirm", "", map[string]any{"token": token, "password": password})
	}
	confirm(links[0][2], "short").refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "password")
	confirm("unknown", password).refused(http.StatusBadRequest, "Invalid request body", "invalid_token", "token")
	confirm(links[0][2], password).want(http.StatusOK)
	m.mustTell("password.reset", m.owner.ID.String(), m.owner.ID.String(), "null")
	confirm(links[0][2], password).refused(http.StatusBadRequest, "Invalid request body", "invalid_token", "token")
	m.post("/api/v1/auth/login", "", map[string]any{"email": m.owner.Email, "password": password}).want(http.StatusOK)
	m.get("/api/v1/accounts", m.key).want(http.StatusOK) // the keys of who has proven the address stay

	// The owner of an address takes over a claim on it by resetting the password: sessions and keys of the claimant end.
	_, cookie := m.register("eve@fund.example")
	key := m.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/api-keys", Body: `{"name":"x"}`}).
		text("data.key")
	ask("eve@fund.example")
	confirm(m.mailed("eve@fund.example", "/reset/")[0][2], "another good password").want(http.StatusOK)
	m.get("/api/v1/accounts", key).want(http.StatusUnauthorized)
	m.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusUnauthorized)
	user, err := m.deps.SignIn.UserByEmail(t.Context(), "eve@fund.example")
	if err != nil || user == uuid.Nil {
		t.Errorf("the mail did not prove the address: %v", err)
	}
}

// TestAResetGoesToNoLookalike asks for a reset by an address that is the user's in small letters, and not theirs for
// who delivers the mail.
func TestAResetGoesToNoLookalike(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	m.register("ada@gift.example")
	m.post("/api/v1/auth/password/reset", "", map[string]any{"email": "ada@gİft.example"}).want(http.StatusAccepted)
	must(t, m.outbox.SendDue(t.Context()))
	for _, sent := range m.box.Mails() {
		if strings.Contains(sent.Text, "/reset/") {
			t.Errorf("%s got a link to the user of ada@gift.example", sent.To)
		}
	}
	refused := m.post("/api/v1/auth/register", "", map[string]any{
		"email": "ada@gİft.example", "name": "Eve", "password": password, "account_name": "Eve",
	})
	refused.refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "email")
}

// The answer is true, and the same whoever has the address.
func TestAResetSaysWhetherMailsAreSent(t *testing.T) {
	t.Parallel()
	m, without := startMailing(t), start(t)
	for what, tc := range map[string]struct {
		s    *server
		want string
	}{
		"with mails":    {m.server, "If somebody has this address, a mail is on its way"},
		"without mails": {without, "This service sends no mails; its operator can choose a new password"},
	} {
		for _, email := range []string{tc.s.owner.Email, "nobody@fund.example", "no address"} {
			got := tc.s.post("/api/v1/auth/password/reset", "", map[string]any{"email": email}).want(http.StatusAccepted)
			if got.text("data.message") != tc.want {
				t.Errorf("%s, for %s: %q, want %q", what, email, got.text("data.message"), tc.want)
			}
		}
	}
}

func TestAPasswordIsChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	other := s.post("/api/v1/auth/login", "", map[string]any{"email": "ada@fund.example", "password": password}).cookie()
	change := func(current, next string) reply {
		body := map[string]any{"current_password": current, "new_password": next}
		return s.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/password", Body: body})
	}
	change("a wrong password", "another good password").refused(http.StatusUnauthorized, "Invalid or expired API key",
		"invalid_credentials", "")
	change(password, "short").refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "new_password")
	change(password, "another good password").want(http.StatusOK)
	s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
	s.with(other, request{Path: "/api/v1/auth/me"}).want(http.StatusUnauthorized)
	s.post("/api/v1/auth/login", "", map[string]any{"email": "ada@fund.example", "password": "another good password"}).
		want(http.StatusOK)
	s.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/email/verify/send"}).refused(http.StatusConflict,
		"Conflict", "mail_off", "email")
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	login := map[string]any{"email": "ada@fund.example", "password": password}
	second := s.send(request{
		Method: http.MethodPost, Path: "/api/v1/auth/login", Body: login, Header: http.Header{"User-Agent": {"Firefox"}},
	}).cookie()
	third := s.post("/api/v1/auth/login", "", login).cookie()
	listed := s.with(second, request{Path: "/api/v1/auth/sessions"}).want(http.StatusOK)
	if listed.text("data.sessions.0.device") != "Firefox" || listed.at("data.sessions.0.current") != true ||
		listed.text("data.sessions.0.ip") != "127.0.0.1" ||
		listed.at("data.sessions.2") == nil || listed.at("data.sessions.3") != nil {
		t.Errorf("listed %s", listed.Raw)
	}
	own := listed.text("data.sessions.0.id")
	_, stranger := s.stranger()
	s.erase("/api/v1/auth/sessions/"+own, stranger).want(http.StatusNotFound)
	first := s.with(cookie, request{Path: "/api/v1/auth/sessions"}).text("data.sessions.0.id")
	s.with(second, request{Method: http.MethodDelete, Path: "/api/v1/auth/sessions/" + first}).want(http.StatusOK)
	s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusUnauthorized)
	s.with(second, request{Method: http.MethodDelete, Path: "/api/v1/auth/sessions"}).want(http.StatusOK)
	s.with(third, request{Path: "/api/v1/auth/me"}).want(http.StatusUnauthorized)
	s.with(second, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
}
