package mimemail_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dealflow/internal/mimemail"
	"dealflow/internal/testkit/cputime"
)

// hostile are messages made to cost much, each with the warning that it must get.
func hostile() map[string]struct{ raw, warned string } {
	nested := ""
	for i := range 3000 {
		nested += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
	}
	params := strings.Repeat("; a=b", 100_000)
	return map[string]struct{ raw, warned string }{
		"nested deep": {head + nested + "\r\nHi" + strings.Repeat("x\r\n", 100_000), "nested too deep"},
		"many parts": {
			head + mixed("b", strings.Split(strings.Repeat(textPart("x")+"|", 50_000), "|")...), "more than 5000 parts",
		},
		"many bare parts": {
			head + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\n", 300_000),
			"more than 5000 parts",
		},
		"encoded boundary": {
			head + "Content-Type: multipart/mixed; boundary*=us-ascii''b\r\n\r\n" + strings.Repeat("--b\r\n\r\n", 300_000),
			"more than 5000 parts",
		},
		"short boundary": {
			head + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b \r\n", 300_000),
			"more than 5000 parts",
		},
		"huge header":     {head + "X-Long: " + strings.Repeat("a b\r\n ", 1_000_000) + "\r\n\r\nHi", "only its first"},
		"many headers":    {head + strings.Repeat("X-A: b\r\n", 500_000) + "\r\nHi", "only its first"},
		"senseless lines": {head + strings.Repeat(":x\r\n", 300_000) + "\r\nHi", "malformed header"},
		"huge subject": {
			strings.Replace(head, "Deck", strings.Repeat("=?utf-8?Q?a?= ", 50_000), 1) + "\r\nHi", "more than 10000 characters",
		},
		"many addresses": {
			strings.Replace(head, "To: ", "To: "+strings.Repeat("a@x.example, <", 30_000), 1) + "\r\nHi", "",
		},
		"many recipients": {
			head + "Cc: " + strings.Join(recipients(3000), ",\r\n ") + "\r\n\r\nHi", "Cc has 3000 entries",
		},
		"many references": {
			head + "References: " + strings.Repeat("<a@x> ", 40_000) + strings.Join(references(500), " ") + "\r\n\r\nHi",
			"References has",
		},
		"type of parameters": {head + "Content-Type: text/plain" + params + "\r\n\r\nHi", ""},
		"long text":          {head + "\r\n" + strings.Repeat("word ", 2_000_000), "the content is the first"},
		"HTML of tags": {
			head + "Content-Type: text/html\r\n\r\nHi" + strings.Repeat("<div><a href='http://x'>", 100_000), "",
		},
		"HTML of links": {
			head + "Content-Type: text/html\r\n\r\nHi<a href='http://xy'>" + strings.Repeat("x </a>", 300_000), "",
		},
		"encoded words, open": {
			strings.Replace(head, "Deck", strings.Repeat("=?utf-8?Q?", 90_000), 1) + "\r\nHi", "more than 10000 characters",
		},
		"routes":          {strings.Replace(head, "To: ", "To: "+strings.Repeat("<@a", 100_000), 1) + "\r\nHi", ""},
		"uuencoded heads": {head + "\r\n" + strings.Repeat("begin 644 a\n#0V%T\n", 200_000), ""},
		"uuencoded files": {
			head + "\r\n" + strings.Repeat("begin 644 a\n#0V%T\n`\nend\n", 50_000), "more than 100 attachments",
		},
		"mails in mails": {
			head + strings.Repeat("Content-Type: message/rfc822\r\n\r\nFrom: a@x.example\r\n", 20_000) + "\r\nHi", "",
		},
		"no part begins": {
			head + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--c\r\n", 300_000), "missing boundary",
		},
		"brackets": {strings.Replace(head, "deals@fund.example", strings.Repeat("(", 200_000), 1) + "\r\nHi", ""},
		"one long line": {
			head + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n" + strings.Repeat("x", 5_000_000), "",
		},
		"long boundary": {
			head + "Content-Type: multipart/mixed; boundary=" + strings.Repeat("b", 7000) + "\r\n\r\n--" + strings.Repeat("b",
				7000) + "\r\n\r\nHi\r\n", "",
		},
	}
}

func recipients(count int) []string {
	var all []string
	for i := range count {
		all = append(all, fmt.Sprintf("user%d@x.example", i))
	}
	return all
}

func references(count int) []string {
	var all []string
	for i := range count {
		all = append(all, fmt.Sprintf("<%d@x>", i))
	}
	return all
}

func TestHostileMessagesCostLittle(t *testing.T) {
	t.Parallel()
	for name, tc := range hostile() {
		t.Run(name, func(t *testing.T) {
			var m mimemail.Message
			var err error
			took := cputime.Of(func() { m, err = mimemail.Read([]byte(tc.raw)) })
			if err != nil || took > 10*time.Second {
				t.Errorf("%v after %v of processor time", err, took)
			}
			t.Logf("%v for %d bytes", took, len(tc.raw))
			if len(m.Metadata) > 256<<10 || !strings.Contains(fmt.Sprint(metaOf(t, m)["warnings"]), tc.warned) {
				t.Errorf("%d bytes of metadata: %.1000s; want %q", len(m.Metadata), m.Metadata, tc.warned)
			}
		})
	}
}

// FuzzRead looks for what breaks the reader, and for what could not be stored.
