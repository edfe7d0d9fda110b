package pdftext_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dealflow/internal/pdftext"
)

func TestWordsAreWhereTheyAreDrawn(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Children: 1})
	deck := pages(helvetica, show(filler), show("the second page", "and its end"))
	words, count, err := p.Words(t.Context(), bytes.NewReader(deck), 2)
	if err != nil {
		t.Fatal(err)
	}
	if count != 2 {
		t.Errorf("the file has %d pages, want 2", count)
	}
	var text []string
	for i, word := range words {
		text = append(text, word.Text)
		if word.Left >= word.Right || word.Top >= word.Bottom || word.Left < 0 || word.Bottom > 1 {
			t.Errorf("%q is at %+v", word.Text, word)
		}
		if i > 0 && i != 3 && word.Left < words[i-1].Right {
			t.Errorf("%q is not right of %q: %+v, %+v", word.Text, words[i-1].Text, word, words[i-1])
		}
	}
	if got := strings.Join(text, " "); got != "the second page and its end" {
		t.Fatalf("the words are %q", got)
	}
	if words[3].Top <= words[0].Bottom {
		t.Errorf("the second line, %+v, is not below the first, %+v", words[3], words[0])
	}
	if none, count, err := p.Words(t.Context(), bytes.NewReader(deck), 3); err != nil || len(none) != 0 || count != 2 {
		t.Errorf("a page that there is not has %v of %d pages, %v", none, count, err)
	}
	if _, _, err := p.Words(t.Context(), strings.NewReader("hello"), 1); !errors.Is(err, pdftext.ErrDamaged) {
		t.Errorf("a text: %v", err)
	}
}
