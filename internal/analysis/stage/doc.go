// Package stage finds out in which stage of the account's pipeline a deal is: it reads what the text says about it and
// what each stage is for, and computes the features by which stages are ranked.
package stage
