// Package evidence says what a decision rests on, and how sure it is.
package evidence
