package analyst_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/attachment"
	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/work"
)

// withoutReaders runs do while no reader of PDFs can be started.
func (s *setup) withoutReaders(t *testing.T, do func()) {
	t.Helper()
	// longer than the configuration that a child accepts
	broken := pdftext.NewPool(pdftext.Options{Children: 1, CacheDir: strings.Repeat("x", 2<<20)})
	t.Cleanup(func() { _ = broken.Close() })
	before, deps := s.Analyst, s.Deps
	deps.Reader = broken
	s.Analyst = analyst.New(deps)
	do()
	s.Analyst = before
}

func (s *setup) last() work.Ref { return s.Queue.Refs[len(s.Queue.Refs)-1] }

func TestADeckThatCannotBeReadNowIsReadLater(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	s.withoutReaders(t, func() {
		if err := s.Analyse(t); err != nil {
			t.Fatal(err)
		}
	})
	first := s.Created(t, d).Analysis
	if first.ProcessedAt == nil || len(first.NeedsReview) != 1 ||
		!strings.Contains(first.NeedsReview[0], "It is read again soon") ||
		!strings.Contains(first.AIReasoning, first.NeedsReview[0]) || strings.Contains(first.AIReasoning, "export") {
		t.Errorf("analyzed as %+v", first)
	}
	if next := s.last(); next.Kind != aicreation.WorkReread {
		t.Fatalf("the queue was told of %+v, want another reading", next)
	}
	if wait := testkit.Texts(t, s.URL,
		"SELECT (run_after > now())::text FROM work WHERE kind = 'company.reread'"); wait[0] != "true" {
		t.Error("the file is read again at once")
	}
	again := aicreation.Draft{CompanyID: d.CompanyID, WorkID: uuid.New()}
	if err := s.Creations.Again(t.Context(), s.Owner, again); !fault.Is(err, fault.Conflict) {
		t.Errorf("asked for another analysis while this one waits: %v, want a conflict", err)
	}
	s.Analyzer.Findings = s.other()
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	if pages := testkit.Texts(t, s.URL, "SELECT jsonb_array_length(pages)::text FROM file_texts"); len(pages) != 1 ||
		pages[0] != "12" {
		t.Errorf("the text has %v pages", pages)
	}
	view, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), d.CompanyID)
	if err != nil || s.shown(t, view).summary != "Other words." || s.shown(t, view).name != "Zenith" {
		t.Errorf("the company is %+v, %v", s.shown(t, view), err)
	}
	if next := s.last(); next.Kind != aicreation.WorkReread || s.Count(t, "work") != 2 {
		t.Errorf("more work was added: %+v", next)
	}
}

func TestPDFsThatTakeTooLongTogetherAreReadLater(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, slices.Repeat([]string{"lo-basic-12.pdf"}, 10)...)
	s.Pitch(t, d)
	before, deps := s.Analyst, s.Deps
	deps.ReadFor = time.Nanosecond
	s.Analyst = analyst.New(deps)
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	first := s.Created(t, d).Analysis
	if first.ProcessedAt == nil || len(first.NeedsReview) != 10 ||
		!strings.Contains(first.NeedsReview[0], "not enough time to read it. It is read again soon") {
		t.Errorf("analyzed as %+v", first)
	}
	s.Analyst = before
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	if texts := testkit.Texts(t, s.URL, "SELECT file_id::text FROM file_texts WHERE error = ''"); len(texts) != 10 {
		t.Errorf("%d of 10 files were read later", len(texts))
	}
}

func TestReadingAgainEnds(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	s.withoutReaders(t, func() {
		for range 8 {
			if err := s.Analyse(t); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n := s.Count(t, "work"); n != 8 {
		t.Errorf("%d pieces of work, want 8", n)
	}
	if reasons := testkit.Texts(t, s.URL,
		"SELECT result->'analysis'->>'ai_reasoning' FROM work ORDER BY created_at DESC LIMIT 1"); !strings.Contains(
		reasons[0], "happened 8 times",
	) {
		t.Errorf("the last says %q", reasons)
	}
}

// TestATextOutlastsReadersThatCannotBeStarted analyzes a company again while its deck, which was read before, cannot
// be read.
func TestATextOutlastsReadersThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	text := func() []string {
		return testkit.Texts(t, s.URL,
			"SELECT concat_ws(' ', f.pages, f.error, c.words @@ 'warehouse') FROM file_texts f, companies c")
	}
	before := text()
	s.withoutReaders(t, func() { s.again(t, d.CompanyID, s.Found()) })
	if after := text(); !slices.Equal(after, before) {
		t.Errorf("the text is %.300q, and was %.300q", after, before)
	}
}

func TestAnAttachmentThatCannotBeReadNowIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	file := testkit.Texts(t, s.URL, "SELECT id::text FROM company_files")[0]
	input := []byte(`{"file_id": "` + uuid.MustParse(file).String() + `"}`)
	item := work.Item{
		Kind: attachment.WorkRead, UserID: s.Owner, AccountID: s.Team, Input: input, MaxAttempts: 8,
		StartedAt: new(time.Now()),
	}
	s.withoutReaders(t, func() {
		if err := s.Analyst.Read(t.Context(), item); err == nil ||
			!strings.Contains(err.Error(), "no reader could be started") {
			t.Errorf("error %v, want one that has it tried again", err)
		}
	})
}
