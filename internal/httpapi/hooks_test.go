package httpapi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// hook is an integration: its id, and the path and secret that its service has.
type hook struct {
	*server

	id, path, secret string
}

func (s *server) hook(kind string, more map[string]any) hook {
	s.Helper()
	body := map[string]any{"kind": kind, "name": "Incoming " + kind}
	maps.Copy(body, more)
	made := s.post(s.accountPath("integrations"), s.key, body).want(http.StatusCreated)
	address, err := url.Parse(made.text("data.integration.hook_url"))
	must(s.T, err)
	return hook{server: s, id: made.text("data.integration.id"), path: address.Path, secret: made.text("data.secret")}
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// hand sends a body to the hook, without a signature, and with these headers.
func (h hook) hand(contentType string, body []byte, with http.Header) reply {
	h.Helper()
	return h.send(request{Method: http.MethodPost, Path: h.path, Header: with, Body: body, Type: contentType})
}

func (h hook) handSigned(contentType string, body []byte) reply {
	h.Helper()
	return h.hand(contentType, body, headers("X-Hook-Signature", "sha256="+sign(h.secret, body)))
}

func basic(password string) http.Header {
	return headers("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("whoever:"+password)))
}

func hookSample(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/webhooks/" + name)
	must(t, err)
	return raw
}

const hookedMail = "From: Ivy Marsh <ivy@brackenfield.example>\r\nTo: deals@fund.example\r\nSubject: " +
	"Deck\r\nMessage-ID: <%s@x>\r\nDate: Thu, 12 Nov 2026 10:22:31 +0000\r\n" +
	"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nOur deck\r\n--b\r\nContent-Type: application/pdf; " +
	"name=deck.pdf\r\n\r\n%%PDF-1.4\r\n--b--\r\n"

func mailOf(id string) []byte { return fmt.Appendf(nil, hookedMail, id) }

func TestFormsComeInBySignature(t *testing.T) {
	t.Parallel()
	s := start(t)
	for kind, tc := range map[string]struct{ file, header, prefix, integration, title string }{
		"tally":    {"tally_form_response.raw.json", "Tally-Signature", "", "integration_a", "Company name"},
		"typeform": {"typeform_form_response.raw.json", "Typeform-Signature", "sha256=", "integration_b", "Company name"},
	} {
		h, body := s.hook(kind, nil), hookSample(t, tc.file)
		right := headers(tc.header, tc.prefix+sign(h.secret, body))
		accepted := h.hand("application/json", body, right).want(http.StatusAccepted)
		if accepted.text("data.status") != "accepted" || accepted.at("authType") != nil {
			t.Errorf("%s: %s", kind, accepted.Raw)
		}
		if again := h.hand("application/json", body, right).want(http.StatusOK); again.text("data.status") != "duplicate" {
			t.Errorf("%s again: %s", kind, again.Raw)
		}
		listed := s.get(s.accountPath("form-submissions?integration_type="+tc.integration), s.key)
		if fmt.Sprint(listed.at("data.pagination.total")) != "1" ||
			listed.text("data.submissions.0.data.0.label") != tc.title ||
			listed.text("data.submissions.0.data.0.value") != "Brackenfield" ||
			listed.text("data.submissions.0.created_at") != "2026-11-12T10:22:31.000000Z" ||
			listed.text("data.submissions.0.metadata.form_name") != "Founder intake" {
			t.Errorf("%s: %s", kind, listed.Raw)
		}
	}
}

// TestTheSamplesSignaturesHold checks the signing itself: the values were made elsewhere.
func TestTheSamplesSignaturesHold(t *testing.T) {
	t.Parallel()
	var samples map[string]struct{ Secret, Value string }
	var all map[string]json.RawMessage
	must(t, json.Unmarshal(hookSample(t, "signatures.json"), &all))
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return name != "tally" && name != "typeform" })
	encoded, err := json.Marshal(all)
	must(t, err)
	must(t, json.Unmarshal(encoded, &samples))
	if got := sign(samples["tally"].Secret, hookSample(t, "tally_form_response.raw.json")); got != samples["tally"].Value {
		t.Errorf("Tally's is %s, want %s", got, samples["tally"].Value)
	}
	if got := sign(samples["typeform"].Secret,
		hookSample(t, "typeform_form_response.raw.json")); "sha256="+got != samples["typeform"].Value {
		t.Errorf("Typeform's is %s, want %s", got, samples["typeform"].Value)
	}
}

func TestWithoutProofNothingComesIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	tally, typeform, mail := s.hook("tally", nil), s.hook("typeform", nil), s.hook("email", nil)
	form, answers, letter := hookSample(t, "tally_form_response.raw.json"),
		hookSample(t, "typeform_form_response.raw.json"), mailOf("1")
	for name, got := range map[string]reply{
		"Tally, none": tally.hand("application/json", form, nil),
		"Tally, another secret": tally.hand("application/json", form,
			headers("Tally-Signature", sign(typeform.secret, form))),
		"Tally, another body": tally.hand("application/json", form,
			headers("Tally-Signature", sign(tally.secret, answers))),
		"Tally, Typeform's": tally.hand("application/json", form,
			headers("Typeform-Signature", "sha256="+sign(tally.secret, form))),
		"Tally, no base64":  tally.hand("application/json", form, headers("Tally-Signature", "%%%")),
		"Tally, empty":      tally.hand("application/json", form, headers("Tally-Signature", "")),
		"Tally, the secret": tally.hand("application/json", form, basic(tally.secret)),
		"Typeform, no prefix": typeform.hand("application/json", answers,
			headers("Typeform-Signature", sign(typeform.secret, answers))),
		"mail, none":           mail.hand("message/rfc822", letter, nil),
		"mail, wrong password": mail.hand("message/rfc822", letter, basic("whsec_WRONG")),
		"mail, empty password": mail.hand("message/rfc822", letter, basic("")),
		"mail, another signature": mail.hand("message/rfc822", letter,
			headers("X-Hook-Signature", "sha256="+sign(tally.secret, letter))),
		"mail, a key of the API": mail.hand("message/rfc822", letter, headers("Authorization", "Bearer "+s.key)),
		"not even JSON":          tally.hand("application/json", []byte("{"), nil),
	} {
		if got.Status != http.StatusUnauthorized || got.text("code") != "invalid_signature" {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	if s.count("form_submissions") != 0 || s.count("emails") != 0 || len(s.stored()) != 0 {
		t.Errorf("kept %d submissions, %d emails, files %v", s.count("form_submissions"), s.count("emails"), s.stored())
	}
}

func TestMailsComeInWithTheirFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := s.hook("email", nil)
	h.hand("message/rfc822", mailOf("1"), basic(h.secret)).want(http.StatusAccepted)
	h.handSigned("message/rfc822", mailOf("1")).want(http.StatusOK)
	h.handSigned("message/rfc822", mailOf("2")).want(http.StatusAccepted)
	h.handSigned("application/json", hookSample(t, "postmark_inbound.json")).want(http.StatusAccepted)
	listed := s.get(s.accountPath("emails"), s.key)
	if found := listed.at("data.emails").([]any); len(found) != 3 {
		t.Fatalf("%d emails: %s", len(found), listed.Raw)
	}
	one := s.get(s.accountPath("emails/"+listed.text("data.emails.1.id")), s.key)
	if one.text("data.email.from_email") != "ivy@brackenfield.example" || one.text("data.email.content") != "Our deck" ||
		one.text("data.email.metadata.date") != "2026-11-12T10:22:31Z" {
		t.Errorf("%s", one.Raw)
	}
	link, err := url.Parse(one.text("data.email.attachments.0.download_url"))
	must(t, err)
	if file := s.send(request{Path: link.RequestURI()}); string(file.Raw) != "%PDF-1.4" {
		t.Errorf("the attachment is %d %q", file.Status, file.Raw)
	}
	kept := s.stored() // the deck once, two raw messages, Postmark's file
	if len(kept) != 4 {
		t.Errorf("stored %v", kept)
	}
}

