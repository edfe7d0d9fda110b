// Package deck chooses the deck among several documents, and rates the choice of a deck among links. Package links
// makes that choice, by deck_classes.yaml of package lexicon: it says which links are decks and which of them are
// preferred.
package deck
