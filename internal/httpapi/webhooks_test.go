package httpapi_test

import (
	"net/http"
	"testing"
)

func TestWebhooksOfPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	hook := s.accountPath("webhooks/" + s.post(s.accountPath("webhooks"), s.key,
		map[string]any{"url": "https://hooks.example/a"}).want(http.StatusCreated).text("data.webhook.id"))
	for _, url := range []string{
		"http://127.0.0.1:9/x", "http://localhost/x", "http://a.localhost./", "http://10.0.0.1/", "http://[::1]/",
		"http://[::ffff:169.254.169.254]/latest", "http://2130706433/", "http://0x7f.1/", "http://db:5432/",
		"http://metadata.google.internal/", "https://hooks.example:99999/",
	} {
		s.post(s.accountPath("webhooks"), s.key, map[string]any{"url": url}).
			refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "url")
		s.change(hook, s.key, map[string]any{"url": url}).
			refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "url")
	}
}

func TestTheAuditLogNamesTheEventsOfAWebhook(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.post(s.accountPath("webhooks"), s.key, map[string]any{"url": "https://hooks.example/a"}).
		want(http.StatusCreated).text("data.webhook.id")
	s.change(s.accountPath("webhooks/"+id), s.key, map[string]any{"events": []string{"company.created"}}).
		want(http.StatusOK)
	s.mustTell("webhook.updated", s.owner.ID.String(), id, `{"events":{"from":[],"to":["company.created"]}}`)
}
