// Package source decides how a text came to the investor: by mail, through a form, by a referral, and so on.
package source
