// Package founders chooses the company's founders and chiefs among the people that a text names, finds their contacts,
// and computes the features by which a model ranks people.
package founders
