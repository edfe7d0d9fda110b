package naming

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
)

// deckName returns the company's name in a deck: the name in its title or, if that has none, the first name in the
// first four lines of its first page that are not blank. It returns "" if there is none.
func (r *Namer) deckName(d analysis.Document) string {
	if name := r.titleName(d.Title); name != "" {
		return name
	}
	if len(d.Pages) == 0 {
		return ""
	}
	lines := 0
	for line := range strings.Lines(d.Pages[0]) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if lines++; lines > 4 {
			break
		}
		if name := r.titleName(line); name != "" {
			return name
		}
	}
	return ""
}

// titleName returns the name in a title or a heading, without words like "pitch deck"; "" for headings that are not
// names.
func (r *Namer) titleName(s string) string {
	s = strings.TrimSpace(s)
	for _, app := range lexicon.List("programs before titles") {
		s = strings.TrimPrefix(s, app)
	}
	if r.isToolTitle(s) {
		return ""
	}
	if stem := strings.TrimSuffix(s, filepath.Ext(s)); isFileEnding(filepath.Ext(s)) {
		return r.people.NameInFile(stem)
	}
	s = strings.ReplaceAll(s, "_", " ")
	for _, sep := range []string{" | ", " – ", " — ", " - ", ": ", " / ", ", "} {
		s, _, _ = strings.Cut(s, sep)
	}
	if n := utf8.RuneCountInString(s); n < 2 || n > 60 || strings.Count(s, " ") > 4 {
		return ""
	}
	if section := r.words.Documents.Exact(s); section != "" {
		return ""
	}
	spans := r.people.SpansBetween(nil, s, 0, len(s))
	if len(spans) == 1 {
		return r.Brand(spans[0].Text)
	}
	if first, _ := utf8.DecodeRuneInString(s); lexicon.IsUnspaced(first) && utf8.RuneCountInString(s) <= 12 {
		return r.Brand(s)
	}
	return ""
}

// isFileEnding reports whether an ending, such as ".pdf", is of a kind of file that decks are made with.
func isFileEnding(ending string) bool {
	switch strings.ToLower(ending) {
	case ".pdf", ".ppt", ".pptx", ".key", ".odp", ".doc", ".docx", ".html", ".htm", ".indd", ".ai", ".pages":
		return true
	}
	return false
}

// isToolTitle reports whether a title is one that a program sets: "Untitled", "Slide 1", "Presentation1", "PowerPoint
// Presentation".
func (r *Namer) isToolTitle(s string) bool {
	return r.words.Files.Exact(strings.TrimRight(s, " 0123456789()-")) == "title"
}
