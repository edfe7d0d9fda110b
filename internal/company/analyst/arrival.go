package analyst

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"dealflow/internal/analysis/naming"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/company/match"
	"dealflow/internal/company/upload"
	"dealflow/internal/postgres"
)

// Arrival is a text with files that arrived as an email or a form's answers. A Creator creates a company from it,
// unless the account has that company already.
type Arrival struct {
	AccountID uuid.UUID
	Text      string // cut after aicreation.MaxText bytes
	Source    string // the source of the company if the text shows none
	Sender    string // the address of the sender; may count as a founder's: see candidate
	Files     []StoredFile
}

// StoredFile is a file in storage, which an arrival copies and does not change.
type StoredFile struct {
	FileName    string
	StoragePath string
}

// Resolved is the company that was found or created for an arrival, with the analysis of the arrival.
type Resolved struct {
	CompanyID uuid.UUID
	Created   bool        // false: the account had the company already
	Public    bool        // every member of the account sees the company
	Reason    string      // why it was created or recognized; it contains nothing that is not in the arrival
	LeftOut   []string    // a sentence for each file that was left out
	Files     []uuid.UUID // ids of the company's files, if it was created
	Analysis  findings.Analysis
}

// Creator creates companies from arrivals and imported rows. It is safe for concurrent use.
type Creator struct {
	creations *aicreation.Service
	analyst   *Analyst
	matcher   *match.Matcher
}

// NewCreator returns a creator. The service, the analyst and the matcher must use the same database and the same
// storage.
func NewCreator(creations *aicreation.Service, analyst *Analyst, matcher *match.Matcher) *Creator {
	return &Creator{creations: creations, analyst: analyst, matcher: matcher}
}

// Companies returns the service that stores companies.
func (c *Creator) Companies() *company.Service { return c.creations.Companies }

// Prepared is an arrival that was analyzed. Copies of its files are in storage; Close removes them unless a company was
// created that has them.
type Prepared struct {
	creator  *Creator
	draft    aicreation.Draft
	target   target
	readings []reading
	verdict  verdict
	sender   string
	leftOut  []string
	created  bool
}

// Prepare copies the files of an arrival and analyzes the arrival as AI creation does. It leaves out files that are
// empty, too large or gone from storage, and those beyond upload.MaxFiles, and cuts the text after aicreation.MaxText
// bytes. The caller must then call Resolve in a transaction, and Close after that. After an error nothing has to be
// closed, and the caller may try again.
func (c *Creator) Prepare(ctx context.Context, user uuid.UUID, in Arrival) (*Prepared, error) {
	text := strings.ToValidUTF8(in.Text[:min(len(in.Text), aicreation.MaxText)], "")
	p := &Prepared{creator: c, sender: in.Sender, draft: aicreation.Draft{
		CompanyID: postgres.NewID(), AccountID: in.AccountID, Text: text, Visibility: company.VisibilityTeam,
	}}
	var err error
	if p.leftOut, err = c.receive(ctx, &p.draft, in.Files); err == nil {
		err = p.analyse(ctx, user, in.Source)
	}
	if err != nil {
		c.creations.Uploads.Discard(ctx, p.draft.CompanyID, p.draft.Files)
		return nil, err
	}
	if err := c.creations.Uploads.Keep(ctx, p.draft.CompanyID, p.draft.Files); err != nil {
		p.Close(ctx, err)
		return nil, err
	}
	return p, nil
}

// Close removes the copies of files that belong to no company. err is the error of the transaction in which Resolve was
// called; nil if it was committed. If it is postgres.ErrOutcomeUnknown, the copies stay for the sweep of uploads.
func (p *Prepared) Close(ctx context.Context, err error) {
	p.creator.creations.Uploads.Clear(ctx, p.draft.CompanyID, p.draft.Files, p.created, err)
}

// analyse makes the rows of a company and its files, reads the files and analyzes the text. source is as in Arrival. A
// single file that is no document becomes an attachment, not the deck.
func (p *Prepared) analyse(ctx context.Context, user uuid.UUID, source string) error {
	c, t := p.creator, target{user: user}
	t.company, t.files, t.input = c.creations.Rows(user, p.draft)
	t.company.Source = source
	for i, file := range t.files {
		if file.Role == company.RoleDeck && !isDocument(*file.MediaType) {
			t.files[i].Role, t.company.DeckStoragePath = company.RoleAttachment, nil
		}
	}
	if err := t.load(ctx, c.analyst.db, p.draft.AccountID); err != nil {
		return err
	}
	p.target = t
	t.files = slices.Clone(t.files) // still under incoming/: Prepare keeps them after this
	for i, file := range t.files {
		t.files[i].StoragePath = new(upload.IncomingKey(p.draft.CompanyID, file.ID))
	}
	var err error
	p.readings, p.verdict, err = c.analyst.study(ctx, t)
	return err
}

