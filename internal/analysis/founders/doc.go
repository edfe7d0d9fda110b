// Package founders finds who of the people are the company's founders and chiefs, how they are reached, and the
// features that people are ranked by.
package founders
