package analyst

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/postgres"
)

// ModelAnswer is a stored answer of a model. Key is a hash of all that the answer depends on. UserID is the only user
// who may use the answer; nil for all members of the account. CompanyID is nil for a dry run.
type ModelAnswer struct {
	AccountID uuid.UUID `gorm:"primaryKey"`
	Key       string    `gorm:"primaryKey"`
	UserID    *uuid.UUID
	CompanyID *uuid.UUID
	Answer    string
	CreatedAt time.Time `gorm:"default:clock_timestamp()"`
}

// Remember has the time for which a model's answers are kept, and the maximum number of answers of each account. If
// either is 0, none are kept.
type Remember struct {
	Age  time.Duration
	Most int
}

func (r Remember) on() bool { return r.Age > 0 && r.Most > 0 }

// memory returns the account's memory of a model's answers, for an analysis on behalf of the target's user; nil if no
// answers are kept. Answers about a company that not every member sees are kept for this user alone. If the memory
// fails, the error is logged and the model is called.
func (a *Analyst) memory(t target) *analysis.Memory {
	if !a.remember.on() {
		return nil
	}
	row := ModelAnswer{AccountID: t.company.AccountID}
	scope := ""
	if t.company.Visibility != company.VisibilityTeam {
		row.UserID, scope = &t.user, t.user.String()+":"
	}
	if t.stored {
		row.CompanyID = &t.company.ID
	}
	return &analysis.Memory{
		Recall: func(ctx context.Context, key string) (string, bool) {
			answer, err := a.recall(ctx, t.user, row.AccountID, scope+key)
			if err != nil {
				a.logger.WarnContext(ctx, "a stored answer of the model could not be read", "error", err)
			}
			return answer, answer != ""
		},
		Keep: func(ctx context.Context, key, answer string) {
			kept := row
			kept.Key, kept.Answer = scope+key, answer
			if err := a.keepAnswer(ctx, t.user, kept); err != nil {
				a.logger.WarnContext(ctx, "an answer of the model could not be stored", "error", err)
			}
		},
	}
}

func (a *Analyst) recall(ctx context.Context, user, accountID uuid.UUID, key string) (answer string, err error) {
	err = a.db.As(ctx, user, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT answer FROM model_answers WHERE account_id = ? AND key = ? AND created_at > now() - "+
			"make_interval(secs => ?)",
			accountID, key, a.remember.Age.Seconds()).Scan(&answer).Error
	})
	return answer, err
}

// keepAnswer stores an answer in place of an earlier one with the same key. If row-level security hides the earlier one
// from the user, that one stays, and the new one is not stored.
func (a *Analyst) keepAnswer(ctx context.Context, user uuid.UUID, row ModelAnswer) error {
	return a.db.As(ctx, user, func(tx *postgres.Tx) error {
		if err := tx.Where("account_id = ? AND key = ?", row.AccountID, row.Key).Delete(&ModelAnswer{}).Error; err != nil {
			return err
		}
		return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error
	})
}

// ForgetAnswers removes the answers of models that are older than Remember.Age, and of each account all but the newest
// Remember.Most. It returns how many it removed.
func (a *Analyst) ForgetAnswers(ctx context.Context) (gone int, err error) {
	err = a.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_forget_model_answers(make_interval(secs => ?), ?)", a.remember.Age.Seconds(),
			a.remember.Most).Scan(&gone).Error
	})
	if err != nil {
		return 0, fmt.Errorf("forget old answers of the model: %w", err)
	}
	return gone, nil
}
