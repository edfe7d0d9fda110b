// Package rules is the built-in analyzer: offline and deterministic. It decides twice. First, phrases of the lexicon
// propose a name, founders, a source and a stage. Then learned weights choose among all candidates in the text, with
// the proposals as features. If the two disagree, a review is requested.
package rules
