// Package naming finds the name of the company of a text: it collects candidates, chooses one by rules, and computes
// the features by which a model ranks them.
package naming