// Resolve finds the company that the arrival is about, or else stores a new one with its files. tx must be a
// transaction of the user of Prepare, which the caller must commit. Resolve does not change a company that exists. It
// must be called at most once.
func (p *Prepared) Resolve(tx *postgres.Tx) (Resolved, error) {
	t, v := &p.target, &p.verdict
	columns, err := v.apply(&t.company)
	if err != nil {
		return Resolved{}, err
	}
	v.decideRoles(&t.company, t.files)
	found, err := p.creator.matcher.Match(tx, t.company.AccountID, p.candidate())
	if err != nil {
		return Resolved{}, err
	}
	done := Resolved{CompanyID: found.CompanyID, Reason: found.Reason, LeftOut: p.leftOut}
	if found.CompanyID != uuid.Nil {
		var visibility string
		err := tx.Raw("SELECT visibility FROM companies WHERE id = ?", found.CompanyID).Scan(&visibility).Error
		done.Public, done.Analysis = visibility == company.VisibilityTeam, v.analysis
		return done, err
	}
	if err := p.create(tx, columns); err != nil {
		return Resolved{}, err
	}
	p.created = true
	for _, file := range t.files {
		done.Files = append(done.Files, file.ID)
	}
	done.CompanyID, done.Created, done.Public, done.Analysis = t.company.ID, true, true, v.analysis
	return done, nil
}

// create stores the company with its files, their texts and what the analysis found. columns are those that apply
// returned. If the detected status was deleted meanwhile, the company has no status and the reasoning says so. If some
// files could not be read for a temporary reason, create adds the work of another analysis.
func (p *Prepared) create(tx *postgres.Tx, columns map[string]any) error {
	t, v := &p.target, &p.verdict
	if columns["company_status_id"] != nil {
		names, err := company.StageNames(tx, nil, v.statusID)
		if err != nil {
			return err
		}
		v.checkStage(columns, names[1])
	}
	if columns["company_status_id"] == nil {
		t.company.CompanyStatusID = nil
	}
	if err := company.Insert(tx, t.company, t.files); err != nil {
		return err
	}
	if err := saveDetection(tx, t.company, *v, true); err != nil {
		return err
	}
	if err := readAgain(tx, p.creator.analyst.work, t.company, *v, ""); err != nil {
		return err
	}
	return storeTexts(tx, p.readings)
}

// candidate returns what Resolve compares with the companies of the account. The sender's address counts as a founder's
// only if the arrival has no name, no founder's address and no document: the sender of an arrival that has one of these
// may be introducing another person's company. A name of the subject alone that is no word, such as "s7", is none.
func (p *Prepared) candidate() match.Candidate {
	t, v := p.target, p.verdict
	known := match.Candidate{Name: t.company.Name, DeckLink: t.company.DeckLink, Metadata: t.company.Metadata}
	fallback := p.creator.creations.Rules.FallbackName(t.company.Text(), t.input.Links)
	_, content, _ := strings.Cut(t.company.Text(), "\n\n")
	identified := v.name != naming.Unnamed && v.name != fallback && (hasWord(v.name) || strings.Contains(content, v.name))
	for _, file := range t.files {
		identified = identified || isDocument(*file.MediaType)
		if file.Role == company.RoleDeck && isPresentation(*file.MediaType) {
			known.Decks = append(known.Decks, *file.SHA256)
		}
	}
	for _, founder := range v.extra.Founders {
		identified = identified || founder.Email != ""
	}
	if !identified && p.sender != "" {
		metadata, err := json.Marshal(map[string]any{"founders": []map[string]string{{"email": p.sender}}})
		if err == nil { // strings always have a JSON form
			known.Metadata = metadata
		}
	}
	return known
}

// hasWord reports whether a text has two letters in a row.
func hasWord(text string) bool {
	before := false
	for _, r := range text {
		is := unicode.IsLetter(r)
		if is && before {
			return true
		}
		before = is
	}
	return false
}
