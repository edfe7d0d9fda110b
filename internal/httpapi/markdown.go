package httpapi

import "strings"

// paragraph is a piece of a description.
type paragraph []span

// span is text in one style.
type span struct {
	Text string
	Code bool
	Bold bool
}

// paragraphs reads the little Markdown that the document's descriptions use: paragraphs, `code` and **bold**.
func paragraphs(text string) []paragraph {
	var read []paragraph
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if block = strings.Join(strings.Fields(block), " "); block != "" {
			read = append(read, spans(block))
		}
	}
	return read
}

// spans cuts a paragraph where its style changes.
func spans(text string) []span {
	var read []span
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			read = append(read, span{Text: part, Code: true})
			continue
		}
		for j, plain := range strings.Split(part, "**") {
			if plain != "" {
				read = append(read, span{Text: plain, Bold: j%2 == 1})
			}
		}
	}
	return read
}
