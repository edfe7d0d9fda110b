// Package lexicon holds the words that texts are read by, one file a subject, and finds them in texts: a language or a
// phrase is added without touching code.
package lexicon
