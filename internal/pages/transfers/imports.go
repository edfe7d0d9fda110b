// Package transfers has the pages of imports.
package transfers

import (
	"net/http"
	"strconv"

	"dealflow/internal/ingest/imports"
	"dealflow/internal/pages/frame"
	"dealflow/internal/transfer"
	"dealflow/internal/watch"
)

// importsSize is how many imports a page of the list has. errorsShown and keptShown are how many errors of rows, and
// how many records that an undo kept, the page of one import shows. errorsAtOnce is how many errors a query for the CSV
// file reads.
const (
	importsSize  = 30
	errorsShown  = 50
	keptShown    = 200
	errorsAtOnce = 1000
)

// importList has the data of the page of an account's imports.
type importList struct {
	frame.Pager

	Imports []shownImport
	Kinds   []frame.Choice
}

// shownImport has the data of the page of one import, or of its row in the list of imports, which has neither Events
// nor Errors nor Kept.
type shownImport struct {
	imports.Import

	What   string // the label of its kind
	Page   string
	Events string             // the address at which changes are streamed
	Errors []imports.RowError // the first
	Kept   []imports.Kept     // the first records that the undo did not remove
}

// Percent returns how many of the rows received so far were processed, in percent, rounded down; 0 if none were
// received.
func (i shownImport) Percent() int64 {
	if i.Total == 0 {
		return 0
	}
	return 100 * i.Processed / i.Total
}

// UndoProgress returns how many of the records that the undo must handle were removed or kept, in percent, rounded
// down; 0 if there are none.
func (i shownImport) UndoProgress() int64 {
	if i.UndoTotal == 0 {
		return 0
	}
	return 100 * (i.UndoRemoved + i.UndoKept) / i.UndoTotal
}

// CanUndo reports whether the page offers to undo the import: it has ended, has created something, and no undo has
// begun or the undo has failed.
func (i shownImport) CanUndo() bool {
	return i.Over() && i.Created > 0 && (i.UndoStatus == nil || *i.UndoStatus == imports.StatusFailed)
}

type pages struct {
	frame    *frame.Server
	imports  *imports.Service
	progress *watch.Watcher // of imports
}

// Serve adds the pages of imports to the server.
func Serve(on *frame.Server, imports *imports.Service, progress *watch.Watcher) {
	p := &pages{frame: on, imports: imports, progress: progress}
	const one = "/app/{account}/imports/{import}"
	p.frame.Member("GET /app/{account}/imports", p.importsPage)
	p.frame.Member("POST /app/{account}/imports", p.startImport)
	p.frame.Member("GET "+one, p.importPage)
	p.frame.Member("GET "+one+"/events", p.importEvents)
	p.frame.Member("GET "+one+"/errors.csv", p.importErrors)
	p.frame.Member("POST "+one+"/cancel", p.cancelImport)
	p.frame.Member("POST "+one+"/undo", p.undoImport)
}

func kindsOfImports() []frame.Choice {
	return []frame.Choice{
		{Value: imports.KindCompanies, Label: "Companies"},
		{Value: imports.KindEmails, Label: "Emails"},
		{Value: imports.KindForms, Label: "Form submissions"},
	}
}

func intakeOf(s *frame.Scene, one imports.Import) shownImport {
	shown := shownImport{Import: one, What: "Whole account", Page: s.Base() + "/imports/" + one.ID.String()}
	for _, kind := range kindsOfImports() {
		if kind.Value == one.Kind {
			shown.What = kind.Label
		}
	}
	return shown
}

func (p *pages) importsPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	page, pager := frame.PageOf(r, importsSize)
	found, next, err := p.imports.List(r.Context(), s.Who, s.Account.ID, page)
	if err != nil {
		return err
	}
	pager.End(r, next != nil)
	model := importList{Pager: pager, Kinds: kindsOfImports()}
	for _, one := range found {
		model.Imports = append(model.Imports, intakeOf(s, one))
	}
	return p.frame.Show(w, http.StatusOK, "imports", s.Page("Imports", "imports", model))
}

// startImport receives the file of a form, and redirects to the page that shows the progress of the import.
func (p *pages) startImport(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	begun, err := s.Import(s.Account.ID)
	if err != nil {
		return err
	}
	return frame.Redirect(w, r, s.Base()+"/imports/"+begun.ID.String())
}

// imported returns the import of the path. The error is NotFound if the account has none with this id.
func (p *pages) imported(r *http.Request, s *frame.Scene) (imports.Import, error) {
	id, err := frame.PathID(r, "import")
	if err != nil {
		return imports.Import{}, err
	}
	return p.imports.Get(r.Context(), s.Who, s.Account.ID, id)
}

func (p *pages) importPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	id, err := frame.PathID(r, "import")
	if err != nil {
		return err
	}
	events, err := frame.EventsURL(r.Context(), p.progress, r.URL.Path, id)
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
		model.Errors, err = p.imports.Errors(r.Context(), s.Caller.UserID, s.Account.ID, found.ID, 0, errorsShown)
		if err != nil {
			return err
		}
	}
	if found.UndoKept > 0 {
		if model.Kept, err = p.imports.ListKept(r.Context(), s.Who, s.Account.ID, found.ID, nil, keptShown); err != nil {
			return err
		}
	}
	return p.frame.Show(w, http.StatusOK, "import", s.Page("Import", "imports", model))
}

func (p *pages) importEvents(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	id, err := frame.PathID(r, "import")
	if err != nil {
		return err
	}
	watching := p.progress.Watch(id)
	defer watching.Close()
	return p.frame.Stream(w, r, s, watching, func() error {
		_, err := p.imported(r, s)
		return err
	})
}

// importErrors streams the errors of all rows of an import as a CSV file. If reading fails after the first rows, it
// aborts the connection, so that the file does not look complete.
func (p *pages) importErrors(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	id, err := frame.PathID(r, "import")
	if err != nil {
		return err
	}
	var out *transfer.CSV
	for after, first := int64(0), true; ; first = false {
		found, err := p.imports.Errors(r.Context(), s.Caller.UserID, s.Account.ID, id, after, errorsAtOnce)
		switch {
		case err != nil && first:
			return err
		case err != nil:
			s.Failed(err)
			panic(http.ErrAbortHandler) // a part of the file was sent: the client must see that it is incomplete
		}
		if first {
			out = frame.BeginCSV(w, "import errors.csv")
			_ = out.Row("row", "reason")
		}
		for _, one := range found {
			after = one.Row
			_ = out.Row(strconv.FormatInt(one.Row, 10), one.Reason)
		}
		if out.Flush() != nil || len(found) < errorsAtOnce {
			return nil //nolint:nilerr // the client has gone, so that nobody can be told
		}
	}
}

func (p *pages) cancelImport(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	if _, err := frame.FormOf(w, r); err != nil {
		return err
	}
	id, err := frame.PathID(r, "import")
	if err != nil {
		return err
	}
	if _, err := p.imports.Cancel(r.Context(), s.Caller.UserID, s.Account.ID, id); err != nil {
		return err
	}
	return frame.Redirect(w, r, s.Base()+"/imports/"+id.String())
}

func (p *pages) undoImport(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	if _, err := frame.FormOf(w, r); err != nil {
		return err
	}
	id, err := frame.PathID(r, "import")
	if err != nil {
		return err
	}
	if _, err := p.imports.BeginUndo(r.Context(), s.Caller.UserID, s.Account.ID, id, ""); err != nil {
		return err
	}
	return frame.Redirect(w, r, s.Base()+"/imports/"+id.String())
}
