// Package text reads a text as it is: its lines, the heads of mails in it, the answers of a form, the speakers of a
// chat, addresses, and what of the lexicon is in it. It leads back from there to the text as sent.
package text
