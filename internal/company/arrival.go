package company

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/company/match"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// MaxText is how many bytes of an arrival's text are analysed and kept.
const MaxText = 1 << 20

// Arrival is a text with its files that came in by itself, such as an email or a form's answers: a company is made of
// it unless it is there.
type Arrival struct {
	AccountID uuid.UUID
	Text      string // what is over MaxText is left out
	Source    string // of the company where the text does not tell
	Sender    string // the address of who sent it; it counts where nothing else tells whose it is
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
	Reason    string // why it was made, or is the one that was there; tells of the arrival alone
	LeftOut   []string
	Analysis  Analysis
}

// Creator makes companies of arrivals.
type Creator struct {
	companies *Service
	analyst   *Analyst
	matcher   *match.Matcher
}

// NewCreator makes a creator of the parts that take companies in, analyse and recognise them, on one database and one
// storage.
func NewCreator(companies *Service, analyst *Analyst, matcher *match.Matcher) *Creator {
	return &Creator{companies: companies, analyst: analyst, matcher: matcher}
}

// Create analyses an arrival as AI creation does, then runs settle in a transaction of the user. There settle calls
// its argument, once or not at all: it finds the company that the arrival is about, or makes it with its files. What
// settle writes is durable with it or not at all. Where no company is made, whatever the reason, no file of it is
// kept. An error is worth another attempt.
func (c *Creator) Create(ctx context.Context, user uuid.UUID, in Arrival, settle func(*postgres.Tx, func() (Settled, error)) error) error {
	d := Draft{CompanyID: uuid.New(), AccountID: in.AccountID, Text: firstBytes(in.Text, MaxText), Visibility: VisibilityTeam}
	leftOut, about, readings, v, err := c.look(ctx, user, &d, in)
	if err != nil {
		c.companies.Discard(ctx, d.CompanyID, d.Files)
		return err
	}
	return c.companies.keeping(ctx, user, d.CompanyID, d.Files, func(tx *postgres.Tx) (bool, error) {
		var done Settled
		err := settle(tx, func() (_ Settled, err error) {
			done, err = c.settle(tx, about, readings, v, in.Sender)
			done.LeftOut, done.Analysis = leftOut, v.analysis
			return done, err
		})
		return done.Created, err
	})
}

// look takes copies of an arrival's files as uploads and analyses it.
func (c *Creator) look(ctx context.Context, user uuid.UUID, d *Draft, in Arrival) (leftOut []string, about subject, readings []reading, v verdict, err error) {
	if leftOut, err = c.receive(ctx, d, in.Files); err == nil {
		about, readings, v, err = c.study(ctx, user, *d, in.Source)
	}
	return leftOut, about, readings, v, err
}

// firstBytes cuts a text to so many bytes, at the end of a character.
func firstBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// receive takes copies of the files as uploads, and says which are left out and why. Documents go before pictures, of
// which mails have many that mean nothing.
func (c *Creator) receive(ctx context.Context, d *Draft, files []StoredFile) (leftOut []string, err error) {
	for i, file := range files {
		up, err := c.copy(ctx, d.CompanyID, i, file)
		switch {
		case fault.Is(err, fault.TooLarge), fault.Is(err, fault.InvalidBody), fault.Is(err, fault.NotFound):
			leftOut = append(leftOut, fmt.Sprintf("%s: %s", baseName(file.FileName, "file"), whyLeftOut(err)))
		case err != nil:
			return nil, err
		default:
			d.Files = append(d.Files, up)
		}
	}
	all := slices.Clone(d.Files)
	slices.SortStableFunc(all, func(a, b Upload) int { return rank(a) - rank(b) })
	if len(all) > MaxFiles {
		for _, up := range all[MaxFiles:] {
			leftOut = append(leftOut, fmt.Sprintf("%s: a company takes %d files at once", up.FileName, MaxFiles))
		}
		c.companies.Discard(ctx, d.CompanyID, all[MaxFiles:])
		all = all[:MaxFiles]
		slices.SortFunc(all, func(a, b Upload) int { return a.Position - b.Position })
	}
	d.Files = all
	return leftOut, nil
}

func (c *Creator) copy(ctx context.Context, companyID uuid.UUID, position int, file StoredFile) (Upload, error) {
	object, err := c.companies.Blobs.Open(ctx, file.StoragePath)
	if err != nil {
		return Upload{}, err
	}
	defer object.Close()
	return c.companies.Receive(ctx, companyID, position, file.FileName, object)
}

func whyLeftOut(err error) string {
	switch {
	case fault.Is(err, fault.TooLarge):
		return "it is too large"
	case fault.Is(err, fault.NotFound):
		return "it is gone from storage"
	default:
		return "it is empty"
	}
}

