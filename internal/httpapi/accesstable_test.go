package httpapi_test

import (
	"maps"

	"github.com/google/uuid"
)

// accessTable returns, for each route, a request and the status that each kind of caller gets.
func accessTable() []access {
	var (
		team    = guarded(403, 200, 200, 200, 200)
		adds    = guarded(403, 201, 201, 201, 201)
		lead    = guarded(403, 403, 403, 200, 200)
		leadAdd = guarded(403, 403, 403, 201, 201)
		sighted = guarded(403, 404, 200, 200, 200)
		sees    = guarded(403, 404, 201, 201, 201)
		cites   = guarded(403, 400, 201, 201, 201)
		takes   = guarded(403, 202, 202, 202, 202)
		any200  = guarded(200, 200, 200, 200, 200)
		any403  = guarded(403, 403, 403, 403, 403)
		any400  = guarded(400, 400, 400, 400, 400)
		member1 = map[string]any{"role": "member"}
	)
	const acc, co = "/api/v1/accounts/:account_id/", "/api/v1/companies"
	about := func(path string, more map[string]any) func(*scene) ask {
		return func(sc *scene) ask {
			body := map[string]any{"company_id": sc.company}
			maps.Copy(body, more)
			return ask{sc.accountPath(path), body}
		}
	}
	// In a line: the route, what is asked of it, what each caller gets, and what those who see the company find in the
	// answer.
	return []access{
		{"GET /healthz", open("/healthz"), everybody(200), ""},
		{"GET /readyz", open("/readyz"), everybody(200), ""},
		{"GET /docs", open("/docs"), everybody(200), ""},
		{"GET /docs/*file", open("/docs/start.js"), everybody(200), ""},
		{"GET /api/v1/openapi.json", open("/api/v1/openapi.json"), everybody(200), ""},
		{"GET /metrics", open("/metrics"), everybody(401), ""},
		{"ANY /admin/queues", open("/admin/queues"), everybody(401), ""},
		{"ANY /admin/queues/*path", open("/admin/queues/api/queues"), everybody(401), ""},
		{"GET /admin/system", open("/admin/system"), everybody(401), ""},
		{"POST /admin/system/retry", func(*scene) ask { return ask{"/admin/system/retry", multi(nil)} }, everybody(401), ""},
		{"GET /files/*path", open("/files/companies/{company}/{attachment}"), everybody(403), ""},
		{"GET /s/:code", open("/s/{code}"), everybody(200), ""},
		{"GET /invitations/:token", open("/invitations/{token}"), everybody(200), ""},
		{"POST /invitations/:token", func(*scene) ask { return ask{"/invitations/unknown", multi(nil)} }, everybody(404), ""},
		{"GET /s/:code/deck/:company/:page", open("/s/{code}/deck/{company}/1"), everybody(404), ""},
		{
			"POST /s/:code/time", func(sc *scene) ask { return ask{"/s/" + sc.ids["code"] + "/time", multi(nil)} },
			everybody(404), "",
		},
		{"POST /s/:code", func(sc *scene) ask { return ask{"/s/" + sc.ids["code"], multi(nil)} }, everybody(303), ""},

		{"GET /", open("/"), everybody(200), ""},
		{"GET /signin", open("/signin"), everybody(200), ""},
		{"POST /signin", func(*scene) ask { return ask{"/signin", multi(nil)} }, everybody(400), ""},
		{"GET /signin/:token", open("/signin/unknown"), everybody(410), ""},
		{"POST /signin/:token", func(*scene) ask { return ask{"/signin/unknown", multi(nil)} }, everybody(410), ""},
		{"POST /signout", func(*scene) ask { return ask{"/signout", multi(nil)} }, everybody(303), ""},
		{"GET /forgot", open("/forgot"), everybody(200), ""},
		{"POST /forgot", func(*scene) ask { return ask{"/forgot", multi(nil)} }, everybody(400), ""},
		{"GET /app", open("/app"), everybody(303), ""},
		{"GET /app/*page", open("/app/unknown/board"), everybody(303), ""},
		{"POST /app/*page", func(*scene) ask { return ask{"/app/unknown", multi(nil)} }, everybody(404), ""},
		{"GET /assets/*file", open("/assets/console.css"), everybody(200), ""},

		{"POST /mcp", func(*scene) ask { return ask{"/mcp", `{}`} }, guarded(400, 400, 400, 400, 400), ""},
		{
			"POST /hooks/:token", func(sc *scene) ask { return ask{"/hooks/" + sc.ids["hook"], `{"From":"a@x.example"}`} },
			everybody(401), "",
		},
		{"POST /api/v1/auth/login", below("auth/login", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/register", below("auth/register", "{}"), everybody(400), ""},
		{"POST /api/v1/invitations/accept", below("invitations/accept", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/logout", below("auth/logout", nil), any200, ""},
		{"GET /api/v1/auth/me", below("auth/me", nil), any200, ""},
		{"POST /api/v1/auth/password", below("auth/password", "{}"), any400, ""},
		{"POST /api/v1/auth/password/reset", below("auth/password/reset", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/password/reset/confirm", below("auth/password/reset/confirm", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/email/verify", below("auth/email/verify", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/email/verify/send", below("auth/email/verify/send", nil), guarded(409, 409, 409, 409, 409), ""},
		{"POST /api/v1/auth/totp", below("auth/totp", `{"password":"a"}`), any403, ""},
		{"POST /api/v1/auth/totp/confirm", below("auth/totp/confirm", `{"code":"123456"}`), any403, ""},
		{"DELETE /api/v1/auth/totp", below("auth/totp", `{"password":"a"}`), any403, ""},
		{"GET /api/v1/auth/sessions", below("auth/sessions", nil), any200, ""},
		{"DELETE /api/v1/auth/sessions", below("auth/sessions", nil), any200, ""},
		{
			"DELETE /api/v1/auth/sessions/:id", below("auth/sessions/"+uuid.NewString(), nil), guarded(404, 404, 404, 404, 404),
			"",
		},
		{"GET /verify/:token", open("/verify/unknown"), everybody(200), ""},
		{"POST /verify/:token", func(*scene) ask { return ask{"/verify/unknown", multi(nil)} }, everybody(410), ""},
		{"GET /reset/:token", open("/reset/unknown"), everybody(200), ""},
		{"POST /reset/:token", func(*scene) ask { return ask{"/reset/unknown", multi(nil)} }, everybody(400), ""},

		{"GET /api/v1/accounts", below("accounts", nil), any200, ""},
		{"GET " + acc + "company-statuses", at("company-statuses", nil), team, "Other"},
		{"POST " + acc + "company-statuses", at("company-statuses", `{"name":"New one"}`), leadAdd, ""},
		{"PATCH " + acc + "company-statuses/:id", at("company-statuses/{status}", `{"name":"Changed"}`), lead, ""},
		{"DELETE " + acc + "company-statuses/:id", at("company-statuses/{status}", nil), lead, ""},
		{"GET " + acc + "company-settings", at("company-settings", nil), team, ""},
		{"POST " + acc + "company-settings", fieldOf, leadAdd, ""},
		{"PATCH " + acc + "company-settings/:id", at("company-settings/{field}", `{"required":true}`), lead, ""},
		{"DELETE " + acc + "company-settings/:id", at("company-settings/{field}", nil), lead, ""},
		{"GET " + acc + "integrations", at("integrations", nil), lead, ""},
		{"POST " + acc + "integrations", at("integrations", `{"kind":"tally","name":"Forms"}`), leadAdd, ""},
		{"PATCH " + acc + "integrations/:id", at("integrations/{integration}", `{"enabled":false}`), lead, ""},
		{"DELETE " + acc + "integrations/:id", at("integrations/{integration}", nil), lead, ""},
		{"POST " + acc + "integrations/:id/rotate", at("integrations/{integration}/rotate", nil), lead, ""},
		{"GET " + acc + "integrations/:id/receipts", at("integrations/{integration}/receipts", nil), lead, ""},
		{"GET " + acc + "members", at("members", nil), team, "Eve Extra"},
		{"PATCH " + acc + "members/:id", at("members/{membership}", member1), lead, ""},
		{"DELETE " + acc + "members/:id", at("members/{membership}", nil), lead, ""},
		{"POST " + acc + "invitations", at("invitations", `{"email":"grace@fund.example"}`), leadAdd, ""},
		{"DELETE " + acc + "invitations/:id", at("invitations/{invitation}", nil), lead, ""},
		{"GET " + acc + "meeting-minutes", at("meeting-minutes", nil), team, name},
		{"POST " + acc + "meeting-minutes", about("meeting-minutes", map[string]any{"title": "Call"}), cites, ""},
		{"GET " + acc + "meeting-minutes/:meeting_minutes_id", at("meeting-minutes/{minutes}", nil), sighted, name},
		{
			"PATCH " + acc + "meeting-minutes/:meeting_minutes_id", at("meeting-minutes/{minutes}", `{"processed":true}`),
			sighted, name,
		},
		{"DELETE " + acc + "meeting-minutes/:meeting_minutes_id", at("meeting-minutes/{minutes}", nil), sighted, ""},
		{"GET " + acc + "form-submissions", at("form-submissions", nil), team, name},
		{"POST " + acc + "form-submissions", at("form-submissions", map[string]any{"data": answers("b")}), adds, ""},
		{"GET " + acc + "form-submissions/:submission_id", at("form-submissions/{submission}", nil), sighted, name},
		{
			"PATCH " + acc + "form-submissions/:submission_id", at("form-submissions/{submission}", `{"processed":true}`),
			sighted, name,
		},
		{"GET " + acc + "emails", at("emails", nil), team, "Team mail"},
		{"GET " + acc + "emails/:email_id", at("emails/{email}", nil), team, "{company}"},
		{"PATCH " + acc + "emails/:email_id", at("emails/{email}", `{"processed":true}`), team, "{company}"},
		{"POST " + acc + "imports/emails", at("imports/emails", ndjson(`{"from_email":"ada@acme.example"}`)), takes, ""},
		{
			"POST " + acc + "imports/form-submissions", at("imports/form-submissions", ndjson(`{"data":[{"key":"a"}]}`)), takes,
			"",
		},
		{"POST " + acc + "imports/companies", at("imports/companies", ndjson(`{"text":"Another"}`)), takes, ""},
		{
			"POST " + acc + "imports/account", at("imports/account", ndjson(`{"type":"end","data":{}}`)),
			guarded(403, 403, 403, 202, 202), "",
		},
		{"POST " + acc + "imports/account/files", func(sc *scene) ask {
			line := `{"type":"file","data":{"id":"` + sc.ids["status"] + `","company_id":"` + sc.company +
				`","role":"attachment","attachment_type":"file",
				"position":1,"title":"a","size_bytes":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","path":"files/a",
				"created_at":"2026-03-02T10:00:00Z","updated_at":"2026-03-02T10:00:00Z"}}`
			return ask{sc.accountPath("imports/account/files"), multi{{"line", "", line}, {"file", "a.txt", ""}}}
		}, lead, ""},
		{"GET " + acc + "imports", at("imports", nil), team, "{import}"},
		{"GET " + acc + "imports/:import_id", at("imports/{import}", nil), team, "{import}"},
		{"GET " + acc + "imports/:import_id/errors", at("imports/{import}/errors", nil), team, "from_email is required"},
		{"GET " + acc + "imports/:import_id/events", at("imports/{import}/events", nil), team, "{import}"},
		{"POST " + acc + "imports/:import_id/undo", at("imports/{import}/undo", nil), takes, ""},
		{"GET " + acc + "imports/:import_id/kept", at("imports/{import}/kept", nil), team, ""},
		{
			"POST " + acc + "imports/:import_id/cancel", at("imports/{import}/cancel", nil), guarded(403, 409, 409, 409, 409),
			"",
		},
		{"GET " + acc + "shared-links", at("shared-links", nil), team, name},
		{"POST " + acc + "shared-links", func(sc *scene) ask {
			return ask{
				sc.accountPath("shared-links"),
				map[string]any{"companies": []any{map[string]any{"company_id": sc.company, "permissions": "view"}}},
			}
		}, cites, ""},
		{"GET " + acc + "shared-links/:id", at("shared-links/{link}", nil), sighted, name},
		{"DELETE " + acc + "shared-links/:id", at("shared-links/{link}", nil), sighted, ""},
		{"GET " + acc + "saved-views", at("saved-views", nil), team, "Everybody's"},
		{"POST " + acc + "saved-views", at("saved-views", `{"name":"Mine"}`), guarded(403, 201, 201, 201, 201), ""},
		{
			"PATCH " + acc + "saved-views/:id", at("saved-views/{ownView}", `{"search":"a"}`), guarded(403, 404, 404, 404, 200),
			"",
		},
		{"DELETE " + acc + "saved-views/:id", at("saved-views/{ownView}", nil), guarded(403, 404, 404, 404, 200), ""},
		{"GET " + acc + "webhooks", at("webhooks", nil), lead, ""},
		{"POST " + acc + "webhooks", at("webhooks", `{"url":"https://hooks.example/b"}`), leadAdd, ""},
		{"GET " + acc + "webhooks/:id", at("webhooks/{webhook}", nil), lead, ""},
		{"PATCH " + acc + "webhooks/:id", at("webhooks/{webhook}", `{"description":"a"}`), lead, ""},
		{"POST " + acc + "webhooks/:id/rotate", at("webhooks/{webhook}/rotate", nil), lead, ""},
		{"POST " + acc + "webhooks/:id/test", at("webhooks/{webhook}/test", nil), guarded(403, 403, 403, 202, 202), ""},
		{
			"POST " + acc + "webhooks/:id/replay", at("webhooks/{webhook}/replay", `{"since":"2026-01-01T00:00:00Z"}`),
			guarded(403, 403, 403, 202, 202), "",
		},
		{"GET " + acc + "webhooks/:id/deliveries", at("webhooks/{webhook}/deliveries", nil), lead, ""},
		{
			"POST " + acc + "webhooks/:id/deliveries/:delivery_id/replay",
			at("webhooks/{webhook}/deliveries/{delivery}/replay", nil), guarded(403, 403, 403, 409, 409), "",
		},
		{"DELETE " + acc + "webhooks/:id", at("webhooks/{webhook}", nil), lead, ""},
		{"GET " + acc + "changes", at("changes?after=now", nil), team, ""},
		{"GET " + acc + "changes/stream", at("changes/stream?limit=1", nil), team, "kind"},
		{"GET " + acc + "export", at("export", nil), lead, ""},
		{"GET " + acc + "audit-log", at("audit-log", nil), lead, ""},
		{"GET " + acc + "dashboard", at("dashboard", nil), team, name},

		{"GET /api/v1/api-keys", below("api-keys", nil), any200, ""},
		{"POST /api/v1/api-keys", below("api-keys", `{"name":"mine"}`), guarded(201, 201, 201, 201, 201), ""},
		{"DELETE /api/v1/api-keys/:id", below("api-keys/{key}", nil), guarded(404, 404, 404, 404, 200), ""},

		{"GET " + co, below("companies?search="+name, nil), any200, name},
		{"POST " + co, func(sc *scene) ask {
			return ask{companies, map[string]any{"account_id": sc.account.ID, "name": "Another"}}
		}, adds, ""},
		{"POST " + co + "/upload/ai", func(sc *scene) ask {
			return ask{companies + "/upload/ai", multi{{"text", "", "Another"}, {"account_id", "", sc.account.ID.String()}}}
		}, team, ""},
		{"GET " + co + "/:id", below("companies/{company}", nil), sighted, name},
		{"PATCH " + co + "/:id", below("companies/{company}", `{"notes":"n"}`), sighted, name},
		{"DELETE " + co + "/:id", below("companies/{company}", nil), sighted, ""},
		{"GET " + co + "/:id/analysis", below("companies/{company}/analysis", nil), sighted, `"analysis"`},
		{
			"PATCH " + co + "/:id/analysis", below("companies/{company}/analysis", map[string]any{"reviewed": []string{}}),
			sighted, `"analysis"`,
		},
		{"POST " + co + "/:id/analysis", below("companies/{company}/analysis", nil), sighted, name},
		{"GET " + co + "/:id/download", below("companies/{company}/download", nil), sighted, name},
		{"GET " + co + "/:id/attachments", below("companies/{company}/attachments", nil), sighted, name},
		{
			"POST " + co + "/:id/attachments", below("companies/{company}/attachments", multi{{"file", "a.txt", "a"}}), sees,
			"",
		},
		{
			"DELETE " + co + "/:id/attachments/:attachment_id", below("companies/{company}/attachments/{attachment}", nil),
			sighted, "",
		},
		{
			"GET " + co + "/:id/attachments/:attachment_id/download",
			below("companies/{company}/attachments/{attachment}/download", nil), sighted, name,
		},
		{"GET " + co + "/:id/sources", below("companies/{company}/sources", nil), sighted, "person"},
		{
			"POST " + co + "/:id/merge", func(sc *scene) ask { // with itself
				return ask{companies + "/" + sc.company + "/merge", map[string]any{"into_company_id": sc.company}}
			},
			guarded(403, 404, 400, 400, 400), "",
		},
		{"GET " + co + "/:id/merges", below("companies/{company}/merges", nil), sighted, `"merges"`},
		{
			"POST " + co + "/:id/unmerge", below("companies/{company}/unmerge", nil), guarded(403, 404, 409, 409, 409), "",
		},
		{"GET " + co + "/:id/shares", below("companies/{company}/shares", nil), sighted, "Eve Extra"},
		{"POST " + co + "/:id/shares", func(sc *scene) ask {
			return ask{companies + "/" + sc.company + "/shares", map[string]any{"user_id": sc.ids["extra"]}}
		}, sees, ""},
		{"DELETE " + co + "/:id/shares/:user_id", below("companies/{company}/shares/{extra}", nil), sighted, ""},
	}
}
