// Package people finds who is named in a text, with title, company and role, and who of them speaks in it.
package people
