// Package people finds the people whom a text names, with title, company and role, and which of them speak in it.
package people
