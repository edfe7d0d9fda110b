package mimemail_test

import (
	"encoding/base64"
	"strconv"
	"strings"
)

const head = "From: Ivy Marsh <ivy@brackenfield.example>\r\nTo: deals@fund.example\r\nSubject: Deck\r\nMessage-ID: " +
	"<1@x>\r\nDate: Thu, 12 Nov 2026 10:22:31 +0000\r\n"

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func mixed(boundary string, parts ...string) string {
	begin := "--" + boundary + "\r\n"
	return "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n\r\n" +
		begin + strings.Join(parts, "\r\n"+begin) + "\r\n--" + boundary + "--\r\n"
}

// oddity is a message and what is read of it. Files are "name type size".
type oddity struct {
	raw     string
	from    string // default: Ivy's
	name    string
	to      string
	subject string
	content string
	files   string
	warned  string // a warning holds this; empty: there is none
	meta    map[string]string
	absent  string // neither the content nor the metadata holds this
}

const ivy = "ivy@brackenfield.example"

func textPart(text string) string { return "Content-Type: text/plain\r\n\r\n" + text }

func oddHeads() map[string]oddity {
	return map[string]oddity{
		"plain": {
			raw: head + "\r\nHello\r\n", content: "Hello", subject: "Deck", name: "Ivy Marsh", to: "deals@fund.example",
		},
		"line feeds alone": {raw: strings.ReplaceAll(head, "\r", "") + "\nHello\nyou\n", content: "Hello\nyou"},
		"carriage returns": {raw: strings.ReplaceAll(head, "\n", "") + "\rHello\ryou", content: "Hello\nyou"},
		"mailbox leftovers": {
			raw: "From ivy@x Thu Nov 12 10:22:31 2026\n>From also@x Thu Nov 12\n" + head + "\r\nHi", content: "Hi",
		},
		"byte order mark": {raw: "\xEF\xBB\xBF" + head + "\r\nHi", content: "Hi"},
		"NULs":            {raw: strings.Replace(head, "Deck", "De\x00ck", 1) + "\r\nH\x00i", subject: "Deck", content: "Hi"},
		"no body":         {raw: head, content: ""},
		"no blank line":   {raw: strings.TrimSuffix(head, "\r\n"), content: ""},
		"encoded words": {
			raw: "From: =?UTF-8?Q?J=C3=B8rn_=C3=85?= <j@x.example>\r\nSubject: =?iso-8859-1?Q?Caf=E9?= =?utf-8?B?" + b64("日本") +
				"?=\r\nMessage-ID: <1@x>\r\nDate: Thu, 12 Nov 2026 10:22:31 +0000\r\n\r\nHi",
			from: "j@x.example", name: "Jørn Å", subject: "Café日本", content: "Hi",
		},
		"unknown encoded words": {
			raw: strings.Replace(head, "Deck", "=?x-klingon?Q?abc?=", 1) + "\r\nHi", subject: "=?x-klingon?Q?abc?=",
			content: "Hi",
		},
		"8-bit header, UTF-8": {raw: strings.Replace(head, "Deck", "Café", 1) + "\r\nHi", subject: "Café", content: "Hi"},
		"8-bit header, Latin-1": {
			raw: strings.Replace(head, "Deck", "Caf\xe9", 1) + "\r\nHi", subject: "Café", content: "Hi",
		},
		"folded": {
			raw: strings.Replace(head, "Deck", "Deck\r\n\tand more", 1) + "\r\nHi", subject: "Deck and more", content: "Hi",
		},
		"folded without indent": {
			raw: strings.Replace(head, "Deck", "Deck\r\nand more", 1) + "\r\nHi", subject: "Deck and more", content: "Hi",
			warned: "not indented",
		},
		"text without a blank line": {
			raw: head + "Hello,\r\nNote: the deck follows.\r\n\r\nIvy", subject: "Deck", content: "Hello,\r\nNote: the " +
				"deck follows.\r\n\r\nIvy",
		},
		"text behind a folded header": {
			raw: head + "X-Long: a\r\n b\r\nHello\r\n you", content: "Hello\r\n you",
		},
		"two subjects": {raw: "Subject: First\r\n" + head + "\r\nHi", subject: "First", content: "Hi"},
		"no Message-ID": {
			raw: strings.Replace(head, "Message-ID: <1@x>\r\n", "", 1) + "\r\nHi", content: "Hi", warned: "no Message-ID",
		},
		"bare Message-ID": {
			raw: strings.Replace(head, "<1@x>", "1@x", 1) + "\r\nHi", content: "Hi",
			meta: map[string]string{"message_id": "<1@x>"},
		},
		"no date": {
			raw: strings.Replace(head, "Date", "X-Date", 1) + "\r\nHi", content: "Hi", warned: "no Date",
		},
		"bad date": {
			raw: strings.Replace(head, "Thu, 12 Nov 2026", "Someday", 1) + "\r\nHi", content: "Hi", warned: "could not be read",
		},
		"old date": {
			raw:     strings.Replace(head, "Thu, 12 Nov 2026 10:22:31 +0000", "Thu Nov 12 10:22:31 2026", 1) + "\r\nHi",
			content: "Hi", meta: map[string]string{"date": "2026-11-12T10:22:31Z"},
		},
		"Sender alone": {
			raw: strings.Replace(head, "From:", "Sender:", 1) + "\r\nHi", content: "Hi", warned: "no From", name: "Ivy Marsh",
		},
		"for another": {
			raw: "Sender: bob@x.example\r\n" + head + "\r\nHi", content: "Hi",
			meta: map[string]string{"sender": "bob@x.example"},
		},
		"From without address": {
			raw:  strings.Replace(head, "Ivy Marsh <ivy@brackenfield.example>", "Ivy at home", 1) + "\r\nHi",
			from: "Ivy at home", content: "Hi", warned: "no address",
		},
		"From against the rules": {
			raw:  strings.Replace(head, "Ivy Marsh <", "Marsh, Ivy (CEO) [x] <", 1) + "\r\nHi",
			name: "Ivy (CEO) [x]", content: "Hi",
		},
		"groups": {
			raw: strings.Replace(head, "deals@fund.example", "Team: a@x.example, B <b@x.example>;, undisclosed-recipients:;",
				1) + "\r\nHi", to: "a@x.example b@x.example", content: "Hi",
		},
		"semicolons in To": {
			raw: strings.Replace(head, "deals@fund.example", "a@x.example; b@x.example", 1) + "\r\nHi",
			to:  "a@x.example b@x.example", content: "Hi",
		},
		"nobody told": {
			raw: strings.Replace(head, "deals@fund.example", "undisclosed-recipients:;", 1) + "\r\nHi", content: "Hi",
		},
		"comment and quotes": {
			raw: strings.Replace(head, "Ivy Marsh", `"Marsh, \"Ivy\""`, 1) + "\r\nHi", name: `Marsh, "Ivy"`, content: "Hi",
		},
		"thread": {
			raw: "In-Reply-To: <2@x>\r\nReferences: <0@x>\r\n <2@x>\r\nCc: c@x.example\r\nReply-To: " +
				"r@x.example\r\nList-Id: Angels <a.x.example>\r\n" + head + "\r\nHi",
			content: "Hi", meta: map[string]string{
				"thread_id": "<0@x>", "in_reply_to": "<2@x>", "list_id": "Angels <a.x.example>",
			},
		},
		"a reply without references": {
			raw: "In-Reply-To: <2@x>\r\n" + head + "\r\nHi", content: "Hi", meta: map[string]string{"thread_id": "<2@x>"},
		},
		"a first message":     {raw: head + "\r\nHi", content: "Hi", meta: map[string]string{"thread_id": "<1@x>"}},
		"broken header lines": {raw: ": nothing\r\nA B C\r\n(x)y: z\r\n" + head + "\r\nHi", content: "Hi"},
	}
}

