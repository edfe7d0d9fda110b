package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/testkit"
)

func (s *server) accountPath(rest string) string {
	return "/api/v1/accounts/" + s.account.ID.String() + "/" + rest
}

// change sends a PATCH, erase a DELETE.
func (s *server) change(path, key string, body any) reply {
	s.Helper()
	return s.send(request{Method: http.MethodPatch, Path: path, Key: key, Body: body})
}

func (s *server) erase(path, key string) reply {
	s.Helper()
	return s.send(request{Method: http.MethodDelete, Path: path, Key: key})
}

// membership returns the id of a user's membership.
func (s *server) membership(user string) string {
	s.Helper()
	for _, m := range s.get(s.accountPath("members"), s.key).want(http.StatusOK).at("data.members").([]any) {
		if member := m.(map[string]any); member["user_id"] == user {
			return member["id"].(string)
		}
	}
	s.Fatalf("%s is no member", user)
	return ""
}

func TestMembersAreListedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	s := start(t)
	mia, key := s.colleague("Mia Member", "member")
	listed := s.get(s.accountPath("members"), key).want(http.StatusOK)
	if listed.text("data.members.0.user_id") != s.owner.ID.String() || listed.text("data.members.0.role") != "owner" ||
		listed.at("data.members.2") != nil {
		t.Errorf("listed %s", listed.Raw)
	}
	if invitations, ok := listed.at("data.invitations").([]any); !ok || len(invitations) != 0 {
		t.Errorf("listed %s", listed.Raw)
	}
	id, private := s.membership(mia.ID.String()), s.company(key, part{Name: "visibility", Value: "private"})
	changed := s.change(s.accountPath("members/"+id), s.key, `{"role":"admin","user_id":"x"}`).want(http.StatusOK)
	if changed.text("data.member.role") != "admin" || changed.text("data.member.email") != mia.Email ||
		changed.text("data.member.id") != id {
		t.Errorf("changed to %s", changed.Raw)
	}
	s.get("/api/v1/companies/"+private, s.key).want(http.StatusNotFound)
	if gone := s.erase(s.accountPath("members/"+id), s.key).want(http.StatusOK); gone.text("data.message") == "" {
		t.Errorf("removed with %s", gone.Raw)
	}
	s.get(s.accountPath("members"), key).refused(http.StatusForbidden, "Access denied to this resource", "access_denied",
		"")
	s.get("/api/v1/companies/"+private, key).refused(http.StatusForbidden, "Access denied to this resource",
		"access_denied", "")
	s.get("/api/v1/companies/"+private, s.key).want(http.StatusOK)
	if mine := s.get("/api/v1/accounts", key).want(http.StatusOK); mine.at("data.accounts.0") != nil {
		t.Errorf("he is still in %s", mine.Raw)
	}
}

func TestMembersAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, admin := s.colleague("Ada Admin", "admin")
	mia, member := s.colleague("Mia Member", "member")
	elsewhere, stranger := s.stranger()
	owners, members := s.accountPath("members/"+s.membership(s.owner.ID.String())),
		s.accountPath("members/"+s.membership(mia.ID.String()))
	foreign := "/api/v1/accounts/" + elsewhere.ID.String() + "/members/" + s.membership(mia.ID.String())
	for name, tc := range map[string]struct {
		method, path, key, body string
		status                  int
		code, field             string
	}{
		"no role":                   {"PATCH", members, s.key, `{}`, 400, "invalid_field", "role"},
		"unknown role":              {"PATCH", members, s.key, `{"role":"Owner"}`, 400, "invalid_field", "role"},
		"fields before the account": {"PATCH", foreign, s.key, `{"role":5}`, 400, "invalid_field", "role"},
		"by a member":               {"PATCH", members, member, `{"role":"admin"}`, 403, "access_denied", ""},
		"by a stranger":             {"PATCH", members, stranger, `{"role":"admin"}`, 403, "access_denied", ""},
		"an admin makes an owner":   {"PATCH", members, admin, `{"role":"owner"}`, 403, "access_denied", ""},
		"an admin changes an owner": {"PATCH", owners, admin, `{"role":"member"}`, 403, "access_denied", ""},
		"the last owner":            {"PATCH", owners, s.key, `{"role":"member"}`, 409, "last_owner", "role"},
		"nobody": {
			"PATCH", s.accountPath("members/" + missing()), s.key, `{"role":"admin"}`, 404, "not_found", "",
		},
		"malformed": {
			"PATCH", s.accountPath("members/42"), s.key, `{"role":"admin"}`, 404, "not_found", "",
		},
		"of another account":          {"PATCH", foreign, stranger, `{"role":"admin"}`, 404, "not_found", ""},
		"remove by a member":          {"DELETE", owners, member, "", 403, "access_denied", ""},
		"remove by a stranger":        {"DELETE", members, stranger, "", 403, "access_denied", ""},
		"remove an owner as admin":    {"DELETE", owners, admin, "", 403, "access_denied", ""},
		"remove the last owner":       {"DELETE", owners, s.key, "", 409, "last_owner", ""},
		"remove nobody":               {"DELETE", s.accountPath("members/" + missing()), s.key, "", 404, "not_found", ""},
		"remove from another account": {"DELETE", foreign, stranger, "", 404, "not_found", ""},
		"list of another account":     {"GET", s.accountPath("members"), stranger, "", 403, "access_denied", ""},
		"list of no account": {
			"GET", "/api/v1/accounts/" + missing() + "/members", s.key, "", 404, "not_found", "",
		},
		"invite by a member": {
			"POST", s.accountPath("invitations"), member, `{"email":"x@y.example"}`, 403, "access_denied", "",
		},
		"invite an owner as admin": {
			"POST", s.accountPath("invitations"), admin, `{"email":"x@y.example","role":"owner"}`, 403, "access_denied", "",
		},
		"invite a member": {
			"POST", s.accountPath("invitations"), admin, `{"email":"` + strings.ToUpper(mia.Email) + `"}`, 409,
			"already_member", "email",
		},
		"invite no address": {
			"POST", s.accountPath("invitations"), s.key, `{"email":"x"}`, 400, "invalid_field", "email",
		},
		"invite nobody": {"POST", s.accountPath("invitations"), s.key, `{}`, 400, "invalid_field", "email"},
		"invite with an unknown role": {
			"POST", s.accountPath("invitations"), s.key, `{"email":"x@y.example","role":"boss"}`, 400, "invalid_field", "role",
		},
		"revoke nothing": {
			"DELETE", s.accountPath("invitations/" + missing()), s.key, "", 404, "not_found", "",
		},
		"revoke by a member": {
			"DELETE", s.accountPath("invitations/" + missing()), member, "", 403, "access_denied", "",
		},
		"accept nothing": {"POST", "/api/v1/invitations/accept", "", `{}`, 400, "invalid_field", "token"},
		"accept an unknown token": {
			"POST", "/api/v1/invitations/accept", "", `{"token":"x","name":"X","password":"0123456789"}`, 404, "not_found", "",
		},
		"accept with a key that is bad": {
			"POST", "/api/v1/invitations/accept", "mk_x", `{"token":"x"}`, 401, "invalid_api_key", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := request{Method: tc.method, Path: tc.path, Key: tc.key}
			if tc.body != "" {
				r.Body = tc.body
			}
			messages := map[int]string{
				400: "Invalid request body", 401: "Invalid or expired API key", 403: "Access denied to this resource",
				404: "Resource not found", 409: "Conflict",
			}
			got := s.send(r)
			got.t = t
			got.refused(tc.status, messages[tc.status], tc.code, tc.field)
		})
	}
	if n, m := s.count("memberships"), s.count("invitations"); n != 4 || m != 0 {
		t.Errorf("after refusals there are %d memberships and %d invitations", n, m)
	}
	s.erase(members, member).want(http.StatusOK) // everybody may leave
}

