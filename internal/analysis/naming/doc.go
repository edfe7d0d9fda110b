// Package naming finds what the company of a text is called: it collects candidates, chooses one by rules, and
// computes the features that a model ranks them by.
package naming
