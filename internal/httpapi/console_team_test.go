package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"dealflow/internal/account"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/mailbox"
)

// visits returns the browser of a new member of the account, and who they are.
func (s *server) visits(name, role string) (*browser, account.User) {
	s.Helper()
	user, _ := s.colleague(name, role)
	must(s.T, s.deps.SignIn.SetPassword(s.Context(), user.ID, consolePassword))
	return s.signIn(user.Email), user
}

func TestMembersAreKeptOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	at := s.consoleBase() + "/team"
	admin, ada := s.visits("Ada Admin", account.RoleAdmin)
	testkit.Exec(t, s.dbURL, "UPDATE users SET name = 'Ada <b>Admin</b>' WHERE id = $1", ada.ID)
	member, mia := s.visits("Mia Member", account.RoleMember)
	form := func(user account.User, deed string) string {
		return at + "/members/" + s.membership(user.ID.String()) + "/" + deed
	}

	owner.page(at, "Ada &lt;b&gt;", "!<b>Admin", mia.Email, form(ada, "role"), form(s.owner, "remove"), `value="owner"`)
	admin.page(at, form(mia, "role"), form(mia, "remove"), form(ada, "remove"), "!"+form(s.owner, "role"),
		"!"+form(s.owner, "remove"), `!value="owner"`)
	member.page(at, mia.Email, form(mia, "remove"), "!/role", "!"+form(ada, "remove"), "!/invite")

	member.submit(form(ada, "role"), url.Values{"role": {"member"}}).want(http.StatusForbidden)
	member.submit(form(ada, "remove"), nil).want(http.StatusForbidden)
	admin.submit(form(s.owner, "role"), url.Values{"role": {"member"}}).want(http.StatusForbidden)
	admin.submit(form(mia, "role"), url.Values{"role": {"owner"}}).want(http.StatusForbidden)
	owner.elsewhere(form(mia, "role"), url.Values{"role": {"admin"}}).want(http.StatusForbidden)
	owner.submit(form(s.owner, "role"), url.Values{"role": {"member"}}).says(http.StatusConflict, "needs an owner")
	owner.submit(form(s.owner, "remove"), nil).says(http.StatusConflict, "needs an owner")
	owner.submit(form(mia, "role"), url.Values{"role": {"emperor"}}).says(http.StatusBadRequest, "owner, admin or member")
	owner.submit(at+"/members/x/role", url.Values{"role": {"admin"}}).want(http.StatusNotFound)

	owner.done(owner.submit(form(mia, "role"), url.Values{"role": {"admin"}}), "The role is changed")
	member.page(at, form(ada, "role"))
	owner.done(owner.submit(form(ada, "remove"), nil), "The member is removed", "!"+ada.Email)
	admin.open(at).want(http.StatusNotFound)
	if to := member.submit(form(mia, "remove"), nil).want(http.StatusSeeOther).Header.Get("Location"); to != "/app" {
		t.Errorf("who has left is led to %s", to)
	}
	if n := s.count("memberships"); n != 1 {
		t.Errorf("%d memberships are left", n)
	}
}

func TestPeopleAreInvitedOnTheTeamsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	admin, _ := s.visits("Ada Admin", account.RoleAdmin)
	member, mia := s.visits("Mia Member", account.RoleMember)
	at := s.consoleBase() + "/team"
	invite := func(b *browser, email, role string) reply {
		return b.submit(at+"/invite", url.Values{"email": {email}, "role": {role}})
	}
	invite(member, "grace@fund.example", "member").want(http.StatusForbidden)
	invite(admin, "grace@fund.example", "owner").want(http.StatusForbidden)
	invite(admin, `"><script>`, "member").says(http.StatusBadRequest, `value="&#34;&gt;&lt;script&gt;"`)
	invite(admin, mia.Email, "member").says(http.StatusConflict, "member&#39;s address already")
	owner.elsewhere(at+"/invite", url.Values{
		"email": {"grace@fund.example"},
		"role":  {"member"},
	}).want(http.StatusForbidden)
	if n := s.count("invitations"); n != 0 {
		t.Fatalf("refusals made %d invitations", n)
	}
	link := regexp.MustCompile(`value="https://deals\.example(/invitations/[a-z2-7]+)"`)
	made := func(b *browser, email, role string) string {
		t.Helper()
		return b.once(invite(b, email, role), at, link)
	}
	first := made(admin, "grace@fund.example", "admin")
	second := made(admin, "grace@fund.example", "admin") // anew
	owner.page(at, "grace@fund.example", "!"+first, "!"+second)
	member.page(at, "!/revoke", "!Invite anew")
	nobody := &browser{server: s}
	nobody.open(first).want(http.StatusNotFound)
	nobody.page(second, "Join", "Northwind Ventures", "Ada Admin")
	joined := nobody.submit(second, url.Values{"name": {"Grace"}, "password": {consolePassword}}).want(http.StatusOK)
	if !strings.Contains(string(joined.Raw), `href="`+s.consoleBase()+`/board"`) {
		t.Errorf("who has joined is led to %s", joined.Raw)
	}
	third := made(owner, "bob@fund.example", "owner")
	page := string(admin.page(at, "bob@fund.example", "!/revoke").Raw)
	if strings.Contains(page, `name="email" value="bob@fund.example"`) {
		t.Error("an admin may invite an owner anew")
	}
	id := s.get(s.accountPath("members"), s.key).text("data.invitations.0.id")
	member.submit(at+"/invitations/"+id+"/revoke", nil).want(http.StatusForbidden)
	for range 2 { // the second time it is gone already
		owner.done(owner.submit(at+"/invitations/"+id+"/revoke", nil), "is revoked", "!bob@fund.example")
	}
	nobody.open(third).want(http.StatusNotFound)
}

