//go:build !linux

package pdftext_test

// otherRoles returns nothing: the tests that start the test program again are about Linux.
func otherRoles() map[string]func() error { return nil }
