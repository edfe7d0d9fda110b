package httpapi_test

import (
	"net/http"
	"testing"

	"dealflow/internal/testkit"
)

func TestACompanyIsAnalyzedAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.form(s.key, s.parts(part{"file_0", "Acme deck.pdf", samplePDF(t)})...).want(http.StatusOK)
	path := companies + "/" + first.text("data.company.id")
	s.change(path, s.key, map[string]any{"name": "Acme Anvils"}).want(http.StatusOK)
	again := s.keyed("k", path+"/analysis", s.key, "").want(http.StatusOK)
	if again.text("data.company.name") != "Acme Anvils" ||
		again.text("data.analysis.processedAt") <= first.text("data.analysis.processedAt") {
		t.Errorf("analyzed again as %s", again.Raw)
	}
	if at := again.text("data.company.metadata.analyzed_at"); at != again.text("data.analysis.processedAt") {
		t.Errorf("analyzed_at is %s in %s", at, again.Raw)
	}
	if url := again.text("data.pdfDownloadUrl"); url == "" ||
		!sameJSON(again.at("data.analysis.detectedUrls"), first.at("data.analysis.detectedUrls")) {
		t.Errorf("analyzed again as %s", again.Raw)
	}
	s.keyed("k", path+"/analysis", s.key, "").replayed(again)
	s.lose("committed")
	anew := s.keyed("k", path+"/analysis", s.key, "").want(http.StatusOK)
	if !sameJSON(anew.at("data.analysis"), again.at("data.analysis")) {
		t.Errorf("anew %s, at first %s", anew.Raw, again.Raw)
	}
	testkit.Exec(t, s.dbURL,
		"UPDATE work SET state = 'running', lease_until = now() + interval '1 hour' WHERE id = (SELECT id FROM work ORDER "+
			"BY created_at DESC LIMIT 1)")
	s.post(path+"/analysis", s.key, nil).refused(http.StatusConflict, "Conflict", "analysis_running", "")
}
