// Package deck chooses the deck among several documents, and weighs the choice among links. Which links are decks, and
// in which order they are preferred, is in deck_classes.yaml of package lexicon; package links chooses among them.
package deck
