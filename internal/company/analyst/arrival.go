package analyst

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/company/match"
	"dealflow/internal/company/upload"
	"dealflow/internal/postgres"
)

// Arrival is a text with its files that came in by itself, such as an email or a form's answers: a company is made of
// it unless it is there.
type Arrival struct {
	AccountID uuid.UUID
	Text      string // what is over MaxText is left out
	Source    string // of the company where the text does not say
	Sender    string // the address of who sent it; it counts where nothing else says whose it is
	Files     []StoredFile
}

// StoredFile is a file that lies in storage and stays there.
type StoredFile struct {
	FileName    string
	StoragePath string
}

// Settled is what became of an arrival.
type Settled struct {
	CompanyID uuid.UUID
	Created   bool   // else the company was there
	Public    bool   // every member of the account sees the company
	Reason    string // why it was made, or is the one that was there; it is about the arrival alone
	LeftOut   []string
	Files     []uuid.UUID // of the company, where it was made
	Analysis  findings.Analysis
}

// Creator makes companies of arrivals.
type Creator struct {
	creations *aicreation.Service
	analyst   *Analyst
	matcher   *match.Matcher
}

// NewCreator returns a creator of the parts that take drafts in, analyse and recognise companies, on one database and
// one storage.
func NewCreator(creations *aicreation.Service, analyst *Analyst, matcher *match.Matcher) *Creator {
	return &Creator{creations: creations, analyst: analyst, matcher: matcher}
}

// Companies returns what stores companies.
func (c *Creator) Companies() *company.Service { return c.creations.Companies }

// Prepared is an arrival that was analysed, whose files are kept until it is closed.
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

// Prepare copies an arrival's files and analyses it as AI creation does. The caller settles it in a transaction and
// closes it then. After an error, which is worth another attempt, there is nothing to close.
func (c *Creator) Prepare(ctx context.Context, user uuid.UUID, in Arrival) (*Prepared, error) {
	text := strings.ToValidUTF8(in.Text[:min(len(in.Text), aicreation.MaxText)], "")
	p := &Prepared{creator: c, sender: in.Sender, draft: aicreation.Draft{
		CompanyID: uuid.New(), AccountID: in.AccountID, Text: text, Visibility: company.VisibilityTeam,
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

// Close removes the files that no company has, once the transaction in which the arrival was settled has ended with
// err.
func (p *Prepared) Close(ctx context.Context, err error) {
	p.creator.creations.Uploads.Clear(ctx, p.draft.CompanyID, p.draft.Files, p.created, err)
}

// analyse makes the rows of the draft and comes to a verdict about them.
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
	t.files = slices.Clone(t.files) // they are kept once all is known
	for i, file := range t.files {
		t.files[i].StoragePath = new(upload.IncomingKey(p.draft.CompanyID, file.ID))
	}
	var err error
	p.readings, p.verdict, err = c.analyst.study(ctx, t)
	return err
}

// Settle finds the company that the arrival is about, or makes it with its files, in a transaction of the user. It is
// called once at most.
func (p *Prepared) Settle(tx *postgres.Tx) (Settled, error) {
	t, v := &p.target, &p.verdict
	columns, err := v.apply(&t.company)
	if err != nil {
		return Settled{}, err
	}
	v.decideRoles(&t.company, t.files)
	found, err := p.creator.matcher.Match(tx, t.company.AccountID, p.candidate())
	if err != nil {
		return Settled{}, err
	}
	done := Settled{CompanyID: found.CompanyID, Reason: found.Reason, LeftOut: p.leftOut}
	if found.CompanyID != uuid.Nil {
		var visibility string
		err := tx.Raw("SELECT visibility FROM companies WHERE id = ?", found.CompanyID).Scan(&visibility).Error
		done.Public, done.Analysis = visibility == company.VisibilityTeam, v.analysis
		return done, err
	}
	if err := p.create(tx, columns); err != nil {
		return Settled{}, err
	}
	p.created = true
	for _, file := range t.files {
		done.Files = append(done.Files, file.ID)
	}
	done.CompanyID, done.Created, done.Public, done.Analysis = t.company.ID, true, true, v.analysis
	return done, nil
}

// create stores the company with its files and what was found.
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
	if err := saveDetection(tx, t.company, *v); err != nil {
		return err
	}
	if err := readAgain(tx, p.creator.analyst.work, t.company, *v, ""); err != nil {
		return err
	}
	return storeTexts(tx, p.readings)
}

// candidate is what is known of the company. Who sent the text counts only where nothing in it says whose it is:
// founders introduce others.
func (p *Prepared) candidate() match.Candidate {
	t, v := p.target, p.verdict
	known := match.Candidate{Name: t.company.Name, DeckLink: t.company.DeckLink, Metadata: t.company.Metadata}
	told := v.name != company.Untitled && v.name != p.creator.creations.FallbackName(t.company.Text(), t.input.Links)
	for _, file := range t.files {
		told = told || isDocument(*file.MediaType)
		if file.Role == company.RoleDeck && isPresentation(*file.MediaType) {
			known.Decks = append(known.Decks, *file.SHA256)
		}
	}
	for _, founder := range v.extra.Founders {
		told = told || founder.Email != ""
	}
	if !told && p.sender != "" {
		metadata, err := json.Marshal(map[string]any{"founders": []map[string]string{{"email": p.sender}}})
		if err == nil { // strings always have a JSON form
			known.Metadata = metadata
		}
	}
	return known
}
