package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Types of field that have options.
const (
	FieldSelect      = "select"
	FieldMultiSelect = "multi_select"
)

// FieldTypes returns every type that a field can have.
func FieldTypes() []string {
	return []string{"text", "number", "date", "url", "email", FieldSelect, FieldMultiSelect, "boolean"}
}

func hasOptions(fieldType string) bool {
	return fieldType == FieldSelect || fieldType == FieldMultiSelect
}

// FieldSetting is a custom field that an account adds to its companies. The names of an account's fields are unique,
// ignoring case.
type FieldSetting struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	Name      string
	FieldType string
	Options   []string `gorm:"serializer:json"` // of the types with options only; distinct
	Required  bool     // clients should require a value; the service does not
	Position  int      // the fields are ordered by it
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NewField is a field that a client creates. It becomes the last one.
type NewField struct {
	Name      string
	FieldType string
	Options   []string
	Required  bool
}

// FieldChange is a change of a field. A nil member changes nothing, with one exception: if the new type has no options,
// the field loses its options.
type FieldChange struct {
	Name      *string
	FieldType *string
	Options   *[]string
	Required  *bool
	Position  *int
}

// Fields returns a page of the account's fields in their order, and the position where the next page begins, which is
// nil at the end. The error is NotFound if there is no such account, and Forbidden if the caller is not a member of it.
func (s *Service) Fields(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) ([]FieldSetting, *paging.Position, error) {
	var fields []FieldSetting
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &fields, func(tx *gorm.DB) *gorm.DB {
		return page.Of(ranked("position"))(tx.Where("account_id = ?", accountID)).Find(&[]FieldSetting{})
	}).Within(page))
	if err != nil {
		return nil, nil, fmt.Errorf("list fields: %w", err)
	}
	fields, next := paging.Cut(page, fields,
		func(f *FieldSetting) paging.Position { return rankedAt(f.Position, f.CreatedAt, f.ID) })
	return fields, next, nil
}

// CreateField adds a field, after the account's other fields. The error is InvalidBody if a member is invalid (see
// NewField.Check), NotFound if there is no such account, Forbidden if the user is not an owner or admin, and Conflict
// if the account has a field of this name.
func (s *Service) CreateField(ctx context.Context, user, accountID uuid.UUID, in NewField) (FieldSetting, error) {
	field, err := in.read()
	if err != nil {
		return FieldSetting{}, err
	}
	field.AccountID = accountID
	err = s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if _, err := account.LockAsAdmin(tx, accountID); err != nil {
			return err
		}
		err := tx.Raw("SELECT LEAST(COALESCE(max(position), 0), ?) + 1 FROM field_settings WHERE account_id = ?",
			lastButOne, accountID).Scan(&field.Position).Error
		if err != nil {
			return fmt.Errorf("find the last field: %w", err)
		}
		err = nameTaken(tx.Omit("CreatedAt", "UpdatedAt").Create(&field).Error)
		tx.Made(field)
		return err
	})
	return field, err
}

// ChangeField changes a field of an account. The error is InvalidBody if a member is invalid (see FieldChange.Check) or
// the options do not fit the type, NotFound if there is no such account or field, Forbidden if the user is not an owner
// or admin, and Conflict if another field has the name.
func (s *Service) ChangeField(
	ctx context.Context, user, accountID, id uuid.UUID, in FieldChange,
) (FieldSetting, error) {
	if err := in.Check(); err != nil {
		return FieldSetting{}, err
	}
	var field FieldSetting
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if _, err := account.LockAsAdmin(tx, accountID); err != nil {
			return err
		}
		err := tx.First(&field, "account_id = ? AND id = ?", accountID, id).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return fault.NewNotFound()
		}
		if err != nil {
			return fmt.Errorf("read field: %w", err)
		}
		in.apply(&field)
		var c checks
		c.fitOptions(field.FieldType, field.Options)
		if err := c.err(); err != nil {
			return err
		}
		return nameTaken(tx.Select("*").Omit("CreatedAt").Where("account_id = ?", accountID).Updates(&field).Error)
	})
	return field, err
}

// Check returns InvalidBody, which names every invalid member, or nil. It checks whether the options fit the type only
// if all members are valid.
func (in NewField) Check() error {
	_, err := in.read()
	return err
}

// read validates the new field and returns the FieldSetting to store, without AccountID and Position. The error is
// InvalidBody and names every invalid member. Whether the options fit the type is checked only if all members are
// valid.
func (in NewField) read() (FieldSetting, error) {
	var c checks
	field := FieldSetting{
		ID: uuid.New(), Required: in.Required, Name: c.name(in.Name), FieldType: c.fieldType(in.FieldType),
		Options: c.options(in.Options),
	}
	if c.err() == nil {
		c.fitOptions(field.FieldType, field.Options)
	}
	return field, c.err()
}

// Check removes the white space around the name and the options, and returns InvalidBody, which names every invalid
// member, or nil. It does not check whether the options fit the type.
func (in *FieldChange) Check() error {
	var c checks
	if in.Name != nil {
		name := c.name(*in.Name)
		in.Name = &name
	}
	if in.FieldType != nil {
		c.fieldType(*in.FieldType)
	}
	if in.Options != nil {
		options := c.options(*in.Options)
		in.Options = &options
	}
	if in.Position != nil {
		c.order("order", *in.Position)
	}
	return c.err()
}

func (in *FieldChange) apply(field *FieldSetting) {
	if in.Name != nil {
		field.Name = *in.Name
	}
	if in.FieldType != nil {
		field.FieldType = *in.FieldType
		if !hasOptions(field.FieldType) {
			field.Options = []string{}
		}
	}
	if in.Options != nil {
		field.Options = *in.Options
	}
	if in.Required != nil {
		field.Required = *in.Required
	}
	if in.Position != nil {
		field.Position = *in.Position
	}
}

// nameTaken returns Conflict if err says that the account has a field of this name already. It wraps any other error,
// and returns nil for nil.
func nameTaken(err error) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return fault.New(fault.Conflict, "name_taken", fault.Detail{Field: "name", Message: "another field has this name"})
	}
	if err != nil {
		return fmt.Errorf("store field: %w", err)
	}
	return nil
}

// DeleteField deletes a field. Companies keep the values that they have under its name. The error is NotFound if there
// is no such account or field, and Forbidden if the user is not an owner or admin.
func (s *Service) DeleteField(ctx context.Context, user, accountID, id uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if err := account.RequireAdmin(tx, accountID); err != nil {
			return err
		}
		done := tx.Where("account_id = ? AND id = ?", accountID, id).Delete(&FieldSetting{})
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return done.Error
	})
}
