package rank

import (
	"bytes"
	"encoding/binary"
	"math"
)

// mostUnits is the largest number of units of a model.
const mostUnits = 64

// units are the hidden layer of a model of one class, by which a feature may count for more or less beside others. Each
// unit has a bias, a factor, and a weight for each common feature. It sums its bias and the weights of the features of
// a vector, times their values. A sum above 0, times the factor, is added to the score.
type units struct {
	n           int
	scale       float64 // of the bytes
	bias, times []float64
	first       []int32 // by the feature's row: where its weights begin, -1 for a rare feature
	weights     []int8
}

// finest is the number of steps between 0 and 1 to which the units round the values of features, so that they add whole
// numbers, which is much faster.
const finest = 256

// sums are what the units have added up, in parts of 1/finest and without the scale.
type sums [mostUnits]int32

// add adds the weights of the feature in a row, times its value, to the sums. A rare feature has no weights and adds
// nothing.
func (u *units) add(s *sums, row int, value float32) {
	at := u.first[row]
	if at < 0 {
		return
	}
	parts := int32(math.Round(float64(value) * finest))
	for i, w := range u.weights[at : int(at)+u.n] {
		s[i%mostUnits] += int32(w) * parts
	}
}

// score returns what units with these sums add to the score of a vector.
func (u *units) score(s *sums) float64 {
	score := 0.0
	for i, bias := range u.bias {
		sum := float64(float64(s[i])*u.scale/finest) + bias
		score += float64(max(0, sum) * u.times[i])
	}
	return score
}

// appendUnits appends the encoded units of a model to a file. Without units that is a zero.
func (m *Model) appendUnits(out []byte) []byte {
	u := m.units
	if u == nil {
		return append(out, 0)
	}
	out = append(out, byte(u.n)) //nolint:gosec // at most mostUnits
	for _, x := range append(append([]float64{u.scale}, u.bias...), u.times...) {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	out = binary.AppendUvarint(out, uint64(len(u.weights)/u.n)) //nolint:gosec // a length
	last := 0
	for row, at := range u.first {
		if at < 0 {
			continue
		}
		out = binary.AppendUvarint(out, uint64(row-last)) //nolint:gosec // ascending
		last = row
		for _, w := range u.weights[at : int(at)+u.n] {
			out = append(out, byte(w)) //nolint:gosec // the sign is read back
		}
	}
	return out
}

// decodeUnits parses what appendUnits appended for a model with that many rows. It returns nil for a model without
// units. The error is errShort if r ends too early, or has more than mostUnits units, or weights for more than these
// rows.
func decodeUnits(r *bytes.Reader, rows int) (*units, error) {
	n, err := r.ReadByte()
	if err != nil || n > mostUnits {
		return nil, errShort
	}
	if n == 0 {
		return nil, nil
	}
	u := &units{n: int(n)}
	numbers := make([]float64, 1+2*u.n)
	for i := range numbers {
		var b [8]byte
		if got, _ := r.Read(b[:]); got != len(b) {
			return nil, errShort
		}
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	}
	u.scale, u.bias, u.times = numbers[0], numbers[1:1+u.n], numbers[1+u.n:]
	u.first = make([]int32, rows)
	for i := range u.first {
		u.first[i] = -1
	}
	count, err := binary.ReadUvarint(r)
	if err != nil || count > uint64(rows) { //nolint:gosec // a length
		return nil, errShort
	}
	u.weights = make([]int8, 0, int(count)*u.n) //nolint:gosec // bounded by the rows
	row := uint64(0)
	for range count {
		step, err := binary.ReadUvarint(r)
		if row += step; err != nil || row >= uint64(rows) { //nolint:gosec // a length
			return nil, errShort
		}
		u.first[row] = int32(len(u.weights)) //nolint:gosec // bounded by the rows
		for range u.n {
			b, err := r.ReadByte()
			if err != nil {
				return nil, errShort
			}
			u.weights = append(u.weights, int8(b)) //nolint:gosec // as written
		}
	}
	return u, nil
}
