// Package analysis turns what an investor receives (an email, a form, a note, a deck) into findings: the links, the
// deck among them, the company's name, its founders, a summary, the stage the deal is in and where it came from. It
// knows documents and findings, no company and no database. Two analyzers are behind one interface: Rules, built in
// and offline, and OpenAI, which asks a model and lets Rules take over where the model fails.
//
// Rules reads twice. First, phrases of the lexicon propose a name, founders, a source and a status. Then a reader
// with learned weights chooses among all that the text offers, with the proposals as features: candidates in
// namecandidates.go and personcandidates.go, features in textvector.go, namefeatures.go and stagerank.go, choices in
// readers.go. Where the two disagree, a person is asked for a look.
//
// Everything that is a matter of words is in lexicon/, one file a subject, so that a language or a phrase is added
// without touching code.
package analysis
