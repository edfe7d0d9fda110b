package pages

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"

	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
)

// How many imports, and errors of one, a page shows, and how many errors are read at a time to be downloaded.
const (
	importsSize  = 30
	errorsShown  = 50
	keptShown    = 200
	errorsAtOnce = 1000
)

// importList is the page of an account's imports.
type importList struct {
	Imports []intake
	Kinds   []choice
	Number  int
	Before  string // the page before; "" for none
	After   string // the page after
}

// intake is an import as people are shown it.
type intake struct {
	imports.Import

	What   string
	Page   string
	Events string             // where changes are streamed
	Errors []imports.RowError // the first
	Kept   []imports.Kept     // the first that the undo left
}

// Percent returns how much of what has arrived is written.
func (i intake) Percent() int64 {
	if i.Total == 0 {
		return 0
	}
	return 100 * i.Processed / i.Total
}

// Undone returns how much of the undo is done.
func (i intake) Undone() int64 {
	if i.UndoTotal == 0 {
		return 0
	}
	return 100 * (i.UndoRemoved + i.UndoKept) / i.UndoTotal
}

// CanUndo reports whether the page offers to undo it.
func (i intake) CanUndo() bool {
	return i.Over() && (i.UndoStatus == nil || *i.UndoStatus == imports.StatusFailed)
}

func (p *Pages) importRoutes() {
	const one = "/app/{account}/imports/{import}"
	p.member("GET /app/{account}/imports", p.importsPage)
	p.member("POST /app/{account}/imports", p.startImport)
	p.member("GET "+one, p.importPage)
	p.member("GET "+one+"/events", p.importEvents)
	p.member("GET "+one+"/errors.csv", p.importErrors)
	p.member("POST "+one+"/cancel", p.cancelImport)
	p.member("POST "+one+"/undo", p.undoImport)
}

func kindsOfImports() []choice {
	return []choice{
		{imports.KindCompanies, "Companies"}, {imports.KindEmails, "Emails"}, {imports.KindForms, "Form submissions"},
	}
}

func intakeOf(s *scene, one imports.Import) intake {
	shown := intake{Import: one, Page: s.base() + "/imports/" + one.ID.String()}
	for _, kind := range kindsOfImports() {
		if kind.Value == one.Kind {
			shown.What = kind.Label
		}
	}
	return shown
}

func (p *Pages) importsPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	model := importList{Kinds: kindsOfImports(), Number: 1}
	if number, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && number > 1 {
		model.Number, model.Before = number, pageURL(r.URL, number-1)
	}
	page := postgres.Page{Number: model.Number, Limit: importsSize}
	found, next, err := p.deps.Imports.List(r.Context(), s.Who, s.account.ID, page)
	if err != nil {
		return err
	}
	for _, one := range found {
		model.Imports = append(model.Imports, intakeOf(s, one))
	}
	if next != nil {
		model.After = pageURL(r.URL, model.Number+1)
	}
	return p.show(w, http.StatusOK, "imports", s.frame("Imports", "imports", model))
}

// startImport takes a file in, and leads to the page on which its progress is.
func (p *Pages) startImport(w http.ResponseWriter, r *http.Request, s *scene) error {
	begun, err := s.Import(s.account.ID)
	if err != nil {
		return err
	}
	//nolint:gosec // G710: a path of ours, made of ids
	http.Redirect(w, r, s.base()+"/imports/"+begun.ID.String(), http.StatusSeeOther)
	return nil
}

// imported returns the import of the path.
func (p *Pages) imported(r *http.Request, s *scene) (imports.Import, error) {
	id, err := pathID(r, "import")
	if err != nil {
		return imports.Import{}, err
	}
	return p.deps.Imports.Get(r.Context(), s.Who, s.account.ID, id)
}

func (p *Pages) importPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	id, err := pathID(r, "import")
	if err != nil {
		return err
	}
	events, err := p.eventsURL(r.Context(), p.deps.Progress, r.URL.Path, id)
	if err != nil {
		return err
	}
	found, err := p.imported(r, s)
	if err != nil {
		return err
	}
	model := intakeOf(s, found)
	model.Events = events
	if found.Failed > 0 {
		model.Errors, err = p.deps.Imports.Errors(r.Context(), s.Caller.UserID, s.account.ID, found.ID, 0, errorsShown)
		if err != nil {
			return err
		}
	}
	if found.UndoKept > 0 {
		if model.Kept, err = p.deps.Imports.ListKept(r.Context(), s.Who, s.account.ID, found.ID, nil, keptShown); err != nil {
			return err
		}
	}
	return p.show(w, http.StatusOK, "import", s.frame("Import", "imports", model))
}

func (p *Pages) importEvents(w http.ResponseWriter, r *http.Request, s *scene) error {
	id, err := pathID(r, "import")
	if err != nil {
		return err
	}
	watching := p.deps.Progress.Watch(id)
	defer watching.Close()
	return p.stream(w, r, s, watching, func() error {
		_, err := p.imported(r, s)
		return err
	})
}

// importErrors sends what is wrong with rows as a table.
func (p *Pages) importErrors(w http.ResponseWriter, r *http.Request, s *scene) error {
	id, err := pathID(r, "import")
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	for after, first := int64(0), true; ; first = false {
		found, err := p.deps.Imports.Errors(r.Context(), s.Caller.UserID, s.account.ID, id, after, errorsAtOnce)
		switch {
		case err != nil && first:
			return err
		case err != nil:
			panic(http.ErrAbortHandler) // part of the table is sent: the client must see that it is not whole
		}
		if first {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Header().Set("Content-Disposition", `attachment; filename="import errors.csv"`)
			_ = out.Write([]string{"row", "reason"})
		}
		for _, one := range found {
			after = one.Row
			_ = out.Write([]string{strconv.FormatInt(one.Row, 10), defused(one.Reason)})
		}
		if out.Flush(); out.Error() != nil {
			return nil //nolint:nilerr // the client has gone
		}
		if len(found) < errorsAtOnce {
			return nil
		}
	}
}

// defused returns a cell that no spreadsheet takes for a formula.
func defused(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func (p *Pages) cancelImport(w http.ResponseWriter, r *http.Request, s *scene) error {
	if _, err := formOf(w, r); err != nil {
		return err
	}
	id, err := pathID(r, "import")
	if err != nil {
		return err
	}
	if _, err := p.deps.Imports.Cancel(r.Context(), s.Caller.UserID, s.account.ID, id); err != nil {
		return err
	}
	//nolint:gosec // G710: a path of ours, made of ids
	http.Redirect(w, r, s.base()+"/imports/"+id.String(), http.StatusSeeOther)
	return nil
}

func (p *Pages) undoImport(w http.ResponseWriter, r *http.Request, s *scene) error {
	if _, err := formOf(w, r); err != nil {
		return err
	}
	id, err := pathID(r, "import")
	if err != nil {
		return err
	}
	if _, err := p.deps.Imports.BeginUndo(r.Context(), s.Caller.UserID, s.account.ID, id, ""); err != nil {
		return err
	}
	//nolint:gosec // G710: a path of ours, made of ids
	http.Redirect(w, r, s.base()+"/imports/"+id.String(), http.StatusSeeOther)
	return nil
}
