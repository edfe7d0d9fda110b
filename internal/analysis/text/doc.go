// Package text parses a text: its lines, the headers of mails, the answers of a form, the speakers of a chat,
// addresses, and the phrases of the lexicon. It also finds the spans of these in the text as sent.
package text
