// Package summary chooses the sentences of a text and its deck that say what a company does, how far it is, and what
// it raises.
package summary