func TestInvitationsOfTheTeamsPageAreMailed(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	owner := m.signIn(m.withPassword())
	at := m.consoleBase() + "/team"
	owner.done(owner.submit(at+"/invite", url.Values{"email": {"grace@fund.example"}, "role": {"member"}}),
		"on its way by mail", "grace@fund.example", "!/invitations/s")
	if links := m.mailed("grace@fund.example", "/invitations/"); len(links) != 1 {
		t.Errorf("the mails are %q", m.box.Mails())
	}
}

// TestInvitationsThatNeverArriveAreMarked invites two addresses, of which the mail server refuses one.
func TestInvitationsThatNeverArriveAreMarked(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	owner := m.signIn(m.withPassword())
	at := m.consoleBase() + "/team"
	invite := func(email string, answer mailbox.Answer) (page string, marked int) {
		m.box.Set(answer)
		owner.done(owner.submit(at+"/invite", url.Values{"email": {email}, "role": {"member"}}), email)
		must(t, m.outbox.SendDue(t.Context()))
		page = string(owner.open(at).want(http.StatusOK).Raw)
		return page, strings.Count(page, "not delivered")
	}
	if page, marked := invite("grace@fund.example", mailbox.Later); marked != 0 {
		t.Errorf("a mail that will be tried again is given up: %s", page)
	}
	page, marked := invite("gone@fund.example", func(int, *smtp.Conn) error {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
	})
	if marked != 1 || strings.Index(page, "not delivered") < strings.Index(page, "gone@fund.example") ||
		!strings.Contains(page, "check the address, and invite anew") {
		t.Errorf("%d invitations are marked, want that of gone@fund.example: %s", marked, page)
	}
	if page, marked := invite("gone@fund.example", nil); marked != 0 {
		t.Errorf("an invitation that arrived anew is marked: %s", page)
	}
}

func TestStatusesAreKeptOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	member, _ := s.visits("Mia Member", account.RoleMember)
	at := s.consoleBase() + "/team/statuses"
	names := func() string {
		var all []string
		for i := 0; s.get(s.statusesPath(), s.key).at("data."+strconv.Itoa(i)) != nil; i++ {
			all = append(all, s.get(s.statusesPath(), s.key).text("data."+strconv.Itoa(i)+".name"))
		}
		return strings.Join(all, ", ")
	}
	ids := func(i int) string { return s.get(s.statusesPath(), s.key).text("data." + strconv.Itoa(i) + ".id") }
	owner.page(at, "Screening", "/place", "/delete", "Add a status", `value="#3B82F6"`)
	member.page(at, "Screening", "!<form class=\"editor\"", "!/place", "!/delete", "!Add a status")
	for _, deed := range []string{"/add", "/" + ids(0) + "/change", "/" + ids(0) + "/place", "/" + ids(0) + "/delete"} {
		member.submit(at+deed, url.Values{"name": {"Mine"}}).want(http.StatusForbidden)
		owner.elsewhere(at+deed, url.Values{"name": {"Mine"}}).want(http.StatusForbidden)
	}
	const all = "New, Screening, First Meeting, Due Diligence, Term Sheet, Invested, Passed"
	if got := names(); got != all {
		t.Fatalf("after refusals the statuses are %s", got)
	}
	owner.submit(at+"/add", url.Values{"name": {" "}, "color": {"#112233"}}).says(http.StatusBadRequest, "Name is empty")
	owner.submit(at+"/add", url.Values{"name": {"A"}, "color": {"red"}}).says(http.StatusBadRequest, "#RRGGBB")
	owner.done(owner.submit(at+"/add", url.Values{
		"name": {"<i>Later</i>"}, "color": {"#112233"},
		"description": {"one day"},
	}),
		"The status is added", "&lt;i&gt;Later", "!<i>Later", "one day", "#112233")
	owner.done(owner.submit(at+"/"+ids(7)+"/change", url.Values{
		"name": {"Later"}, "color": {"#445566"},
		"is_default": {"on"},
	}), "The status is changed", "#445566", "!one day")
	owner.done(owner.submit(at+"/"+ids(7)+"/place", url.Values{"before": {ids(0)}}), "The order is changed")
	owner.done(owner.submit(at+"/"+ids(1)+"/place", url.Values{"before": {""}}), "The order is changed")
	if got := names(); got != "Later, Screening, First Meeting, Due Diligence, Term Sheet, Invested, Passed, New" {
		t.Errorf("the statuses are %s", got)
	}
	owner.submit(at+"/"+ids(0)+"/place", url.Values{"before": {"x"}}).want(http.StatusNotFound)
	id := s.company(s.key, part{"company_status_id", "", ids(0)})
	owner.submit(at+"/"+ids(0)+"/delete", nil).says(http.StatusConflict, "name another to move them to")
	target := ids(1)
	owner.done(owner.submit(at+"/"+ids(0)+"/delete", url.Values{"move_to": {target}}), "The status is deleted", "!Later")
	if got := s.get(companies+"/"+id, s.key).at("data.company.company_status_id"); got != target {
		t.Errorf("the company has the status %v", got)
	}
}

func TestFieldsAreKeptOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	member, _ := s.visits("Mia Member", account.RoleMember)
	at := s.consoleBase() + "/team/fields"
	sector := url.Values{
		"name": {"<b>Sector</b>"}, "field_type": {"select"},
		"options": {"Climate\r\n\r\n Health \n<script>"}, "required": {"on"},
	}
	member.submit(at+"/add", sector).want(http.StatusForbidden)
	owner.submit(at+"/add", url.Values{"name": {"Sector"}, "field_type": {"select"}}).says(http.StatusBadRequest,
		"are needed")
	owner.done(owner.submit(at+"/add", sector), "The field is added", "&lt;b&gt;Sector",
		"Climate, Health, &lt;script&gt;", "required", "One of the options", "!<script>")
	owner.submit(at+"/add", sector).says(http.StatusConflict, "another field has this name")
	owner.done(owner.submit(at+"/add", url.Values{"name": {"Round"}, "field_type": {"text"}}), "Round")
	id := func(i int) string {
		return s.get(s.accountPath("company-settings"), s.key).text("data.fields." + strconv.Itoa(i) + ".id")
	}
	member.page(at, "Climate, Health", "!<form class=\"editor\"", "!/place")
	for _, deed := range []string{"change", "place", "delete"} {
		member.submit(at+"/"+id(0)+"/"+deed, sector).want(http.StatusForbidden)
		owner.elsewhere(at+"/"+id(0)+"/"+deed, sector).want(http.StatusForbidden)
	}
	owner.done(owner.submit(at+"/"+id(1)+"/place", url.Values{"before": {id(0)}}), "The order is changed")
	owner.done(owner.submit(at+"/"+id(0)+"/change", url.Values{"name": {"Stage"}, "field_type": {"number"}}),
		"The field is changed", "Stage", "Number", "!Round")
	first := id(0)
	for range 2 { // the second time it is gone already
		owner.done(owner.submit(at+"/"+first+"/delete", nil), "The field is deleted")
	}
	if n := s.count("field_settings"); n != 1 {
		t.Errorf("%d fields are left", n)
	}
}

func TestTheTeamsPagesAreItsMembersAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	eve := s.signIn(s.withPassword())
	stranger, _ := s.stranger()
	other := "/app/" + stranger.ID.String() + "/team"
	before := s.count("memberships") + s.count("company_statuses") + s.count("field_settings") + s.count("invitations")
	for _, page := range []string{"", "/statuses", "/fields"} {
		if got := eve.open(other + page).want(http.StatusNotFound); strings.Contains(string(got.Raw), "Elsewhere") {
			t.Errorf("%s shows %s", page, got.Raw)
		}
		(&browser{server: s}).open(other + page).want(http.StatusSeeOther)
	}
	all := url.Values{"name": {"Mine"}, "email": {"eve@fund.example"}, "role": {"owner"}, "field_type": {"text"}}
	for _, deed := range []string{"/invite", "/statuses/add", "/fields/add"} {
		eve.submit(other+deed, all).want(http.StatusNotFound)
		(&browser{server: s}).submit(other+deed, all).want(http.StatusSeeOther)
	}
	foreign := testkit.Texts(t, s.dbURL, "SELECT id FROM company_statuses WHERE account_id = $1 LIMIT 1", stranger.ID)
	eve.submit(s.consoleBase()+"/team/statuses/"+foreign[0]+"/delete", nil).want(http.StatusNotFound)
	if after := s.count("memberships") + s.count("company_statuses") + s.count("field_settings") +
		s.count("invitations"); after != before {
		t.Errorf("there are %d things where %d were", after, before)
	}
}
