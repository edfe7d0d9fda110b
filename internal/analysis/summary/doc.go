// Package summary takes the sentences out of a text and its deck that say what a company does, how far it is, and what
// it raises.
package summary
