package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestAgentsDoWhatTheirKeyMayDo(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key)
	minutes := s.post(s.accountPath("meeting-minutes"), s.key,
		map[string]any{"title": "Call", "company_id": id}).text("data.meeting_minutes.id")
	reads, writes := whatToolsTake(id, minutes)
	reader := s.agent(s.keyWith("read"))
	for tool, arguments := range reads {
		reader.ask(tool, arguments)
	}
	for tool, arguments := range writes {
		reader.refused(tool, arguments,
			"scopes: the key needs the scope write. The API key may not do this: ask the user for a key that has the scope.")
	}
	if s.count("companies") != 1 || s.count("meeting_minutes") != 1 {
		t.Error("a key that may only read has written")
	}
	s.agent(s.keyWith("admin")).refused("search_companies", nil, "the key needs the scope read")

	elsewhere, key := s.stranger()
	stranger := s.agent(key)
	for tool, arguments := range map[string]map[string]any{
		"get_company": reads["get_company"], "list_records": reads["list_records"], "read_text": {"kind": "pitch", "id": id},
		"correct_company": writes["correct_company"], "move_company": writes["move_company"], "add_note": writes["add_note"],
		"merge_companies": writes["merge_companies"], "unmerge_company": writes["unmerge_company"],
	} {
		stranger.refused(tool, arguments, "There is none with this id, or the user may not see it")
	}
	stranger.refused("read_text", reads["read_text"], "There is none with this id")
	stranger.refused("add_company", map[string]any{"text": "x", "account_id": s.account.ID}, "list_accounts find ids")
	if found, _ := stranger.ask("search_companies", nil); len(found.at("companies").([]any)) != 0 {
		t.Errorf("a stranger finds %s", found.Raw)
	}
	if found, _ := stranger.ask("list_accounts", nil); found.text("accounts.0.id") != elsewhere.ID.String() ||
		found.at("accounts.1") != nil {
		t.Errorf("a stranger's accounts are %s", found.Raw)
	}
	if got := s.get(companies+"/"+id, s.key); got.text("data.company.name") == "Borealis" {
		t.Error("a stranger has changed a company")
	}
}

func TestARevokedKeyEndsAnAgent(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := s.post("/api/v1/api-keys", s.key, map[string]any{"name": "agent"}).want(http.StatusCreated)
	a := s.agent(made.text("data.key"))
	a.ask("list_accounts", nil)
	s.erase("/api/v1/api-keys/"+made.text("data.api_key.id"), s.key).want(http.StatusOK)
	if _, err := a.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_accounts"}); err == nil {
		t.Error("a tool answers a key that was revoked")
	}
	if _, err := s.dial("mk_none"); err == nil {
		t.Error("a key that is none may list tools")
	}
}

// TestRequestsOfToolsAreThoseOfTheAgent checks that the requests that a tool sends are logged with the id of the
// agent's request and the key, are in the audit log, and count for the limits of the key.
func TestRequestsOfToolsAreThoseOfTheAgent(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t, 0, 12))
	awayFromTheMinutesEnd()
	id := s.company(s.key)
	key := s.keyWith("read", "write")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"move_company","arguments":{"company_id":"` +
		id + `","status":"Passed"}}}`
	mine := request{Method: http.MethodPost, Path: "/mcp", Key: key, Body: call, Header: http.Header{
		"Accept": {"application/json, text/event-stream"}, "X-Request-Id": {"agents-own"},
	}}
	_, left, _ := s.send(mine).want(http.StatusOK).limits() // of the agent's request; the three of the tool follow
	var lines []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, `"request_id":"agents-own"`) && strings.Contains(line, `"route"`) {
			lines = append(lines, line)
		}
	}
	if len(lines) != 4 || strings.Count(lines[0], "request_id") != 1 ||
		!strings.Contains(lines[2], `"key_id":"`+s.keyID(key).String()) {
		t.Errorf("logged %q", lines)
	}
	s.mustTell("company.updated", s.owner.ID.String(), id, "")
	for range 2 {
		s.send(mine).want(http.StatusOK)
	}
	if after := s.send(mine); left != 11 || after.Status != http.StatusTooManyRequests {
		t.Errorf("%d were left after the first; in the end %d %s", left, after.Status, after.Raw)
	}
}