func oddBodies() map[string]oddity {
	html := "<html><head><title>T</title><style>p{}</style></head><body><p>Dear team,</p><p>our <a " +
		"href=\"https://docsend.com/view/a\">deck</a> &amp; more</p><script>x()</script></body></html>"
	return map[string]oddity{
		"HTML alone": {
			raw:     head + "Content-Type: text/html; charset=utf-8\r\n\r\n" + html,
			content: "Dear team,\n\nour deck <https://docsend.com/view/a> & more", absent: "x()",
		},
		"HTML whose head has no end": {
			raw:     head + "Content-Type: text/html\r\n\r\n<html><head><title>T</title><xml><o:p>96</o:p></xml><div>Hi</div>",
			content: "Hi",
		},
		"quoted-printable": {
			raw: head +
				"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nCaf=E9 " +
				"is=\r\n open", content: "Café is open",
		},
		"bad quoted-printable": {
			raw: head + "Content-Transfer-Encoding: quoted-printable\r\n\r\n100=% =zz sure", content: "100=% =zz sure",
		},
		"base64 text": {
			raw: head + "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: BASE64\r\n\r\n" +
				b64("Grüße"),
			content: "Grüße",
		},
		"base64 garbage": {
			raw:     head + "Content-Transfer-Encoding: base64\r\n\r\n" + b64("Hello there") + "\r\n!!?? **",
			content: "Hello there", warned: "base64",
		},
		"unknown encoding": {raw: head + "Content-Transfer-Encoding: x-rot\r\n\r\nHi", content: "Hi", warned: "x-rot"},
		"UTF-16": {
			raw: head + "Content-Type: text/plain; charset=utf-16\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
				b64("\xFE\xFF\x00H\x00i\x00 \x65\xe5"), content: "Hi 日",
		},
		"unknown charset": {
			raw: head + "Content-Type: text/plain; charset=x-martian\r\n\r\nHi", content: "Hi", warned: "x-martian",
		},
		"charset none": {
			raw: head + "Content-Type: text/plain; charset=none\r\n\r\nCaf\xe9", content: "Café", warned: "charset",
		},
		"ASCII that is UTF-8": {raw: head + "Content-Type: text/plain; charset=us-ascii\r\n\r\nCafé", content: "Café"},
		"8 bits untold":       {raw: head + "\r\nCafé 日本", content: "Café 日本"},
		"UTF-8 called Latin-1": {
			raw: head + "Content-Type: text/plain; charset=iso-8859-1\r\n\r\nCafé", content: "Café", absent: "Ã",
			warned: "charset",
		},
		"Latin-1 of many words": {
			raw: head + "Content-Type: text/plain; charset=Windows-1252\r\n\r\n\xc3\x84\xe9 \x93x\x94", content: "Ã„é “x”",
			absent: "\uFFFD",
		},
		"shift_jis": {
			raw: head + "Content-Type: text/plain; charset=shift_jis\r\n\r\n\x93\xfa\x96\x7b", content: "日本",
		},
		"flowed": {
			raw: head +
				"Content-Type: text/plain; format=flowed\r\n\r\nWe are \r\none line.\r\n> quoted \r\n> too\r\n From here\r\n-- " +
				"\r\nIvy", content: "We are one line.\n> quoted too\nFrom here\n-- \nIvy",
		},
		"no subtype":     {raw: head + "Content-Type: text\r\n\r\nHi", content: "Hi"},
		"senseless type": {raw: head + "Content-Type: ;;;===\r\n\r\nHi", content: "Hi"},
		"a calendar alone": {
			raw: head + "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR", content: "",
			files: "attachment-1.ics text/calendar 15",
		},
		"a PDF alone": {
			raw: head + "Content-Type: application/pdf; name=deck.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
				b64("%PDF-1.4"), content: "", files: "deck.pdf application/pdf 8",
		},
		"S/MIME sealed": {
			raw: head +
				"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\nContent-Transfer-Encoding: " +
				"base64\r\n\r\n" + b64("sealed"), content: "", files: "smime.p7m application/pkcs7-mime 6", warned: "encrypted",
		},
		"empty multipart": {
			raw: head + "Content-Type: multipart/mixed; boundary=b\r\n\r\n", content: "", warned: "boundary",
		},
		"a text with a name": {raw: head + "Content-Type: text/plain; name=body.txt\r\n\r\nHi", content: "Hi"},
		"a file alone": {
			raw: head + "Content-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment\r\n\r\nHi", content: "",
			files: "a.txt text/plain 2",
		},
		"blank line with a space": {raw: head + " \r\nWe build\r\nhouses.", content: "We build\r\nhouses."},
		"uuencoded": {
			raw: head + "\r\nHi\r\nbegin 644 a deck.pdf\r\n(4$1&(&1E8VL\r\n`\r\nend\r\nBye", content: "Hi\r\nBye",
			files: "a deck.pdf text/plain 8",
		},
		"words like uuencoding": {
			raw: head + "\r\nWe\nbegin 644 tests\nnow\nbegin again\nend", content: "We\nbegin 644 tests\nnow\nbegin again\nend",
		},
		"UTF-7": {
			raw: head + "Content-Type: text/plain; charset=utf-7\r\n\r\nGr+APwA3w-e", content: "Grüße",
		},
		"multipart, no boundary": {raw: head + "Content-Type: multipart/mixed\r\n\r\nHi", content: "Hi"},
	}
}