// TestALargeMailIsTakenInByAWorker sends a mail that is not taken in at once.
func TestALargeMailIsTakenInByAWorker(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := s.hook("email", nil)
	large := append(mailOf("1"), strings.Repeat("a line of the epilogue\r\n", 20_000)...)
	h.handSigned("message/rfc822", large).want(http.StatusAccepted)
	h.handSigned("message/rfc822", large).want(http.StatusOK)
	s.settled(h, "done")
	listed := s.get(s.accountPath("emails"), s.key)
	if len(listed.at("data.emails").([]any)) != 1 || fmt.Sprint(listed.at("data.emails.0.attachments_count")) != "1" {
		t.Errorf("%s", listed.Raw)
	}
	h.handSigned("message/rfc822", mailOf("1")).want(http.StatusOK) // known by its Message-ID
	if left := slices.DeleteFunc(s.stored(),
		func(key string) bool { return strings.HasPrefix(key, "emails/") }); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	poison := []byte("Subject: nobody sent it\r\n\r\n" + strings.Repeat("a line\r\n", 50_000))
	h.handSigned("message/rfc822", poison).want(http.StatusAccepted)
	if failed := s.settled(h, "failed"); !strings.Contains(failed.text("data.receipts.0.error"),
		"from_email is required") || failed.at("data.receipts.0.finished_at") == nil {
		t.Errorf("%s", failed.Raw)
	}
	h.handSigned("message/rfc822", poison).want(http.StatusAccepted) // is tried again
	h.hand("message/rfc822", append(poison, 'x'), basic("wrong")).want(http.StatusUnauthorized)
	h.hand("message/rfc822", append(poison, 'x'), headers("X-Hook-Signature", "sha256="+sign("wrong", poison))).
		want(http.StatusUnauthorized)
	h.handSigned("text/html", append(poison, 'x')).want(http.StatusUnsupportedMediaType)
	if left := slices.DeleteFunc(s.stored(),
		func(key string) bool { return strings.HasPrefix(key, "emails/") }); len(left) != 0 {
		t.Errorf("refused mails were kept: %v", left)
	}
}

// TestALargeMailIsSentAgainAsWhatItIs sends a mail again that no worker could read, since it came with a wrong type.
func TestALargeMailIsSentAgainAsWhatItIs(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker = true })
	h := s.hook("email", map[string]any{"create_companies": true})
	large := append(mailOf("1"), strings.Repeat("a line of the epilogue\r\n", 20_000)...)
	h.handSigned("message/rfc822", large).want(http.StatusAccepted)
	testkit.Exec(t, s.dbURL, "UPDATE receipts SET status = 'failed', content_type = 'application/json', "+
		"create_companies = false")
	h.handSigned("message/rfc822", large).want(http.StatusAccepted)
	kept := testkit.Texts(t, s.dbURL, "SELECT concat_ws(' ', status, content_type, create_companies) FROM receipts")
	if !slices.Equal(kept, []string{"waiting message/rfc822 t"}) {
		t.Errorf("kept %q", kept)
	}
}

// settled waits until the newest receipt of a hook has this status, and returns the list of receipts.
func (s *server) settled(h hook, status string) reply {
	s.Helper()
	for range 200 {
		if got := s.get(s.accountPath("integrations/"+h.id+"/receipts"),
			s.key); got.text("data.receipts.0.status") == status {
			return got
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.Fatalf("the receipt is not %s: %s", status, s.get(s.accountPath("integrations/"+h.id+"/receipts"), s.key).Raw)
	return reply{}
}

func TestMailgunSignsForItself(t *testing.T) {
	t.Parallel()
	sent := time.Unix(1793010151, 0)
	s := start(t, func(c *setup) { c.Now = func() time.Time { return sent.Add(time.Hour) } })
	h := s.hook("email", nil)
	var fields map[string]string
	must(t, json.Unmarshal(hookSample(t, "mailgun_route_forward.json"), &fields))
	var samples map[string]struct{ Key string }
	must(t, json.Unmarshal(onlyMailgun(t), &samples))
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, value)
	}
	const form = "application/x-www-form-urlencoded"
	h.hand(form, []byte(values.Encode()), nil).want(http.StatusUnauthorized) // no key is known yet
	path := s.accountPath("integrations/" + h.id)
	s.change(path, s.key, map[string]any{"signing_key": samples["mailgun"].Key}).want(http.StatusOK)
	h.hand(form, []byte(values.Encode()), nil).want(http.StatusAccepted)
	h.hand(form, []byte(values.Encode()), nil).want(http.StatusOK)
	for name, change := range map[string]func(url.Values){
		"another token": func(v url.Values) { v.Set("token", "x") },
		"no signature":  func(v url.Values) { v.Del("signature") },
		"stale": func(v url.Values) {
			v.Set("timestamp", fmt.Sprint(sent.Add(-12*time.Hour).Unix()))
			v.Set("signature", mailgunSign(samples["mailgun"].Key, v))
		},
		"ahead": func(v url.Values) {
			v.Set("timestamp", fmt.Sprint(sent.Add(2*time.Hour).Unix()))
			v.Set("signature", mailgunSign(samples["mailgun"].Key, v))
		},
	} {
		changed := maps.Clone(values)
		change(changed)
		if got := h.hand(form, []byte(changed.Encode()), nil); got.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	s.change(path, s.key, `{"signing_key":null}`).want(http.StatusOK)
	h.hand(form, []byte(values.Encode()), nil).want(http.StatusUnauthorized)
	if s.count("emails") != 1 {
		t.Errorf("%d emails", s.count("emails"))
	}
}

func onlyMailgun(t *testing.T) []byte {
	t.Helper()
	var all map[string]json.RawMessage
	must(t, json.Unmarshal(hookSample(t, "signatures.json"), &all))
	encoded, err := json.Marshal(map[string]json.RawMessage{"mailgun": all["mailgun"]})
	must(t, err)
	return encoded
}

func mailgunSign(key string, v url.Values) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(v.Get("timestamp") + v.Get("token")))
	return hex.EncodeToString(mac.Sum(nil))
}

