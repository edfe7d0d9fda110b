package rules_test

import (
	"sync"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/deck"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
)

// builtIn returns the rules with the built-in words, classes and weights.
var builtIn = sync.OnceValue(func() *rules.Rules { return rules.New(links.DefaultDeckClasses()) })

// rulesAlone returns the rules without the learned models that choose among their proposals.
var rulesAlone = sync.OnceValue(func() *rules.Rules { return builtIn().WithModels(nil) })

var chooser = sync.OnceValue(func() *deck.Chooser {
	return deck.NewChooser(lexicon.Load(), links.NewDeckPicker(links.DefaultDeckClasses()))
})

// pickDocument chooses the deck among documents.
func pickDocument(docs []analysis.Document) (int, string) { return chooser().PickDocument(docs) }
