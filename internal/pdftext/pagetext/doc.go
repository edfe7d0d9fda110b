// Package pagetext cleans the text that a reader of PDFs found on pages, joins words that line ends divide, and judges
// whether it is text.
package pagetext