func TestRefusalsOfTheProtocolAreJSON(t *testing.T) {
	t.Parallel()
	s := start(t)
	both := "application/json, text/event-stream"
	for name, tc := range map[string]struct {
		body, accept string
		status       int
		code         string
		id           any // of the answer; nil: none
	}{
		"unknown method":     {`{"jsonrpc":"2.0","id":1,"method":"deals/list","params":{}}`, both, 400, "-32601", json.Number("1")},
		"with a text as id":  {`{"jsonrpc":"2.0","id":"a","method":"deals/list","params":{}}`, both, 400, "-32601", "a"},
		"no params":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, both, 400, "-32600", json.Number("1")},
		"no JSON":            {`{"jsonrpc":`, both, 400, "-32700", nil},
		"an empty batch":     {`[]`, both, 400, "-32700", nil},
		"no stream accepted": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "text/plain", 400, "-32600", nil},
		"too large":          {strings.Repeat(" ", 65<<10), both, 413, "-32600", nil},
	} {
		got := s.send(request{
			Method: http.MethodPost, Path: "/mcp", Key: s.key, Body: tc.body, Header: http.Header{"Accept": {tc.accept}},
		}).want(tc.status)
		if code := fmt.Sprint(got.at("error.code")); code != tc.code || got.at("jsonrpc") != "2.0" ||
			got.text("error.message") == "" || got.at("id") != tc.id ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %s", name, got.Header.Get("Content-Type"), got.Raw)
		}
	}
}

func TestTheDoorOfAgents(t *testing.T) {
	t.Parallel()
	s := start(t)
	ping := func(change func(*request)) reply {
		r := request{
			Method: http.MethodPost, Path: "/mcp", Key: s.key, Body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			Header: http.Header{
				"Accept": {"application/json, text/event-stream"},
			},
		}
		change(&r)
		return s.send(r)
	}
	header := func(name, value string) func(*request) { return func(r *request) { r.Header.Set(name, value) } }
	ping(func(*request) {}).want(http.StatusOK)
	ping(header("Origin", "https://deals.example")).want(http.StatusOK)
	for _, origin := range []string{"https://evil.example", "http://deals.example", "null", s.url} {
		ping(header("Origin", origin)).refused(http.StatusForbidden, "Access denied to this resource", "cross_origin", "")
	}
	_, cookie := s.register("ada@fund.example")
	ping(func(r *request) {
		r.Key = ""
		r.Header.Set("Cookie", cookie.Name+"="+cookie.Value)
	}).refused(http.StatusUnauthorized, "Invalid or expired API key", "missing_api_key", "")
	got := ping(func(r *request) { r.Key = "" }).want(http.StatusUnauthorized)
	if got.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("refused with %v", got.Header)
	}
	ping(func(r *request) { r.Body = strings.Repeat(" ", 65<<10) }).want(http.StatusRequestEntityTooLarge)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		ping(func(r *request) { r.Method, r.Body = method, nil }).want(http.StatusMethodNotAllowed)
	}
	// A stream of news of the tools, which never change, ends at once: it would outlive the drain of a process.
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sent := s.request(http.MethodPost, "/mcp", strings.NewReader(listen)).WithContext(ctx)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + s.key, "Accept": "application/json, text/event-stream",
		"Content-Type":         "application/json",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen",
	} {
		sent.Header.Set(name, value)
	}
	if got := s.do(sent); !strings.Contains(string(got.Raw), `"resultType":"complete"`) {
		t.Errorf("answered %d %s", got.Status, got.Raw)
	}
}
