// Package pagetext cleans what a reader of PDFs found on pages, joins words that line ends divide, and judges whether
// it is text.
package pagetext
