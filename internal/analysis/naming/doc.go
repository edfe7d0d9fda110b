// Package naming finds what the company of a text is called: the rules' own choice, all candidates, and the features
// that candidates are ranked by.
package naming
