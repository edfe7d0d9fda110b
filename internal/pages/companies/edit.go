package companies

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/patch"
	"dealflow/internal/pipeline"
)

// back redirects to the page from which a form was sent: the queue of reviews if the field "back" of the form is
// "review", else the company's page, at the element that the field "place" names, if any. It always returns nil.
func back(w http.ResponseWriter, r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) error {
	to := s.Base() + "/companies/" + id.String()
	if form.Get("back") == "review" {
		to = s.Base() + "/review"
	} else if anchor := form.Get("place"); anchor != "" {
		to += "#" + url.PathEscape(anchor)
	}
	return frame.Redirect(w, r, to)
}

// sent returns the company of the path, and the form in the request. The error is that of frame.FormOf or
// visibleCompany.
func (p *pages) sent(w http.ResponseWriter, r *http.Request, s *frame.Scene) (company.View, url.Values, error) {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return company.View{}, nil, err
	}
	view, err := p.visibleCompany(r, s)
	return view, form, err
}

// editCompany changes the company as the form says, and redirects back. It does not change fields that the form does
// not have. The errors are those of sent, changeOf, changed, keepsUnseen and company.Service.Update.
func (p *pages) editCompany(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, form, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	change, err := changeOf(form)
	if err != nil {
		return err
	}
	var own []pipeline.FieldSetting
	members := map[string]any{}
	if form.Has("own") {
		if own, err = p.fieldSettings(r.Context(), s); err != nil {
			return err
		}
		if members, err = changed(ownFieldsOf(own, view.Metadata), form); err != nil {
			return err
		}
	}
	addFindings(members, form)
	if len(members) > 0 {
		if change.Metadata, err = company.EncodeMetadata(members); err != nil {
			return err
		}
	}
	change.Demand = func(current company.Company) error { return keepsUnseen(form, current, own) }
	if _, err := p.deps.Companies.Update(r.Context(), s.Who, view.ID, change); err != nil {
		return err
	}
	return back(w, r, s, view.ID, form)
}

// keepsUnseen returns Conflict if the form would overwrite a text of the company, its founders or one of the account's
// own fields that was changed after the form was shown. The field "seen" of the form has the fingerprint of the one
// text (name, notes, summary or link of the deck) or the list of founders that the form shows: a form must not show two
// of them. The fingerprint of an own field is in the field named "seen." and the key of the own field. What has no
// fingerprint may be overwritten.
func keepsUnseen(form url.Values, current company.Company, own []pipeline.FieldSetting) error {
	overwrites := func(seen, sent, now string) bool {
		return form.Has(seen) && form.Get(seen) != fingerprint(now) && sent != now
	}
	var unseen []fault.Detail
	refuse := func(what string) {
		unseen = append(unseen, fault.Detail{
			Field: what, Message: "was changed meanwhile: copy yours, load the page again, and add it to what is there now",
		})
	}
	known := membersOf(current.Metadata)
	for field, text := range map[string]string{
		"name": current.Name, "notes": render.Text(current.Notes), "summary": known.Summary,
		"deck_link": render.WebLink(render.Text(current.DeckLink)),
	} {
		if form.Has(field) && overwrites("seen", form.Get(field), text) {
			refuse("text")
		}
	}
	if form.Has("founder_name") && overwrites("seen", foundersText(foundersOf(form)), foundersText(known.Founders)) {
		refuse("list of founders")
	}
	for _, f := range ownFieldsOf(own, current.Metadata) {
		if f.isEdited(form) && overwrites("seen."+f.Key, f.sent(form), f.shown()) {
			refuse(f.Name)
		}
	}
	if len(unseen) > 0 {
		return fault.New(fault.Conflict, "changed_meanwhile", unseen...)
	}
	return nil
}

// foundersText returns founders as one text, which is equal for equal founders only.
func foundersText(founders []analysis.Founder) string { return fmt.Sprintf("%q", founders) }

// fingerprint returns the hash of a text. A form has it of the text that it shows, so that a change of the text since
// can be noticed.
func fingerprint(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// deleteCompany deletes the company, and redirects to the board. The errors are those of sent and
// company.Service.Delete.
func (p *pages) deleteCompany(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, _, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	if err := p.deps.Companies.Delete(r.Context(), s.Caller.UserID, view.ID); err != nil {
		return err
	}
	return frame.Redirect(w, r, s.Base()+"/board")
}

// changeOf returns the change in a form, except that of the metadata. Fields that the form does not have are not
// changed. The error is NotFound for a status or an assignee that is not an id. It does not check other values;
// company.Service.Update does.
func changeOf(form url.Values) (change company.Change, err error) {
	given := func(name string) *string {
		if !form.Has(name) {
			return nil
		}
		return new(form.Get(name))
	}
	change.Name, change.Visibility, change.Source = given("name"), given("visibility"), given("source")
	change.Notes, change.DeckLink = clearable(form, "notes"), clearable(form, "deck_link")
	if form.Has("status") {
		if change.StatusID, err = StatusOf(form.Get("status")); err != nil {
			return change, err
		}
	}
	if form.Has("assignees") {
		if change.Assignees, err = IDsOf(form["assignee"]); err != nil {
			return change, err
		}
	}
	return change, nil
}

// addFindings adds the summary and the founders of a form, if it has them, to members of the metadata.
func addFindings(members map[string]any, form url.Values) {
	if form.Has("summary") {
		members["ai_analysis"] = form.Get("summary")
	}
	if form.Has("founder_name") {
		members["founders"] = foundersOf(form)
	}
}

// clearable returns the change of the text under name in a form: none if the form does not have the name, else the new
// text; an empty text clears the field.
func clearable(form url.Values, name string) patch.Nullable[string] {
	value := patch.Nullable[string]{Set: form.Has(name)}
	if sent := form.Get(name); sent != "" {
		value.Value = &sent
	}
	return value
}

// StatusOf parses the status of a form, an id; frame.NoStatus clears the status. The error is NotFound for any other
// text. The result is always Set.
func StatusOf(sent string) (patch.Nullable[uuid.UUID], error) {
	status := patch.Nullable[uuid.UUID]{Set: true}
	if sent == frame.NoStatus {
		return status, nil
	}
	id, err := uuid.Parse(sent)
	if err != nil {
		return status, frame.NotFound()
	}
	status.Value = &id
	return status, nil
}

// IDsOf parses the ids of a form. The result points to an empty slice if there are none. The error is NotFound if one
// of them is not an id.
func IDsOf(sent []string) (*[]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(sent))
	for i, one := range sent {
		id, err := uuid.Parse(one)
		if err != nil {
			return nil, frame.NotFound()
		}
		ids[i] = id
	}
	return &ids, nil
}

// foundersOf returns the founders of a form, one for each row that has more than a background; it drops the other rows.
// It never returns nil.
func foundersOf(form url.Values) []analysis.Founder {
	at := func(name string, i int) string {
		if values := form[name]; i < len(values) {
			return values[i]
		}
		return ""
	}
	founders := []analysis.Founder{}
	for i := range form["founder_name"] {
		one := analysis.Founder{
			Name: at("founder_name", i), Title: at("founder_title", i), Email: at("founder_email", i),
			Phone:           at("founder_phone", i),
			LinkedInProfile: at("founder_linkedin", i),
		}
		if one != (analysis.Founder{}) {
			one.Background = at("founder_background", i)
			founders = append(founders, one)
		}
	}
	return founders
}
