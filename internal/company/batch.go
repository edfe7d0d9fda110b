package company

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"dealflow/internal/activity"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// analysisRank lets an account's imports go before the analyses of what they bring.
const analysisRank = 1

// Check fills the defaults of a draft and gives every field that is wrong, as InvalidBody.
func (d *Draft) Check() error { return d.validate() }

// Stages gives those of the ids that are statuses of the account, in the transaction of one of its members.
func Stages(tx *postgres.Tx, accountID uuid.UUID, ids ...uuid.UUID) (map[uuid.UUID]bool, error) {
	known := map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return known, nil
	}
	var found []uuid.UUID
	err := tx.Raw("SELECT id FROM company_statuses WHERE account_id = ? AND id IN ? ORDER BY id FOR SHARE", accountID, ids).Scan(&found).Error
	for _, id := range found {
		known[id] = true
	}
	return known, err
}

// NoStage is the refusal of a draft whose status is none of the account's.
func NoStage() error { return fault.Field("company_status_id", "is no status of this account") }

// IntakeBatch takes in drafts without files that have passed Check and are of one account, in the transaction of one of its members, and gives the
// ids of the companies that are new, in no order. Their analyses are bulk work. Every draft has an ExternalID, no two the same; a company that the
// account knows by it already is left as it is. The error is the database's.
func (s *Service) IntakeBatch(tx *postgres.Tx, drafts []*Draft) ([]uuid.UUID, error) {
	companies, orders := make([]Company, len(drafts)), map[uuid.UUID]work.Item{}
	for i, d := range drafts {
		d.CompanyID = uuid.New()
		var todo order
		companies[i], _, todo = s.prepare(tx.UserID(), *d)
		companies[i].ExternalID = &d.ExternalID
		item, err := orderItem(*d, WorkAnalyse, todo)
		if err != nil {
			return nil, err
		}
		item.ID, item.Queue, item.Rank, item.SubjectID = uuid.New(), work.Bulk, analysisRank, &d.CompanyID
		orders[d.CompanyID] = item
	}
	onConflict := clause.OnConflict{
		Columns: []clause.Column{{Name: "account_id"}, {Name: "external_id"}}, DoNothing: true,
		TargetWhere: clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "external_id IS NOT NULL"}}},
	}
	if err := tx.Clauses(onConflict).Omit("CreatedAt", "UpdatedAt").Create(&companies).Error; err != nil {
		return nil, fmt.Errorf("store companies: %w", err)
	}
	return s.follow(tx, companies, orders)
}

// follow does what follows from those companies that were stored.
func (s *Service) follow(tx *postgres.Tx, companies []Company, orders map[uuid.UUID]work.Item) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(companies))
	for i, c := range companies {
		ids[i] = c.ID
	}
	var added []Company
	if err := tx.Select("id", "account_id", "name").Where("id IN ?", ids).Find(&added).Error; err != nil {
		return nil, fmt.Errorf("see which companies are new: %w", err)
	}
	var made []uuid.UUID
	var items []work.Item
	var entries []activity.Entry
	for _, c := range added {
		made, items = append(made, c.ID), append(items, orders[c.ID])
		entries = append(entries, activity.Entry{AccountID: c.AccountID, Type: activity.CompanyAdded, Description: "Company " + c.Name + " was added", CompanyID: &c.ID})
	}
	if err := activity.RecordMany(tx, entries); err != nil {
		return nil, err
	}
	return made, s.Work.Add(tx, items...)
}
