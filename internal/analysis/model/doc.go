// Package model is the analyzer that asks a language model, checks every answer against the text, and lets the rules
// take over where the model fails.
package model
