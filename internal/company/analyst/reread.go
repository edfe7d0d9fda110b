package analyst

import (
	"fmt"
	"time"

	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// If PDFs cannot be read for a temporary reason, the analysis is done without them, and repeated up to mostRereads
// times, first after rereadDelay and then each time after twice the delay before.
const (
	mostRereads = 7
	rereadDelay = 5 * time.Second
)

// unread returns sentences that say why a file was not read whole, and what happens then. If the reason is temporary,
// it also adds the sentences to v.unreadNow, and sets v.readAgain unless this is a dry run or the analysis has been
// repeated mostRereads times.
func (v *verdict) unread(t target, r reading) string {
	reason := fmt.Sprintf("%s could not be read whole: %s.", r.file.Title, r.text.Error)
	switch {
	case !r.text.Passing:
		return reason
	case t.input.Preview != nil:
		reason += " Try again."
	case v.input.Rereads < mostRereads:
		reason += " It is read again soon, and the company is updated then."
		v.readAgain = true
	default:
		reason += fmt.Sprintf(" That happened %d times: send the file again, or a smaller one.", mostRereads+1)
	}
	v.unreadNow = append(v.unreadNow, reason)
	return reason
}

// readAgain adds the work of another analysis of the company to rows if v.readAgain is set; otherwise it does nothing.
// requestID is that of the request that led to this analysis; "" if there is none.
func readAgain(tx *postgres.Tx, rows *work.Store, c company.Company, v verdict, requestID string) error {
	if !v.readAgain {
		return nil
	}
	todo := v.input
	delay := rereadDelay << todo.Rereads
	todo.Rereads++
	todo.Replaces, todo.SeveralPDFs = v.written, false
	item, err := aicreation.AnalysisItem(aicreation.Draft{
		WorkID: postgres.NewID(), AccountID: c.AccountID, CompanyID: c.ID, RequestID: requestID,
	}, aicreation.WorkReread, todo)
	if err != nil {
		return err
	}
	item.RunAfter = time.Now().Add(delay)
	return rows.Add(tx, item)
}
