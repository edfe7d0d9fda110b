package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// idCodec reads and writes uuids as uuid.UUID, without converting them to text.
type idCodec struct{ pgtype.UUIDCodec }

// PlanScan implements pgtype.Codec.
func (c idCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, fits := target.(*uuid.UUID); fits && format == pgtype.BinaryFormatCode {
		return idPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

// PlanEncode implements pgtype.Codec.
func (c idCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, fits := value.(uuid.UUID); fits && format == pgtype.BinaryFormatCode {
		return idPlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

type idPlan struct{}

// Scan implements pgtype.ScanPlan.
func (idPlan) Scan(src []byte, target any) error {
	id, _ := target.(*uuid.UUID)
	if len(src) != len(id) {
		return fmt.Errorf("a uuid of %d bytes", len(src))
	}
	copy(id[:], src)
	return nil
}

// Encode implements pgtype.EncodePlan.
func (idPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, _ := value.(uuid.UUID)
	return append(buf, id[:]...), nil
}

// learnTypes registers idCodec with a connection.
func learnTypes(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: idCodec{}})
	return nil
}
