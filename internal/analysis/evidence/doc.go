// Package evidence describes what a decision is based on, and computes its confidence.
package evidence
