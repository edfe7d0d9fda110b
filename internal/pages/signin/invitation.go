package signin

import (
	"context"
	"errors"
	"net/http"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// invitationForm has the data of the page of an invitation, with the input of the invited person and what is wrong with
// it. It must not show whether a user has the invited address, since the person who sent the invitation can open the
// page too.
type invitationForm struct {
	signin.Invited

	Here      bool // the invited person is signed in, and need not give a password
	Name      string
	NeedsCode bool
	Wrong     map[string]string // by field
	Joined    bool
	Board     string // of the team that they joined
}

func (p *pages) invitationPage(w http.ResponseWriter, r *http.Request) error {
	form, err := p.openInvitation(r)
	if err != nil {
		return p.refuseInvitation(w, r, err)
	}
	return p.showInvitation(w, http.StatusOK, form)
}

func (p *pages) showInvitation(w http.ResponseWriter, status int, form invitationForm) error {
	title := "You are invited"
	if form.Joined {
		title = "You have joined"
	}
	return p.frame.Show(w, status, "invitation", frame.Page{Title: title, Model: form})
}

// openInvitation returns the data of the page of the invitation in the path, with Here set if the invited person is
// signed in. The error is that of signin.Service.Invited.
func (p *pages) openInvitation(r *http.Request) (form invitationForm, err error) {
	v := frame.VisitorOf(r)
	form.Invited, form.Here, err = p.people.Invited(r.Context(), r.PathValue("token"), v.Caller.UserID)
	return form, err
}

// join accepts an invitation and signs the invited person in. If their input can be corrected, it shows the page again
// with what is wrong. The errors are those of frame.FormOf, newestBoard and refuseInvitation, which responds to a used
// or expired invitation itself.
func (p *pages) join(w http.ResponseWriter, r *http.Request) error {
	sent, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	form, err := p.openInvitation(r)
	if err != nil {
		return p.refuseInvitation(w, r, err)
	}
	v := frame.VisitorOf(r)
	form.Name = sent.Get("name")
	entry, err := p.people.Accept(r.Context(), signin.Acceptance{
		Token: r.PathValue("token"), Name: form.Name, Password: sent.Get("password"), TOTPCode: sent.Get("code"),
		Caller: v.Caller.UserID,
	}, v.Guard)
	if wrong := wrongInInvitation(err); wrong != nil {
		form.Wrong, form.NeedsCode = wrong, wrong["code"] != "" || sent.Has("code")
		return p.showInvitation(w, v.Failed(err), form)
	}
	if err != nil {
		return p.refuseInvitation(w, r, err)
	}
	v.Enter(entry)
	form.Joined = true
	if form.Board, err = p.newestBoard(r.Context(), entry); err != nil {
		return err
	}
	return p.showInvitation(w, http.StatusOK, form)
}

// newestBoard returns the path of the board of the team that the user joined last, or frame.AppPath if they have none.
// It looks at the first account.Most teams of the user.
func (p *pages) newestBoard(ctx context.Context, entry signin.Entry) (string, error) {
	joined, _, err := p.accounts.Accounts(ctx, postgres.AsUser(entry.UserID), paging.First(account.Most))
	if err != nil || len(joined) == 0 {
		return frame.AppPath, err
	}
	return frame.AppPath + "/" + joined[len(joined)-1].ID.String() + "/board", nil
}

// wrongInInvitation returns what is wrong with the answers of an invited person, by field of the form, or nil for an
// error that they cannot correct on the page.
func wrongInInvitation(err error) map[string]string {
	refusal, found := errors.AsType[*fault.Error](err)
	switch {
	case found && refusal.Code == "totp_required":
		return map[string]string{"code": "Please enter the code of your authenticator app too."}
	case found && refusal.Kind == fault.Unauthenticated:
		return map[string]string{
			"password": "That is not the password of this address. If you are new here, give your name too.",
		}
	case !found || refusal.Kind != fault.InvalidBody:
		return nil
	}
	wrong := map[string]string{}
	for _, detail := range refusal.Details {
		if detail.Field != "name" && detail.Field != "password" {
			return nil
		}
		wrong[detail.Field] = "It " + detail.Message + "."
	}
	return wrong
}

// refuseInvitation responds with a notice that an invitation was used, has expired, or does not exist. It returns any
// other error.
func (p *pages) refuseInvitation(w http.ResponseWriter, r *http.Request, err error) error {
	refusal, found := errors.AsType[*fault.Error](err)
	if !found {
		return err
	}
	var notice frame.Notice
	status := http.StatusGone
	switch {
	case refusal.Code == "invitation_used":
		notice = frame.Notice{
			Title: "This invitation was used",
			Text:  "Somebody has joined the team with it. If that was you, sign in with your address and password.",
		}
	case refusal.Code == "invitation_expired":
		notice = frame.Notice{
			Title: "This invitation has expired", Text: "Please ask the person who invited you for a new one.",
		}
	case refusal.Kind == fault.NotFound:
		status = http.StatusNotFound
		notice = frame.Notice{
			Title: "There is no such invitation",
			Text: "It was revoked, replaced by a newer one, or never made. Check that you have the whole address, or ask the " +
				"person who invited you.",
		}
	default:
		return err
	}
	frame.VisitorOf(r).Failed(err)
	return p.frame.ShowNotice(w, status, notice)
}