func TestHooksRefuseWhatTheyCannotTake(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.MaxFileSize = 300 << 10 })
	tally, mail := s.hook("tally", nil), s.hook("email", nil)
	signed := func(body string) reply {
		return tally.hand("application/json", []byte(body), headers("Tally-Signature", sign(tally.secret, []byte(body))))
	}
	signed(`{"eventType":`).refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "body")
	signed(`{"eventType":"OTHER"}`).refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "eventType")
	signed(`{"eventType":"FORM_RESPONSE","data":{"fields":[]}}`).refused(http.StatusBadRequest, "Invalid request body",
		"invalid_field", "data.submissionId")
	signed(strings.Repeat(" ", 70<<10)).refused(http.StatusRequestEntityTooLarge, "Request too large", "body_too_large",
		"body")
	mail.handSigned("message/rfc822", []byte("Subject: x\r\n\r\nx")).refused(http.StatusBadRequest,
		"Invalid request body", "invalid_field", "from_email")
	mail.handSigned("text/html", []byte("x")).refused(http.StatusUnsupportedMediaType, "Unsupported media type",
		"unsupported_media_type", "Content-Type")
	mail.handSigned("message/rfc822", mailOf(strings.Repeat("a", 700<<10))).refused(http.StatusRequestEntityTooLarge,
		"Request too large", "body_too_large", "body")
	mail.hand("message/rfc822", mailOf("1"), headers("Content-Encoding", "gzip")).refused(http.StatusUnsupportedMediaType,
		"Unsupported media type", "unsupported_content_encoding", "Content-Encoding")
	s.send(request{Method: http.MethodPost, Path: "/hooks/unknown", Body: "{}"}).refused(http.StatusNotFound,
		"Resource not found", "not_found", "")
	if s.count("emails") != 0 || s.count("form_submissions") != 0 || s.count("receipts") != 0 || len(s.stored()) != 0 {
		t.Errorf("something was kept: %v", s.stored())
	}
}

func TestAHookIsLimitedByItsToken(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t, 10000, 3))
	one, two := s.hook("email", nil), s.hook("email", nil)
	var refused reply
	for i := range 7 { // which lie in two windows at most
		if refused = one.handSigned("message/rfc822", mailOf(fmt.Sprint(i))); refused.Status != http.StatusAccepted {
			break
		}
	}
	if refused.Status != http.StatusTooManyRequests || refused.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", refused.Status, refused.Raw)
	}
	two.handSigned("message/rfc822", mailOf("5")).want(http.StatusAccepted)
}

// TestUnknownHooksAreCountedForTheirAddress calls hooks that nobody has, with tokens that could be one and with others.
func TestUnknownHooksAreCountedForTheirAddress(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]string{
		"short": "unknown%d", "long": strings.Repeat("x", 100) + "%d", "likely": strings.Repeat("a", 51) + "%c",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, limited(t, 10000, 6))
			call := func(i int) int {
				path := "/hooks/" + fmt.Sprintf(token, 'b'+i)
				return s.send(request{Method: http.MethodPost, Path: path, Body: "{}"}).Status
			}
			for i := range 6 {
				if status := call(i); status != http.StatusNotFound {
					t.Fatalf("request %d of 6: %d", i+1, status)
				}
			}
			status := 0
			for i := 6; i < 13 && status != http.StatusTooManyRequests; i++ { // in two windows at most
				status = call(i)
			}
			if status != http.StatusTooManyRequests {
				t.Errorf("twice as many: %d", status)
			}
		})
	}
}

