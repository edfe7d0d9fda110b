package slides

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
)

// Area is a rectangle on the picture of a page, from its top left, in fractions of the picture's width and height.
type Area struct {
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Quoted returns, for each of the quotes, its first occurrence on a page: an area for each line, or no area if the
// quote is not on the page. Pages are counted from 1. The errors are those of Page.
func (s *Slides) Quoted(ctx context.Context, key string, page int, quotes []string) ([][]Area, error) {
	words, err := s.words(ctx, key, page)
	if err != nil {
		return nil, err
	}
	found := make([][]Area, len(quotes))
	for i, quote := range quotes {
		found[i] = locate(words, quote)
	}
	return found, nil
}

// words returns the words of a page with their areas; the first page is 1. It stores them beside the page's picture,
// and later reads them from there. The errors are those of Page. If the file was deleted meanwhile, it returns no words
// and no error, and keeps nothing.
func (s *Slides) words(ctx context.Context, key string, page int) ([]pdftext.Word, error) {
	if page < 1 || page > maximum {
		return nil, fault.NewNotFound()
	}
	at := pictureKey(key, page) + ".words"
	if kept, err := readWords(ctx, s.blobs, at); err == nil || !fault.Is(err, fault.NotFound) {
		return kept, err
	}
	file, err := s.blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	pool, err := s.open()
	if err != nil {
		return nil, refusal(err)
	}
	words, count, err := pool.Words(ctx, file, page)
	if err != nil {
		return nil, refusal(err)
	}
	if page > count {
		return nil, fault.NewNotFound()
	}
	encoded, err := json.Marshal(words)
	if err != nil {
		return nil, fmt.Errorf("encode the words of a page: %w", err)
	}
	if _, err := s.blobs.Write(ctx, at, bytes.NewReader(encoded), int64(len(encoded))); err != nil {
		return nil, err
	}
	if there, failed := s.blobs.Exists(ctx, key); failed == nil && !there { // it was deleted meanwhile
		return nil, Forget(ctx, s.blobs, key)
	}
	return words, nil
}

func readWords(ctx context.Context, blobs *blob.Store, at string) (words []pdftext.Word, err error) {
	kept, err := blobs.Open(ctx, at)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	content, err := io.ReadAll(kept)
	if err == nil {
		err = json.Unmarshal(content, &words)
	}
	return words, err
}

// locate returns the areas of the first occurrence of a quote among words; nil if it does not occur, or has no letter
// or digit. It compares only letters and digits, ignoring case, since a quote may have other spaces and signs than the
// page. So a quote may begin or end within a word; the areas are those of whole words.
func locate(words []pdftext.Word, quote string) []Area {
	var text []rune
	var of []int // the word of each letter
	for i, word := range words {
		for _, letter := range letters(word.Text) {
			text, of = append(text, letter), append(of, i)
		}
	}
	sought := letters(quote)
	at := index(text, sought)
	if at < 0 {
		return nil
	}
	return lines(words[of[at] : of[at+len(sought)-1]+1])
}

func letters(text string) (plain []rune) {
	for _, r := range norm.NFKC.String(text) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			plain = append(plain, unicode.ToLower(r))
		}
	}
	return plain
}

// index returns the index at which sought begins in text; -1 if it does not occur, or is empty.
func index(text, sought []rune) int {
	if len(sought) == 0 {
		return -1
	}
	before, _, found := strings.Cut(string(text), string(sought))
	if !found {
		return -1
	}
	return utf8.RuneCountInString(before)
}

// lines returns an area for each line of the words. A word at the same height as the word before it is on the same
// line.
func lines(words []pdftext.Word) (areas []Area) {
	for i, word := range words {
		one := Area{word.Left, word.Top, word.Right - word.Left, word.Bottom - word.Top}
		if i == 0 || !isBeside(words[i-1], word) {
			areas = append(areas, one)
			continue
		}
		last := &areas[len(areas)-1]
		right, bottom := max(last.Left+last.Width, word.Right), max(last.Top+last.Height, word.Bottom)
		last.Left, last.Top = min(last.Left, word.Left), min(last.Top, word.Top)
		last.Width, last.Height = right-last.Left, bottom-last.Top
	}
	return areas
}

func isBeside(before, word pdftext.Word) bool {
	middle := (word.Top + word.Bottom) / 2
	return before.Top <= middle && middle <= before.Bottom ||
		word.Top <= (before.Top+before.Bottom)/2 && (before.Top+before.Bottom)/2 <= word.Bottom
}
