package rank

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// magic is the beginning of a file of models; the rest is compressed.
const magic = "rank4\n"

var errShort = errors.New("the file of weights is cut short")

// Encode returns a compressed file with the models, sorted by name.
func Encode(models map[string]*Model) []byte {
	file := bytes.NewBufferString(magic)
	w, err := flate.NewWriter(file, flate.BestCompression)
	if err == nil {
		_, err = w.Write(encode(models))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // cannot happen: the level is known, and memory takes what is written
	}
	return file.Bytes()
}

func encode(models map[string]*Model) []byte {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m := models[name]
		out = binary.AppendUvarint(out, uint64(len(name)))
		out = append(out, name...)
		out = binary.AppendUvarint(out, uint64(m.classes)) //nolint:gosec // a few
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(m.scale))
		out = binary.AppendUvarint(out, uint64(len(m.keys)))
		out = appendKeys(out, m.keys)
		for _, w := range m.rows {
			out = append(out, byte(w)) //nolint:gosec // the sign is read back
		}
		out = m.appendUnits(out)
	}
	return out
}

// Decode parses a file that Encode returned. The error says what is wrong with the file.
func Decode(data []byte) (map[string]*Model, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, errors.New("this is no file of weights: run make train")
	}
	plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(rest)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errShort, err)
	}
	models := map[string]*Model{}
	r := bytes.NewReader(plain)
	for r.Len() > 0 {
		name, m, err := decodeModel(r)
		if err != nil {
			return nil, fmt.Errorf("weights of %q: %w", name, err)
		}
		models[name] = m
	}
	return models, nil
}

func decodeModel(r *bytes.Reader) (string, *Model, error) {
	name, err := readBytes(r)
	if err != nil {
		return "", nil, err
	}
	classes, err := binary.ReadUvarint(r)
	if err != nil || classes == 0 || classes > 256 {
		return string(name), nil, errShort
	}
	var scale [8]byte
	if n, _ := r.Read(scale[:]); n != len(scale) {
		return string(name), nil, errShort
	}
	m := &Model{classes: int(classes), scale: math.Float64frombits(binary.LittleEndian.Uint64(scale[:]))}
	count, err := binary.ReadUvarint(r)
	if err != nil || count > uint64(r.Len()) { //nolint:gosec // G115: a length
		return string(name), nil, errShort
	}
	if m.keys, err = readKeys(r, int(count)); err != nil { //nolint:gosec // bounded by the file
		return string(name), nil, err
	}
	m.rows = make([]int8, int(count)*m.classes) //nolint:gosec // bounded by the file
	for i := range m.rows {
		b, err := r.ReadByte()
		if err != nil {
			return string(name), nil, errShort
		}
		m.rows[i] = int8(b) //nolint:gosec // as written
	}
	if m.units, err = decodeUnits(r, int(count)); err != nil { //nolint:gosec // bounded by the file
		return string(name), nil, err
	}
	return string(name), m, m.build()
}

func readBytes(r *bytes.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(r.Len()) { //nolint:gosec // not negative
		return nil, errShort
	}
	b := make([]byte, n)
	if _, err := r.Read(b); err != nil {
		return nil, errShort
	}
	return b, nil
}
