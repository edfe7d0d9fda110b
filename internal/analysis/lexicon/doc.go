// Package lexicon holds the words that texts are read by, one file a subject, and finds them in texts: a language or a
// phrase is added without touching code. Each file begins with what it is for. concepts.lst has what a text may speak
// of (an absence from the office, an invoice, a newsletter, due diligence), deck_classes.yaml which links are decks,
// and lists.json short lists, each for one purpose.
package lexicon
