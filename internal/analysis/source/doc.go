// Package source finds out how a text came to the investor.
package source
