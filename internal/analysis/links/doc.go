// Package links finds the links of a text, unwraps those of mail gateways, and picks the deck among them by a table of
// classes.
package links
