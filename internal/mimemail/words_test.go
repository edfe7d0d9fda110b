package mimemail_test

import (
	"fmt"
	"strings"
	"testing"

	"dealflow/internal/mimemail"
)

func read(t *testing.T, raw string) mimemail.Message {
	t.Helper()
	m, err := mimemail.Read([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEncodedWords(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"=?utf-8?Q?Gr=C3=BC=C3=9Fe?=":                             "Grüße",
		"=?utf-8*de?q?Gr=C3=BC=C3=9Fe?= aus =?utf-8?b?S8O2bG4=?=": "Grüße aus Köln",
		"=?iso-8859-1?Q?Gr\xfc\xdfe aus_K\xf6ln?=":                "Grüße aus Köln", // 8-bit text and spaces in a word
		"=?iso-8859-1?Q?Gr\u00fc\u00dfe?=":                        "Grüße",
		"=?utf-8?B?R3LD?=\r\n =?utf-8?B?vMOfZQ==?=":               "Grüße", // a character in two words
		"=?utf-8?B?R3LDvMOfZQ?=":                                  "Grüße", // no padding
		"=?utf-7?Q?Gr+APwA3w-e?=":                                 "Grüße",
		"=?UTF-16?B?/v8ARwByAPwA3wBl?=":                           "Grüße",
		"=?utf-16le?B?RwByAPwA3wBlAA==?=":                         "Grüße",
		"=?NONE?B?VEVTVA=?=":                                      "TEST",
		"=?utf-8?Q?a=2?= =?utf-8?Q?=zz?=":                         "a=2=zz",
		"=?utf-8?Q?Who=3F_You??= =? =?x?=":                        "Who? You? =? =?x?=",
		"=?x-klingon?Q?abc?= =?utf-8?Q?d?=":                       "=?x-klingon?Q?abc?= d",
		"=?ibm437?Q?Gr=81=E1e?=":                                  "Grüße",
	} {
		if m := read(t, strings.Replace(head, "Deck", written, 1)+"\r\nHi"); m.Subject == nil || *m.Subject != want {
			t.Errorf("the subject of %q is %q, want %q", written, *m.Subject, want)
		}
	}
}

func TestAddressesWithEncodedWords(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"=?utf-8?Q?M=C3=BCller=2C_Ada_<x=40y.example>?= <ada@x.example>": "Müller, Ada <x@y.example> <ada@x.example>",
		"\"=?utf-8?Q?M=C3=BCller=2C_Ada?=\" <ada@x.example>":             "Müller, Ada <ada@x.example>",
		"=?utf-7?Q?M+APw-ller?= <ada@x.example>":                         "Müller <ada@x.example>",
		"=?utf-8?Q?=22Ada=22?= <ada@x.example>":                          `"Ada" <ada@x.example>`,
		"=?utf-8?Q?ada=40x.example?=":                                    " <ada@x.example>",
		"Ada <@one.example,@two.example:ada@x.example>":                  "Ada <ada@x.example>",
		"Ada <ada(her own)@x.example(here)>":                             "Ada <ada@x.example>",
	} {
		if m := read(t, strings.Replace(head, "Ivy Marsh <ivy@brackenfield.example>", written, 1)+"\r\nHi"); m.FromName+" <"+
			m.FromEmail+">" != want {
			t.Errorf("the sender in %q is %q <%s>, want %q", written, m.FromName, m.FromEmail, want)
		}
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`attachment; filename="=?UTF-8?B?W+yCvOyEseyDneuqhQ==?=` + "\r\n " +
			`=?UTF-8?B?XSAyMDI2LnBkZg==?="`: "[삼성생명] 2026.pdf",
		`attachment; filename*0="=?utf-8?Q?Gr=C3=BC?=";` + "\r\n" + ` filename*1=" =?utf-8?Q?=C3=9Fe.pdf?="`: "Grüße.pdf",
		`attachment; filename*0*=iso-8859-1''Gr%FC; filename*1*=%DFe; filename*2=" ` +
			`100%25.pdf"`: "Grüße 100%25.pdf",
		`attachment; filename*1="b.pdf"; filename*0="a "`:                        "a b.pdf",
		`attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf; filename="Gr??e.pdf"`: "Grüße.pdf",
		`attachment; filename==?utf-8?B?R3LDvMOfZS5wZGY=?=`:                      "Grüße.pdf",
		`attachment; filename=our deck 2026.pdf; size=3`:                         "our deck 2026.pdf",
		"attachment; filename=\"Gr\xfc\xdfe.pdf\"":                               "Grüße.pdf",
		`attachment; filename="C:\TEMP\deck.pdf"`:                                "deck.pdf",
		`attachment; filename="a \"b\".pdf"`:                                     `a "b".pdf`,
		`attachment; filename*=x-klingon''a%20b.pdf`:                             "a b.pdf",
		`attachment; FILENAME=a.pdf; filename=b.pdf`:                             "a.pdf",
		`attachment`: "named.pdf",
		"attachment;\r\n filename*0*=UTF-8''%D0%A1%D0%BF%D0%B8;\r\n filename*1*=%D1%81%D0%BE%D0%BA;\r\n " +
			"filename*2=.pdf;\r\n size=123": "Список.pdf",
	} {
		m := read(t, head+mixed("b", textPart("Hi"),
			"Content-Type: application/pdf; name=named.pdf\r\nContent-Disposition: "+written+"\r\n\r\n%PDF-1.4"))
		if len(m.Files) != 1 || m.Files[0].Filename != want {
			t.Errorf("%q names %q, want %q", written, m.Files[0].Filename, want)
		}
	}
}

// TestCharsetsByOtherNames reads a mail whose text, subject and file name are in a charset that goes by several names.
func TestCharsetsByOtherNames(t *testing.T) {
	t.Parallel()
	for charset, tc := range map[string]struct{ raw, want string }{
		"cp437": {"Caf\x82", "Café"}, "cp932": {"\x93\xfa\x96{", "日本"}, "cp949": {"\xc7\xd1\xb1\xdb", "한글"},
		"cp950": {"\xa4\xa4\xa4\xe5", "中文"}, "ms936": {"\xd6\xd0\xce\xc4", "中文"}, "hz-gb-2312": {"~{VPND~}", "中文"},
		"iso-2022-kr": {"\x1b$)C\x0e>H3gGO<<?d\x0f, \x0eH8;g\x0f ABC", "안녕하세요, 회사 ABC"}, "ISO-2022-KR": {"\xbe\xc8", "안"},
		"iso-2022-jp-2": {"\x1b$BF|K\\\x1b(B", "日本"}, "koi8r": {"\xf0\xc9", "Пи"}, "win-1251": {"\xcf\xe8", "Пи"},
		"euckr": {"\xc7\xd1", "한"}, "ks-c-5601-1987": {"\xc7\xd1", "한"}, "iso2022-kr": {"\x1b$)C\x0eGQ\x0f", "한"},
		"eucjp": {"\xc6\xfc", "日"}, "shiftjis": {"\x93\xfa", "日"}, "iso2022-jp": {"\x1b$BF|\x1b(B", "日"},
		"macroman": {"Caf\x8e", "Café"}, "tis620": {"\xe4\xb7", "ไท"}, "utf16": {"\xfe\xff\x00\xe9", "é"},
		"windows_1251": {"\xcf\xe8", "Пи"}, "utf_8": {"Caf\xc3\xa9", "Café"},
		"unicode-1-1-utf-7": {"Caf+AOk-", "Café"}, "cp65001": {"Caf\xc3\xa9", "Café"},
	} {
		encoded, escaped := b64(tc.raw), ""
		for _, c := range []byte(tc.raw) {
			escaped += fmt.Sprintf("%%%02X", c)
		}
		m := read(t, "From: "+ivy+"\r\nSubject: =?"+charset+"?B?"+encoded+"?=\r\n"+mixed("b",
			"Content-Type: text/plain; charset="+charset+"\r\nContent-Transfer-Encoding: base64\r\n\r\n"+encoded,
			"Content-Type: application/pdf; name*="+charset+"''"+escaped+"\r\n\r\nx"))
		if m.Content != tc.want || *m.Subject != tc.want || m.Files[0].Filename != tc.want {
			t.Errorf("%s: %q, %q, %+v; want %s", charset, m.Content, *m.Subject, m.Files, tc.want)
		}
	}
}