func TestAnInvitationIsAccepted(t *testing.T) {
	t.Parallel()
	s := start(t)
	invite := func(body string) (reply, string) {
		made := s.post(s.accountPath("invitations"), s.key, body).want(http.StatusCreated)
		token, found := strings.CutPrefix(made.text("data.accept_url"), "https://deals.example/invitations/")
		if !found || len(token) < 43 {
			t.Fatalf("made %s", made.Raw)
		}
		return made, token
	}
	made, token := invite(`{"email":"new@fund.example"}`)
	if made.text("data.invitation.role") != "member" || made.text("data.invitation.invited_by") != s.owner.ID.String() ||
		made.at("data.invitation.token") != nil {
		t.Errorf("made %s", made.Raw)
	}
	listed := s.get(s.accountPath("members"), s.key).want(http.StatusOK)
	if listed.text("data.invitations.0.id") != made.text("data.invitation.id") ||
		strings.Contains(string(listed.Raw), token) {
		t.Errorf("listed %s", listed.Raw)
	}
	accept := func(token, more string) reply {
		return s.post("/api/v1/invitations/accept", "", `{"token":"`+token+`"`+more+`}`)
	}
	accept(token, "").refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "name")
	joined := accept(token, `,"name":"New","password":"`+password+`"`).want(http.StatusOK)
	cookie := joined.cookie()
	if cookie == nil || joined.text("authType") != "session" ||
		joined.text("data.accounts.0.id") != s.account.ID.String() || joined.text("data.accounts.0.role") != "member" {
		t.Errorf("joined %s", joined.Raw)
	}
	s.with(cookie, request{Path: s.accountPath("members")}).want(http.StatusOK)
	accept(token, `,"name":"New","password":"`+password+`"`).refused(http.StatusConflict, "Conflict", "invitation_used",
		"token")
	if strings.Contains(s.log.String(), token) {
		t.Error("the log tells the token")
	}

	revoked, token := invite(`{"email":"late@fund.example","role":"admin"}`)
	s.erase(s.accountPath("invitations/"+revoked.text("data.invitation.id")), s.key).want(http.StatusOK)
	accept(token, `,"name":"New","password":"`+password+`"`).want(http.StatusNotFound)
	_, token = invite(`{"email":"late@fund.example"}`)
	testkit.Exec(t, s.dbURL, "UPDATE invitations SET expires_at = now()")
	accept(token, `,"name":"New","password":"`+password+`"`).refused(http.StatusConflict, "Conflict",
		"invitation_expired", "token")
}

func TestAUserAcceptsAsHimself(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	s.prove("ada@fund.example")
	_, stranger := s.stranger()
	accept := func(r request) reply {
		made := s.post(s.accountPath("invitations"), s.key, `{"email":"ada@fund.example"}`).want(http.StatusCreated)
		url := strings.Split(made.text("data.accept_url"), "/")
		r.Method, r.Path = http.MethodPost, "/api/v1/invitations/accept"
		r.Body = map[string]any{"token": url[len(url)-1], "password": r.Body}
		return s.send(r)
	}
	accept(request{Body: "some other password"}).refused(http.StatusUnauthorized, "Invalid or expired API key",
		"invalid_credentials", "name")
	accept(request{Key: stranger, Body: "some other password"}).refused(http.StatusUnauthorized,
		"Invalid or expired API key", "invalid_credentials", "name")
	old := http.Header{"Cookie": {"dealflow_session=old"}}
	accept(request{Header: old, Body: "some other password"}).want(http.StatusUnauthorized)
	joined := accept(request{Header: http.Header{"Cookie": {"dealflow_session=" + cookie.Value}}}).want(http.StatusOK)
	var names []string
	for _, one := range joined.at("data.accounts").([]any) {
		names = append(names, one.(map[string]any)["name"].(string))
	}
	if !slices.Equal(names, []string{"Fund", "Northwind Ventures"}) || joined.text("data.user.name") != "Ada" {
		t.Errorf("joined %s", joined.Raw)
	}
}
