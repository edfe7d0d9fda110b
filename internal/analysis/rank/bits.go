package rank

import (
	"io"
	"math/bits"
)

// Keys of features are written as the differences between neighbours, in a Rice code: they are as good as random, so
// that no compression does better. A number is divided by a power of two: its quotient is written as that many ones and
// a zero, and its remainder in as many bits as the exponent of the power.

// appendKeys appends ascending keys to out in a Golomb-Rice code: a byte with an exponent n, and then, for each key,
// its difference from the key before, divided by 1<<n: the quotient as that many ones and a zero, the remainder in n
// bits. The bits fill each byte from its lowest.
func appendKeys(out []byte, keys []uint32) []byte {
	power := powerFor(keys)
	out = append(out, byte(power)) //nolint:gosec // below 32
	var pending uint64
	n := 0 // bits that are pending
	add := func(value uint64, count int) {
		pending |= value << n
		for n += count; n >= 8; n -= 8 {
			out = append(out, byte(pending)) //nolint:gosec // the lowest byte is meant
			pending >>= 8
		}
	}
	last := uint32(0)
	for _, key := range keys {
		step := key - last
		last = key
		for range step >> power {
			add(1, 1)
		}
		add(0, 1)
		add(uint64(step)&(1<<power-1), power)
	}
	add(0, 7) // fills the last byte
	return out
}

// powerFor returns the exponent of the power of two by which appendKeys divides the differences between keys: the
// largest power that is at most 0.7 of their mean, but at least 1<<0.
func powerFor(keys []uint32) int {
	if len(keys) == 0 {
		return 0
	}
	const share, whole = 7, 10
	mean := uint64(keys[len(keys)-1]) / uint64(len(keys))
	return max(0, bits.Len64(mean*share/whole)-1)
}

// readKeys reads count keys that appendKeys appended. The error is errShort if r ends before that, or if its first byte
// is not an exponent below 32.
func readKeys(r io.ByteReader, count int) ([]uint32, error) {
	power, err := r.ReadByte()
	if err != nil || power >= 32 {
		return nil, errShort
	}
	b := bitReader{r: r}
	keys := make([]uint32, 0, count)
	last := uint32(0)
	for range count {
		step := uint32(0)
		for b.bits(1) == 1 && b.err == nil {
			step += 1 << power
		}
		step += b.bits(int(power))
		if b.err != nil {
			return nil, errShort
		}
		last += step
		keys = append(keys, last)
	}
	return keys, nil
}

// bitReader reads bits, from the lowest of each byte.
type bitReader struct {
	r       io.ByteReader
	pending uint64
	n       int // bits that are pending
	err     error
}

// bits returns the next count bits, at most 32. After an error it returns 0.
func (b *bitReader) bits(count int) uint32 {
	for b.n < count && b.err == nil {
		var next byte
		next, b.err = b.r.ReadByte()
		b.pending |= uint64(next) << b.n
		b.n += 8
	}
	if b.err != nil {
		return 0
	}
	value := b.pending & (1<<count - 1)
	b.pending >>= count
	b.n -= count
	return uint32(value) //nolint:gosec // at most 32 bits
}
