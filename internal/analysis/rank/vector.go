package rank

import "slices"

// Vector is a sparse vector: features known by a hash of their names. A feature may occur more than once; its values
// add up.
type Vector struct {
	keys   []uint32
	values []float32
}

// NewVector returns an empty vector with room for that many features. It grows if more are added.
func NewVector(room int) Vector {
	return Vector{keys: make([]uint32, 0, room), values: make([]float32, 0, room)}
}

// The constants of the 32-bit FNV-1a hash.
const (
	hashOffset = 2166136261
	hashPrime  = 16777619
)

// Key is the hash of the beginning of a feature's name; Append continues it.
type Key uint32

// NewKey returns the hash of name, which may be the beginning of a feature's name: Append continues it.
func NewKey(name string) Key { return Key(hashOffset).Append(name) }

// Append returns the hash of the name with more after it.
func (k Key) Append(more string) Key {
	h := uint32(k)
	for i := range len(more) {
		h = (h ^ uint32(more[i])) * hashPrime
	}
	return Key(h)
}

// short returns the hash in fewer bits, which need less space in a file: of a million names, one in seventy has the
// same key as another.
func (k Key) short() uint32 {
	const bits = 26
	return uint32(k^k>>bits) & (1<<bits - 1)
}

// Add adds a feature with this value. A value of 0 adds nothing.
func (v *Vector) Add(name string, value float64) { v.AddKey(NewKey(name), value) }

// AddKey adds a feature with this value by the hash of its name. A value of 0 adds nothing.
func (v *Vector) AddKey(key Key, value float64) {
	if value == 0 {
		return
	}
	v.keys = append(v.keys, key.short())
	v.values = append(v.values, float32(value))
}

// Set adds a feature with the value 1 if holds is true.
func (v *Vector) Set(name string, holds bool) {
	if holds {
		v.Add(name, 1)
	}
}

// Join adds all features of another vector.
func (v *Vector) Join(other Vector) {
	v.keys = append(v.keys, other.keys...)
	v.values = append(v.values, other.values...)
}

// From returns the features from number start on as a separate vector. It shares the memory of v, which may only grow
// after that.
func (v *Vector) From(start int) Vector {
	return Vector{keys: slices.Clip(v.keys[start:]), values: slices.Clip(v.values[start:])}
}

// Len returns the number of features.
func (v *Vector) Len() int { return len(v.keys) }
