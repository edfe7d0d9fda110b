package httpapi_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const upload = "/api/v1/companies/upload/ai"

// pitch is long enough for its status and source to be detected.
const pitch = "Hi, I am Ada, founder of Acme. We make anvils and raise a seed round. Deck: " +
	"https://docsend.com/view/abc123 and https://acme.example/about."

// parts returns a form that is accepted, with these parts instead of or beside its own; one whose value is "-" is
// left out.
func (s *server) parts(others ...part) []part {
	form := []part{{"text", "", pitch}, {"account_id", "", s.account.ID.String()}}
	for _, o := range others {
		form = slices.DeleteFunc(form, func(p part) bool { return p.Name == o.Name && o.File == "" })
		if o.Value != "-" {
			form = append(form, o)
		}
	}
	return form
}

func TestAICreation(t *testing.T) {
	t.Parallel()
	s := start(t)
	deck := samplePDF(t)
	got := s.form(s.key, s.parts(part{"file_0", "Acme deck.pdf", deck}, part{"unknown", "", "ignored"},
		part{"unknown", "", "twice"})...).want(http.StatusOK)
	want := map[string]any{
		"data.company.account_id": s.account.ID.String(), "data.company.visibility": "team",
		"data.company.source_content": pitch,
		"data.company.deck_link":      "https://docsend.com/view/abc123", "data.company.created_by": s.owner.ID.String(),
		"data.company.updated_by": s.owner.ID.String(),
		"data.company.notes":      nil, "data.analysis.selectedDeckUrl": "https://docsend.com/view/abc123",
		"authType": "api_key", "success": true,
		"data.analysis.detectedUrls.0": "https://docsend.com/view/abc123",
		"data.analysis.detectedUrls.1": "https://acme.example/about", "data.analysis.detectedUrls.2": nil,
		"data.analysis.contextAnalysis.statusDetected": true, "data.analysis.contextAnalysis.sourceDetected": true,
		"data.company.company_status.status_text": "New", "data.company.source": "email",
	}
	for path, value := range want {
		if got.at(path) != value {
			t.Errorf("%s is %v, want %v", path, got.at(path), value)
		}
	}
	if got.at("data.company.company_status_id") != got.at("data.company.company_status.id") ||
		got.text("data.analysis.processedAt") == "" {
		t.Errorf("answered %s", got.Raw)
	}
	if files := got.at("data.attachments").([]any); len(files) != 0 {
		t.Errorf("the only file is an attachment: %v", files)
	}
	file := s.get(s.local(got.text("data.pdfDownloadUrl")), "").want(http.StatusOK)
	if string(file.Raw) != deck || file.Header.Get("Content-Type") != "application/pdf" ||
		!strings.Contains(file.Header.Get("Content-Disposition"), "Acme deck.pdf") {
		t.Errorf("the deck comes back as %d bytes, %v", len(file.Raw), file.Header)
	}
	read := s.get(companies+"/"+got.text("data.company.id"), s.key).want(http.StatusOK)
	if !sameJSON(read.at("data.company"), got.at("data.company")) {
		t.Errorf("read back as %s, answered %s", read.Raw, got.Raw)
	}
	if keys := s.stored(); len(keys) != 1 || keys[0] != got.text("data.company.deck_storage_path") {
		t.Errorf("stored %v", keys)
	}
}

