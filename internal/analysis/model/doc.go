// Package model is the analyzer that calls a language model, checks every answer against the text, and uses the rules
// if the model fails.
package model