func TestCompaniesAreOrderedForNewItemsAlone(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker = true })
	with, without := s.hook("email", map[string]any{"create_companies": true}), s.hook("email", nil)
	with.handSigned("message/rfc822", mailOf("1")).want(http.StatusAccepted)
	with.handSigned("message/rfc822", mailOf("1")).want(http.StatusOK)
	without.handSigned("message/rfc822", mailOf("2")).want(http.StatusAccepted)
	tally, body := s.hook("tally", map[string]any{"create_companies": true}), hookSample(t, "tally_form_response.raw.json")
	for range 2 {
		tally.hand("application/json", body, headers("Tally-Signature", sign(tally.secret, body)))
	}
	orders := testkit.Texts(t, s.dbURL, `SELECT (input ->> 'kind') || ' ' || (w.subject_id IN (SELECT id FROM emails
		UNION SELECT id FROM form_submissions))::text
		FROM work w WHERE kind = 'ingest.create' ORDER BY 1`)
	if !slices.Equal(orders, []string{"email true", "form true"}) {
		t.Errorf("ordered %v", orders)
	}
}

func TestIntegrationsAreManaged(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := s.hook("email", nil)
	path := s.accountPath("integrations/" + h.id)
	listed := s.get(s.accountPath("integrations"), s.key)
	shape := slices.Sorted(maps.Keys(listed.keys("data.integrations.0")))
	if !slices.Equal(shape, []string{"create_companies", "created_at", "enabled", "hook_url", "id", "kind", "name"}) ||
		!strings.HasPrefix(listed.text("data.integrations.0.hook_url"), "https://deals.example/hooks/") {
		t.Errorf("listed %s", listed.Raw)
	}
	if strings.Contains(string(listed.Raw), h.secret) || !strings.HasPrefix(h.secret, "whsec_") {
		t.Errorf("the secret %q is told again: %s", h.secret, listed.Raw)
	}
	changed := s.change(path, s.key, `{"name":" Other ","enabled":false,"create_companies":true}`).want(http.StatusOK)
	if changed.text("data.integration.name") != "Other" || changed.at("data.integration.enabled") != false ||
		changed.at("data.integration.create_companies") != true {
		t.Errorf("changed to %s", changed.Raw)
	}
	h.handSigned("message/rfc822", mailOf("1")).refused(http.StatusForbidden, "Access denied to this resource",
		"integration_disabled", "token")
	s.change(path, s.key, `{"enabled":true}`).want(http.StatusOK)
	rotated := s.post(path+"/rotate", s.key, nil).want(http.StatusOK)
	if rotated.text("data.secret") == h.secret ||
		rotated.text("data.integration.hook_url") != changed.text("data.integration.hook_url") {
		t.Errorf("rotated to %s", rotated.Raw)
	}
	h.handSigned("message/rfc822", mailOf("1")).want(http.StatusUnauthorized)
	h.secret = rotated.text("data.secret")
	h.handSigned("message/rfc822", mailOf("1")).want(http.StatusAccepted)
	s.erase(path, s.key).want(http.StatusOK)
	h.handSigned("message/rfc822", mailOf("2")).want(http.StatusNotFound)
	s.erase(path, s.key).want(http.StatusNotFound)
	if s.count("emails") != 1 {
		t.Errorf("%d emails are left", s.count("emails"))
	}
}

func TestIntegrationsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	tally := s.hook("tally", nil)
	const wrong, code = "Invalid request body", "invalid_field"
	for body, field := range map[string]string{
		`{"name":"x"}`: "kind", `{"kind":"tally"}`: "name", `{"kind":"fax","name":"x"}`: "kind",
		`{"kind":"tally","name":" "}`:                                "name",
		`{"kind":"tally","name":"` + strings.Repeat("x", 256) + `"}`: "name",
		`{"kind":"tally","name":"x","create_companies":1}`:           "create_companies",
	} {
		s.post(s.accountPath("integrations"), s.key, body).refused(http.StatusBadRequest, wrong, code, field)
	}
	path := s.accountPath("integrations/" + tally.id)
	for body, field := range map[string]string{
		`{"name":null}`: "name", `{"name":""}`: "name", `{"enabled":"x"}`: "enabled", `{"signing_key":"x"}`: "signing_key",
		`{"signing_key":" "}`: "signing_key",
	} {
		s.change(path, s.key, body).refused(http.StatusBadRequest, wrong, code, field)
	}
	s.change(s.accountPath("integrations/"+missing()), s.key, `{}`).refused(http.StatusNotFound, "Resource not found",
		"not_found", "")
}

func TestAHookRunsAsAnOwnerOnceItsMakerHasLeft(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, key := s.colleague("Ann Admin", "admin")
	s.key, key = key, s.key
	h := s.hook("email", nil)
	s.key = key
	testkit.Exec(t, s.dbURL, "DELETE FROM memberships WHERE user_id = $1", admin.ID)
	h.handSigned("message/rfc822", mailOf("1")).want(http.StatusAccepted)
	if s.count("emails") != 1 {
		t.Error("it was not kept")
	}
}