func rank(up Upload) int {
	switch {
	case isDocument(up.MediaType):
		return 0
	case strings.HasPrefix(up.MediaType, "image/"):
		return 2
	default:
		return 1
	}
}

// isPresentation tells what may be known again as a deck; the schema's app_is_deck says the same.
func isPresentation(media string) bool {
	return slices.Contains([]string{
		PDF, "application/vnd.ms-powerpoint", "application/vnd.apple.keynote",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation", "application/vnd.oasis.opendocument.presentation",
	}, media)
}

// isDocument tells what may present a company: a logo, a signature or an invitation to a meeting does not.
func isDocument(media string) bool {
	return isPresentation(media) || slices.Contains([]string{
		"application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.oasis.opendocument.text", "text/rtf",
	}, media)
}

// study prepares the rows of a draft and comes to a verdict about them.
func (c *Creator) study(ctx context.Context, user uuid.UUID, d Draft, source string) (subject, []reading, verdict, error) {
	var about subject
	about.company, about.files, about.order = c.companies.prepare(user, d)
	about.company.Source, about.user = source, user
	for i, file := range about.files {
		if file.Role == RoleDeck && !isDocument(*file.MediaType) {
			about.files[i].Role, about.company.DeckStoragePath = RoleAttachment, nil
		}
	}
	if err := about.load(ctx, c.companies.DB, d.AccountID); err != nil {
		return about, nil, verdict{}, err
	}
	arrived := about // the files are kept once all is known
	arrived.files = slices.Clone(about.files)
	for i, file := range arrived.files {
		arrived.files[i].StoragePath = new(incomingKey(d.CompanyID, file.ID))
	}
	readings, v, err := c.analyst.study(ctx, arrived)
	return about, readings, v, err
}

// settle finds or makes the company that a verdict is about.
func (c *Creator) settle(tx *postgres.Tx, about subject, readings []reading, v verdict, sender string) (Settled, error) {
	columns, err := v.apply(&about.company)
	if err != nil {
		return Settled{}, err
	}
	pickRoles(&about, v)
	found, err := c.matcher.Match(tx, about.company.AccountID, c.candidate(about, v, sender))
	if err != nil {
		return Settled{}, err
	}
	if found.CompanyID != uuid.Nil {
		var visibility string
		err := tx.Raw("SELECT visibility FROM companies WHERE id = ?", found.CompanyID).Scan(&visibility).Error
		return Settled{CompanyID: found.CompanyID, Public: visibility == VisibilityTeam, Reason: found.Reason}, err
	}
	if columns["company_status_id"] != nil {
		names, err := stageNames(tx, nil, v.statusID)
		if err != nil {
			return Settled{}, err
		}
		v.checkStage(columns, names[1])
	}
	if columns["company_status_id"] == nil {
		about.company.CompanyStatusID = nil
	}
	if err := insert(tx, about.company, about.files); err != nil {
		return Settled{}, err
	}
	if err := noteDetection(tx, about.company, v); err != nil {
		return Settled{}, err
	}
	if err := readAgain(tx, c.companies.Work, about.company, v, ""); err != nil {
		return Settled{}, err
	}
	return Settled{CompanyID: about.company.ID, Created: true, Public: true, Reason: found.Reason}, storeTexts(tx, readings)
}

// pickRoles gives the files that were undecided their roles.
func pickRoles(about *subject, v verdict) {
	for i, file := range about.files {
		if file.Role != RoleUndecided {
			continue
		}
		about.files[i].Role = RoleAttachment
		if file.ID == v.deckFile {
			about.files[i].Role, about.company.DeckStoragePath = RoleDeck, file.StoragePath
		}
	}
}

// candidate is what is known of the company. Who sent the text counts only where nothing in it tells whose it is:
// founders introduce others.
func (c *Creator) candidate(about subject, v verdict, sender string) match.Candidate {
	known := match.Candidate{Name: about.company.Name, DeckLink: about.company.DeckLink, Metadata: about.company.Metadata}
	told := v.name != Untitled && v.name != c.companies.Rules.FallbackName(about.text(), about.order.Links)
	for _, file := range about.files {
		told = told || isDocument(*file.MediaType)
		if file.Role == RoleDeck && isPresentation(*file.MediaType) {
			known.Decks = append(known.Decks, *file.SHA256)
		}
	}
	for _, founder := range v.extra.Founders {
		told = told || founder.Email != ""
	}
	if !told && sender != "" {
		metadata, err := json.Marshal(map[string]any{"founders": []map[string]string{{"email": sender}}})
		if err == nil { // strings always have a JSON form
			known.Metadata = metadata
		}
	}
	return known
}
