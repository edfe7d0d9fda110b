// Package analysis defines what goes into an analysis and what comes out: a text and documents in, findings out. It
// knows no company and no database. Its interface Analyzer has two implementations: rules, built in and offline, and
// model, which asks a language model and lets the rules take over if the model fails.
//
// The rules read in stages, each of which returns a value made from the one before it:
//
//	text.Reader     the text as it is: lines, mails, answers, addresses, words of the lexicon
//	people.Finder   who is named in it, and who speaks
//	naming.Namer    what the company is called
//	founders, source, stage, summary   one decision each
//	lessons.Learner what the account's corrections change
package analysis
