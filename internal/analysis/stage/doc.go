// Package stage finds out which stage of the account's pipeline a deal is in: what the text says about it, what each
// stage is for, and the features that stages are ranked by.
package stage
