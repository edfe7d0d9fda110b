// Package founders chooses the company's founders and chiefs among the people that a text names, finds how to contact
// them, and computes the features that a model ranks people by.
package founders