func TestAICreationKeepsWhatIsGiven(t *testing.T) {
	t.Parallel()
	s := start(t)
	status := s.post(s.statusesPath(), s.key, `{"name":"Partner Meeting"}`).text("data.id")
	got := s.form(s.key, s.parts(
		part{"file_3", "b.txt", "deck"}, part{"name", "", "Given & Sons"}, part{"visibility", "", "private"}, part{
			"notes", "", "",
		}, part{"company_status_id", "", status},
		part{"source", "", "referral"}, part{"metadata", "", ` {"ai_analysis":"mine","x":{"y":[1]}} `}, part{
			"dry_run", "", "false",
		}, part{"text", "", "  " + pitch + "\n"},
	)...).want(http.StatusOK)
	want := map[string]any{
		"data.company.name": "Given & Sons", "data.company.visibility": "private", "data.company.notes": "",
		"data.company.company_status_id":          status,
		"data.company.company_status.status_text": "Partner Meeting", "data.company.source": "referral",
		"data.company.metadata.ai_analysis": "mine",
		"data.company.source_content":       "  " + pitch + "\n", "data.analysis.contextAnalysis.statusDetected": false,
		"data.analysis.contextAnalysis.sourceDetected": false,
	}
	for path, value := range want {
		if got.at(path) != value {
			t.Errorf("%s is %v, want %v", path, got.at(path), value)
		}
	}
	if !got.keys("data.company.metadata")["founders"] || !got.keys("data.company.metadata")["analyzed_at"] {
		t.Errorf("metadata %v", got.at("data.company.metadata"))
	}
}

func TestAICreationAnswersInItsShape(t *testing.T) {
	t.Parallel()
	s := start(t)
	full := s.form(s.key, s.parts(part{"file_0", "deck.pdf", samplePDF(t)}, part{"file_1", "dir/notes.txt", "notes"})...).
		want(http.StatusOK)
	plain := s.form(s.key, s.parts(part{"text", "", "Short."})...).want(http.StatusOK)
	two := s.form(s.key, s.parts(part{"file_0", "a.txt", "a"}, part{"file_1", "b.txt", "b"})...).want(http.StatusOK)
	shapes := map[string]struct {
		r    reply
		path string
		want string
	}{
		"data":               {full, "data", "analysis attachments company pdfDownloadUrl"},
		"data without files": {plain, "data", "analysis attachments company"},
		"data without PDF":   {two, "data", "analysis attachments company"},
		"attachment":         {full, "data.attachments.0", "attachmentType filePath id title"},
		"analysis": {
			full, "data.analysis", "aiReasoning contextAnalysis detectedUrls evidence needs_review processedAt selectedDeckUrl",
		},
		"evidence": {full, "data.analysis.evidence.0", "analyzer confidence end field file page quote start value"},
		"context":  {full, "data.analysis.contextAnalysis", "sourceDetected sourceReasoning statusDetected statusReasoning"},
		"company": {
			full, "data.company",
			"account_id assignees company_status company_status_id created_at created_by deck_link deck_storage_path id " +
				"metadata " +
				"metadata_search_text name notes source source_content updated_at updated_by visibility",
		},
	}
	for name, tc := range shapes {
		if got := strings.Join(slices.Sorted(maps.Keys(tc.r.keys(tc.path))), " "); got != tc.want {
			t.Errorf("%s has %s, want %s", name, got, tc.want)
		}
	}
	if full.at("data.attachments.0.title") != "notes.txt" || full.at("data.attachments.0.attachmentType") != "text/plain" {
		t.Errorf("attachment %v", full.at("data.attachments.0"))
	}
	for path, want := range map[string]any{
		"data.company.deck_link": nil, "data.company.deck_storage_path": nil, "data.company.company_status": nil,
		"data.company.company_status_id": nil,
		"data.analysis.selectedDeckUrl":  nil, "data.company.source": "manual",
		"data.analysis.contextAnalysis.statusDetected": false,
	} {
		if plain.at(path) != want {
			t.Errorf("without anything found %s is %v", path, plain.at(path))
		}
	}
	if urls, ok := plain.at("data.analysis.detectedUrls").([]any); !ok || len(urls) != 0 {
		t.Errorf("detectedUrls %v", plain.at("data.analysis.detectedUrls"))
	}
}

