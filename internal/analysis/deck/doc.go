// Package deck chooses the deck among several documents, and weighs the choice among links.
package deck