func oddParts() map[string]oddity {
	const pdf = "Content-Type: application/pdf; name=\"deck.pdf\"\r\nContent-Disposition: attachment; " +
		"filename=\"deck.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQ="
	inner := "From: b@x.example\r\nSubject: Inner\r\n" + mixed("in", textPart("Inside"), pdf)
	alternative := "Content-Type: multipart/alternative; boundary=alt\r\n\r\n--alt\r\nContent-Type: " +
		"text/plain\r\n\r\nHi plain\r\n--alt\r\nContent-Type: text/html\r\n\r\n<p>Hi HTML</p>\r\n--alt--"
	forwarded := "Content-Type: message/rfc822\r\n\r\nFrom: x@y.example\r\nSubject: Re: In/side\r\n\r\nInner words"
	return map[string]oddity{
		"attachment": {raw: head + mixed("b", textPart("Hi"), pdf), content: "Hi", files: "deck.pdf application/pdf 8"},
		"alternatives": {
			raw: head + mixed("b", alternative, pdf), content: "Hi plain", files: "deck.pdf application/pdf 8",
			absent: "Hi HTML",
		},
		"blank plain": {raw: head + mixed("b", strings.Replace(alternative, "Hi plain", " ", 1)), content: "Hi HTML"},
		"inline image": {
			raw: head + mixed("b", "Content-Type: text/html\r\n\r\n<img src=\"cid:1\" alt=\"Logo\">Hi",
				"Content-Type: image/png\r\nContent-ID: <1>\r\nContent-Disposition: inline\r\nContent-Transfer-Encoding: "+
					"base64\r\n\r\niVBORw0KGgo="), content: "Logo Hi", files: "attachment-1.png image/png 8",
		},
		"two texts": {raw: head + mixed("b", textPart("One"), textPart("Two")), content: "One\n\nTwo"},
		"message within": {
			raw: head + mixed("b", textPart("See below"), forwarded), content: "See below",
			files: "Re: In-side.eml message/rfc822 54", absent: "Inner words",
		},
		"digest": {
			raw: head + strings.Replace(mixed("b", "\r\nFrom: x@y.example\r\nSubject: One\r\n\r\nInner"), "multipart/mixed",
				"multipart/digest", 1),
			content: "From: x@y.example\nSubject: One\n\nInner", files: "One.eml message/rfc822 40",
		},
		"winmail": {
			raw: head + mixed("b", textPart("Hi"),
				"Content-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\neJ8+Ig=="),
			content: "Hi", files: "winmail.dat application/ms-tnef 4", warned: "winmail.dat",
		},
		"signed": {
			raw: head + strings.Replace(mixed("b", textPart("Hi"),
				"Content-Type: application/pgp-signature; name=s.asc\r\n\r\nSIG"), "multipart/mixed", "multipart/signed", 1),
			content: "Hi", files: "s.asc application/pgp-signature 3",
		},
		"PGP sealed": {
			raw: head + strings.Replace(mixed("b", "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1",
				"Content-Type: application/octet-stream; name=e.asc\r\n\r\nSEALED"), "multipart/mixed", "multipart/encrypted", 1),
			content: "", files: "attachment-1.txt application/pgp-encrypted 10, e.asc text/plain 6", warned: "encrypted",
		},
		"no last boundary": {
			raw: strings.TrimSuffix(head+mixed("b", textPart("Hi"), textPart("there")), "--b--\r\n"), content: "Hi\n\nthere",
			warned: "not closed",
		},
		"part without a header": {
			raw:     head + mixed("b", "Hello,\r\nhere is our deck.", textPart("Ivy")),
			content: "Hello,\r\nhere is our deck.\n\nIvy", warned: "as it was sent",
		},
		"boundary with quotes": {raw: head + mixed("=_b (1): 'x'?", textPart("Hi")), content: "Hi"},
		"boundary and comment": {
			raw: head + "Content-Type: multipart/mixed; boundary=b (a comment)\r\n\r\n--b\r\n\r\nHi\r\n--b--\r\n", content: "Hi",
		},
		"wrong boundary": {
			raw:     head + "Content-Type: multipart/mixed; boundary=other\r\n\r\n--b\r\n\r\nHi\r\n--b--\r\n",
			content: "--b\r\n\r\nHi\r\n--b--", warned: "boundary",
		},
		"another boundary": {
			raw: head +
				"Content-Type: multipart/mixed; boundary=other\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b--\r\n",
			content: "Hi", warned: "its boundary is not",
		},
		"no type, but parts": {
			raw: head + "\r\n--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b--\r\n", content: "Hi",
			warned: "its boundary is not",
		},
		"no type and a line": {
			raw: head + "\r\nHi\r\n--b\r\nContent-Type: text/plain", content: "Hi\r\n--b\r\nContent-Type: text/plain",
		},
		"type behind the header": {
			raw: head + "\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>Hi</p>", content: "Hi",
		},
		"no boundary named": {
			raw:     head + "Content-Type: multipart/mixed\r\n\r\n--b\r\ncontent-type: text/plain\r\n\r\nHi\r\n--b--\r\n",
			content: "Hi", warned: "its boundary is not",
		},
		"a forwarded deck": {
			raw: head + mixed("b", textPart("Hi"), "Content-Type: message/rfc822\r\n\r\n"+inner), content: "Hi",
			files: "Inner.eml message/rfc822 " + strconv.Itoa(len(inner)) + ", deck.pdf application/pdf 8",
		},
		"a mail alone": {
			raw: head + "Content-Type: message/rfc822\r\n\r\n" + inner, content: "From: b@x.example\nSubject: Inner\n\nInside",
			files: "Inner.eml message/rfc822 " + strconv.Itoa(len(inner)) + ", deck.pdf application/pdf 8",
		},
		"words behind the last": {
			raw: head + mixed("b", textPart("Hi")) + "a footer of the list", content: "Hi", warned: "20 bytes",
		},
		"RFC 2231 name": {
			raw: head + mixed("b",
				"Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*0*=UTF-8''d%C3%A9; "+
					"filename*1*=ck.pdf\r\n\r\n%PDF-1.4"), content: "", files: "déck.pdf application/pdf 8",
		},
		"RFC 2047 name": {
			raw:     head + mixed("b", "Content-Type: application/pdf; name=\"=?utf-8?Q?d=C3=A9ck.pdf?=\"\r\n\r\n%PDF-1.4"),
			content: "", files: "déck.pdf application/pdf 8",
		},
		"names as paths": {
			raw: head + mixed("b", strings.ReplaceAll(pdf, "deck.pdf", `..\\..\\etc/passwd`),
				strings.ReplaceAll(pdf, "deck.pdf", "..")), content: "",
			files: "passwd application/pdf 8, attachment-2.pdf application/pdf 8",
		},
		"no name": {
			raw: head + mixed("b",
				"Content-Disposition: attachment\r\nContent-Type: application/octet-stream\r\n\r\n%PDF-1.4"),
			content: "", files: "attachment-1.pdf application/pdf 8",
		},
		"text that is a file": {
			raw: head + mixed("b", textPart("Hi"),
				"Content-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nA file"),
			content: "Hi", files: "a.txt text/plain 6", absent: "A file",
		},
		"an empty file": {
			raw: head + mixed("b", textPart("Hi"), "Content-Type: application/pdf; name=e.pdf\r\n\r\n"), content: "Hi",
			files: "e.pdf application/pdf 0",
		},
		"names of different case": {
			raw: "FROM: a@x.example\r\nto: b@x.example\r\nCONTENT-TYPE: MULTIPART/MIXED; BOUNDARY=b\r\nmessage-id: " +
				"<1@x>\r\ndate: Thu, 12 Nov 2026 10:22:31 +0000\r\n\r\n--b\r\ncontent-type: TEXT/PLAIN\r\n\r\nHi\r\n--b--",
			from: "a@x.example", to: "b@x.example", content: "Hi",
		},
	}
}
