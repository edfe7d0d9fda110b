// Package analysis defines the input and the result of an analysis: from a text and documents to findings. It depends
// on no company and no database. Its interface Analyzer has two implementations: rules, built in and offline, and
// model, which calls a language model and uses the rules if the model fails.
//
// The rules read in stages, each of which returns a value computed from the one before it:
//
//	text.Reader     the text itself: lines, mails, answers, addresses, words of the lexicon
//	people.Finder   who is named in it, and who speaks
//	naming.Namer    the name of the company
//	founders, source, stage, summary   one decision each
//	lessons.Learner the changes by the account's corrections
package analysis