func TestWhatFormsMayAlsoBe(t *testing.T) {
	t.Parallel()
	s := start(t)
	ten := s.parts(part{"text", "", "-"}, part{"account_id", "", "-"})
	for i := 9; i >= 0; i-- {
		ten = append(ten, part{fmt.Sprintf("file_%d", i), fmt.Sprintf("%d.txt", i), strings.Repeat("x", i+1)})
	}
	ten = append(ten, s.parts()...) // fields follow files
	got := s.form(s.key, ten...).want(http.StatusOK)
	for i, file := range got.at("data.attachments").([]any) {
		if want := fmt.Sprintf("%d.txt", i); file.(map[string]any)["title"] != want {
			t.Errorf("attachment %d is %v", i, file)
		}
	}
	if len(got.at("data.attachments").([]any)) != 10 || len(s.stored()) != 10 {
		t.Errorf("answered %s", got.Raw)
	}
	for name, parts := range map[string][]part{
		"longest text":     s.parts(part{"text", "", strings.Repeat("a", 1<<20)}),
		"one character":    s.parts(part{"text", "", "a"}),
		"longest name":     s.parts(part{"name", "", strings.Repeat("é", 255)}),
		"largest file":     s.parts(part{"file_9", "large.bin", strings.Repeat("a", 1<<20)}),
		"largest notes":    s.parts(part{"notes", "", strings.Repeat("a", 64<<10)}),
		"metadata of 100":  s.parts(part{"metadata", "", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)}),
		"path as a name":   s.parts(part{"file_0", "../../etc/passwd", "x"}),
		"odd name":         s.parts(part{"file_0", "名前 😀.txt", "x"}),
		"unknown too long": s.parts(part{"other", "", strings.Repeat("a", 100<<10)}),
	} {
		if got := s.form(s.key, parts...); got.Status != http.StatusOK {
			t.Errorf("%s: %d %.300s", name, got.Status, got.Raw)
		}
	}
	for _, key := range s.stored() {
		if !strings.HasPrefix(key, "companies/") || strings.Contains(key, "passwd") {
			t.Errorf("stored as %s", key)
		}
	}
}

func TestADryRunStoresNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	real := s.form(s.key, s.parts()...).want(http.StatusOK)
	before := map[string]int{}
	tables := []string{"companies", "company_files", "work", "activity"}
	for _, table := range tables {
		before[table] = s.count(table)
	}
	dry := s.form(s.key, s.parts(part{"dry_run", "", "true"}, part{"file_0", "deck.pdf", samplePDF(t)})...).
		want(http.StatusOK)
	for path, want := range map[string]any{
		"data.company.id": nil, "data.company.deck_storage_path": nil, "data.pdfDownloadUrl": nil,
		"data.company.name":              real.at("data.company.name"),
		"data.company.source":            real.at("data.company.source"),
		"data.company.company_status.id": real.at("data.company.company_status.id"),
		"data.analysis.selectedDeckUrl":  real.at("data.analysis.selectedDeckUrl"), "data.company.source_content": pitch,
	} {
		if dry.at(path) != want {
			t.Errorf("%s is %v, want %v", path, dry.at(path), want)
		}
	}
	if dry.at("data.analysis.processedAt") == nil {
		t.Errorf("it was not analysed: %s", dry.Raw)
	}
	for _, table := range tables {
		if n := s.count(table); n != before[table] {
			t.Errorf("%s grew from %d to %d rows", table, before[table], n)
		}
	}
	if keys := s.stored(); len(keys) != 0 {
		t.Errorf("stored %v", keys)
	}
}

func TestTheFirstPDFIsTheOneWithTheLowestNumber(t *testing.T) {
	t.Parallel()
	s := start(t)
	deck := samplePDF(t)
	for _, dry := range []string{"false", "true"} {
		got := s.form(s.key, s.parts(part{"file_7", "seven.pdf", deck}, part{"file_2", "two.pdf", deck},
			part{"dry_run", "", dry})...).want(http.StatusOK)
		if reason := got.text("data.analysis.aiReasoning"); !strings.Contains(reason, "two.pdf") ||
			strings.Contains(reason, "seven.pdf") {
			t.Errorf("dry_run %s: %s", dry, reason)
		}
	}
}

func TestAnAnswerDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker, c.AnalysisWait = true, 100*time.Millisecond })
	began := time.Now()
	got := s.form(s.key, s.parts(part{"file_0", "deck.txt", "deck"})...).want(http.StatusOK)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if got.at("data.analysis.processedAt") != nil || !strings.Contains(got.text("data.analysis.aiReasoning"), "goes on") ||
		got.at("data.analysis.contextAnalysis.statusDetected") != false ||
		got.at("data.company.deck_link") != "https://docsend.com/view/abc123" {
		t.Errorf("answered %s", got.Raw)
	}
	if got.text("data.pdfDownloadUrl") == "" || got.at("data.company.company_status_id") != nil {
		t.Errorf("answered %s", got.Raw)
	}
	s.get(companies+"/"+got.text("data.company.id"), s.key).want(http.StatusOK)
	dry := s.form(s.key, s.parts(part{"dry_run", "", "true"}, part{"file_0", "deck.txt", "deck"})...).want(http.StatusOK)
	if dry.at("data.company.id") != nil || len(s.stored()) != 1 || s.count("companies") != 1 {
		t.Errorf("a dry run without workers leaves %v: %s", s.stored(), dry.Raw)
	}
}

// What a caller sends passes to storage as it arrives.
func TestMemoryDoesNotGrowWithTheUpload(t *testing.T) {
	s := start(t, func(c *setup) { c.MaxFileSize = 32 << 20 })
	reader, writer := io.Pipe()
	form := newFormWriter(t, writer)
	sent := s.request(http.MethodPost, upload, reader)
	sent.Header.Set("Content-Type", form.media)
	sent.Header.Set("Authorization", "Bearer "+s.key)
	var peak uint64
	go func() {
		for i := range 3 {
			form.file(fmt.Sprintf("file_%d", i), io.LimitReader(zeros{}, 32<<20), func() { peak = max(peak, heap()) })
		}
		form.close(s.parts()...)
	}()
	before := heap()
	s.do(sent).want(http.StatusOK)
	if grown := int64(peak) - int64(before); grown > 24<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func samplePDF(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("testdata/deck.pdf")
	must(t, err)
	return string(content)
}

// Each entry of the evidence says where its quote is: in the text as sent, or on a page of a file.
func TestAICreationShowsItsEvidence(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, more := range map[string][]part{"stored": nil, "dry run": {{"dry_run", "", "true"}}} {
		got := s.form(s.key,
			s.parts(append(more, part{"file_0", "Acme deck.pdf", samplePDF(t)},
				part{"text", "", "Größe: " + pitch})...)...).want(http.StatusOK)
		want := map[string]any{
			"0.field": "name", "0.value": "Acme", "0.quote": "Acme", "0.start": 32, "0.end": 36, "0.page": nil, "0.file": nil,
			"0.confidence": 0.9, "0.analyzer": "plain",
			"1.field": "deck", "1.value": "Acme deck.pdf", "1.quote": "on it", "1.start": nil, "1.end": nil, "1.page": 1,
			"1.file": "Acme deck.pdf", "2": nil,
		}
		for path, value := range want {
			if fmt.Sprint(got.at("data.analysis.evidence."+path)) != fmt.Sprint(value) {
				t.Errorf("%s: %s is %v, want %v", name, path, got.at("data.analysis.evidence."+path), value)
			}
		}
		text := []rune(got.text("data.company.source_content"))
		if string(text[32:36]) != "Acme" || len(got.at("data.analysis.needs_review").([]any)) != 0 {
			t.Errorf("%s: answered %s", name, got.Raw)
		}
	}
	given := s.form(s.key, s.parts(part{"name", "", "Given"}, part{"text", "", "about nothing"})...).want(http.StatusOK)
	unsure := s.form(s.key, s.parts(part{"text", "", "about nothing"})...).want(http.StatusOK)
	if given.at("data.analysis.needs_review.0") != nil || given.at("data.analysis.evidence.0") != nil {
		t.Errorf("a name that was given is doubted: %s", given.Raw)
	}
	if unsure.at("data.analysis.needs_review.0") != "name" {
		t.Errorf("a name that stands nowhere is not to be reviewed: %s", unsure.Raw)
	}
}
