// Package lexicon has the words by which texts are understood, one file for each subject, and finds them in texts: a
// language or a phrase is added without a change of code. Each file begins with a comment about its use. concepts.lst
// has what a text may mention (an absence from the office, an invoice, a newsletter, due diligence), deck_classes.yaml
// has the links that are decks, vocabulary.lst has names of people and ordinary words in many languages,
// organisations.lst has investors, corporations, products and institutions, and short_lists.json has short lists, each
// for one purpose.
package lexicon
