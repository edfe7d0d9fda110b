package links_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/analysis/links"
	"dealflow/internal/testkit/cputime"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	signed := "https://uploads.s3.eu-west-1.amazonaws.com/d/x.pdf?X-Amz-Credential=AS%2F2026&X-Amz-Security-Token=" +
		strings.Repeat("aB3%2F", 3000) + "&x-id=GetObject"
	tests := map[string]struct {
		text string
		want []string
	}{
		"plain": {
			"see https://acme.io/deck and http://b.example", []string{"https://acme.io/deck", "http://b.example"},
		},
		"trailing punctuation": {
			"Look: https://acme.io/a. Or https://acme.io/b, https://acme.io/c! (https://acme.io/d?) https://acme.io/e...",
			[]string{"https://acme.io/a", "https://acme.io/b", "https://acme.io/c", "https://acme.io/d", "https://acme.io/e"},
		},
		"parentheses": {
			"(https://en.example.org/wiki/Foo_(bar)) and (https://acme.io/x)",
			[]string{"https://en.example.org/wiki/Foo_(bar)", "https://acme.io/x"},
		},
		"a password behind it": {
			"https://docsend.com/view/abc(password: x)", []string{"https://docsend.com/view/abc"},
		},
		"markdown": {
			"[deck](https://docsend.com/view/a1) **https://acme.io** _https://acme.io/u_ `https://acme.io/c` " +
				"[https://acme.io/s](https://acme.io/s)",
			[]string{
				"https://docsend.com/view/a1", "https://acme.io", "https://acme.io/u", "https://acme.io/c", "https://acme.io/s",
			},
		},
		"angle and table": {
			"<https://acme.io/a>|https://acme.io/b|<https://acme.io/c|label>",
			[]string{"https://acme.io/a", "https://acme.io/b", "https://acme.io/c"},
		},
		"quotes": {
			`"https://acme.io/a" 'https://acme.io/b' “https://acme.io/c” «https://acme.io/d» {'u': 'https://acme.io/e', 'x': ` +
				`1}`, []string{
				"https://acme.io/a", "https://acme.io/b", "https://acme.io/c", "https://acme.io/d", "https://acme.io/e",
			},
		},
		"entities with semicolon": {
			"https://acme.io/?a=1&amp;b=2 https://acme.io/?a=1&copy=2 &lt;https://acme.io/z&gt; " +
				"https://acme.io/q?a=1&amp;amp;b=2",
			[]string{
				"https://acme.io/?a=1&b=2", "https://acme.io/?a=1&copy=2", "https://acme.io/z", "https://acme.io/q?a=1&b=2",
			},
		},
		"www": {
			"www.acme.io/deck, WWW.b.example and x@www.c.example, nothing at www. alone or awww.d.example",
			[]string{"https://www.acme.io/deck", "https://WWW.b.example"},
		},
		"no links": {
			"mailto:jo@acme.io tel:+49123 acme.io acme.io/deck ftp://acme.io/x https:// http://… jo@docsend.com hxxps", nil,
		},
		"known deck host bare": {
			"deck: docsend.com/view/ns1 or team.docsend.com/view/2; mailbox.com/x is none, jo@docsend.com/x neither, " +
				"docsend.com too", []string{"https://docsend.com/view/ns1", "https://team.docsend.com/view/2"},
		},
		"repeats": {
			"https://acme.io https://ACME.io/ HTTPS://acme.io https://acme.io/A https://acme.io/a",
			[]string{"https://acme.io", "https://acme.io/A", "https://acme.io/a"},
		},
		"html": {
			`<a href="https://acme.io/a?x=1&amp;y=2">https://acme.io/a?x=…</a><img src='https://t.example/o.gif'><a ` +
				`href=https://acme.io/u>u</a><html xmlns="http://www.w3.org/1999/xhtml">`,
			[]string{"https://acme.io/a?x=1&y=2", "https://t.example/o.gif", "https://acme.io/u"},
		},
		"anchor shows www": {`<a href="http://www.acme.io/">www.acme.io</a>`, []string{"http://www.acme.io/"}},
		"json": {
			`{"deck":"https:\/\/acme.io\/d?a=1\u0026b=2","t":"see https:\/\/acme.io\/e\nnext"}`,
			[]string{"https://acme.io/d?a=1&b=2", "https://acme.io/e"},
		},
		"lists without spaces": {
			"https://acme.io/a,https://acme.io/b;https://acme.io/c|https://acme.io/dhttps://acme.io/e",
			[]string{"https://acme.io/a", "https://acme.io/b", "https://acme.io/c", "https://acme.io/d", "https://acme.io/e"},
		},
		"a link within a link": {
			"https://web.example/2020/https://acme.io/x https://l.example/go?to=https://acme.io/y",
			[]string{"https://web.example/2020/https://acme.io/x", "https://l.example/go?to=https://acme.io/y"},
		},
		"chinese": {
			"资料见https://docsend.com/view/abc。官网：https://acme.cn，谢谢https://acme.cn/view/1谢谢",
			[]string{"https://docsend.com/view/abc", "https://acme.cn", "https://acme.cn/view/1"},
		},
		"hosts in their own script": {
			"http://中国.中国/中国 http://foobar.みんな/ 官网http://公司.中国谢谢 http://例え.テスト https://한국.한국입니다 https://acme.cn.谢谢",
			[]string{
				"http://中国.中国/中国", "http://foobar.みんな/", "http://公司.中国", "http://例え.テスト", "https://한국.한국", "https://acme.cn",
			},
		},
		"direction marks": {
			"\u202ahttps://acme.io/a\u202c. (\u200fhttps://acme.io/b\u200e) https://acme.io/\u2066c\u2069",
			[]string{"https://acme.io/a", "https://acme.io/b", "https://acme.io/"},
		},
		"possessive": {
			"https://acme.io's deck, https://acme.io/x's https://en.example.org/wiki/McDonald's",
			[]string{"https://acme.io", "https://acme.io/x", "https://en.example.org/wiki/McDonald's"},
		},
		"en dash": {
			"https://en.example.org/wiki/Michelson–Morley_experiment https://acme.io/2019–2024/x https://acme.io/deck–we " +
				"build https://acme.io–x", []string{
				"https://en.example.org/wiki/Michelson–Morley_experiment", "https://acme.io/2019–2024/x", "https://acme.io/deck",
				"https://acme.io",
			},
		},
		"wide bar": {"｜https://acme.io｜b", []string{"https://acme.io"}},
		"accents stay": {
			"https://de.example.org/wiki/Zürich, https://acme.jp/資料.pdf",
			[]string{"https://de.example.org/wiki/Zürich", "https://acme.jp/資料.pdf"},
		},
		"invisible characters": {
			"https://acme.io/\u200bview\u200b and \ufeffhttps://acme.io/b\u00a0x",
			[]string{"https://acme.io/view", "https://acme.io/b"},
		},
		"arrow and dash": {
			"https://acme.io/a→https://acme.io/b—https://acme.io/c",
			[]string{"https://acme.io/a", "https://acme.io/b", "https://acme.io/c"},
		},
		"port, user, ip, fragment": {
			"http://127.0.0.1:8080/x#y https://u:p@acme.io/z http://localhost:3000",
			[]string{"http://127.0.0.1:8080/x#y", "https://u:p@acme.io/z", "http://localhost:3000"},
		},
		"base64 and underscores stay": {
			"https://d.example/d.pdf?Policy=eyJ__&Signature=a~b-c__&k=Zg== https://d.example/e?k=Zg==.",
			[]string{"https://d.example/d.pdf?Policy=eyJ__&Signature=a~b-c__&k=Zg==", "https://d.example/e?k=Zg=="},
		},
		"eighteen kilobytes": {"Deck:\n" + signed + "\nThanks", []string{signed}},
		"quoted-printable": {
			"Content-Transfer-Encoding: quoted-printable\n\n=E2=80=94 " +
				"https://docsend.com/view=\n/bw1?utm_source=3Dnews&x=\n=3D1",
			[]string{"https://docsend.com/view/bw1?utm_source=news&x=1"},
		},
		"quoted-printable undeclared": {
			"Hi=20there https://acme.io/a?b=3Dc&d=\r\n=3De", []string{"https://acme.io/a?b=c&d=e"},
		},
		"quoted-printable html": {
			`<a href=3D"https://acme.io/a?b=3D1&amp;c=3D2">x</a>`, []string{"https://acme.io/a?b=1&c=2"},
		},
		"printing in 3D":       {"https://acme.io/?q=3Dprinting and more", []string{"https://acme.io/?q=3Dprinting"}},
		"not quoted-printable": {"https://acme.io/?a=b&c=3Dd&x=yz", []string{"https://acme.io/?a=b&c=3Dd&x=yz"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := links.NewExtractor(links.DefaultDeckClasses()).Links(tt.text)
			if !slices.Equal(got, tt.want) {
				t.Errorf("links of %.200q\n got %.400q\nwant %.400q", tt.text, got, tt.want)
			}
		})
	}
}

func TestLinksOverLines(t *testing.T) {
	t.Parallel()
	wrapped := func(s string, width int) string {
		var out []string
		for len(s) > width {
			out, s = append(out, s[:width]), s[width:]
		}
		return strings.Join(append(out, s), "\n")
	}
	long := "https://d3k9q1.cloudfront.net/d/teasel.pdf?Expires=1796083200&Policy=eyJTdGF0ZW1lbnQiOlt7RM7u" +
		"P13IPymhyu747AkWvKO9V0dz3s1WL3rBdnPzb411B3JbjVCQ7V2G62JRbOtH0nP2m1E9bgM73Zzbvjv1co0p" +
		"DJyjzJxFKj0LzTT2XWOrmi7ZomyiqKEGRFiuYXi10u&Key-Pair-Id=KJOJFBKHMOR4VM"
	drive := "https://drive.google.com/drive/folders/1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789?usp=sharing"
	tests := map[string]struct {
		text string
		want []string
	}{
		"hard wrapped at 76":            {wrapped("Teasel deck "+long, 76) + "\n\nRegards, Omri", []string{long}},
		"hard wrapped at 64":            {wrapped(long, 64) + "\nRegards,\nOmri", []string{long}},
		"hard wrapped with prose after": {wrapped("Deck: "+drive, 72) + " and the rest\nof the mail", []string{drive}},
		"with carriage returns": {
			strings.ReplaceAll(wrapped(long, 72), "\n", "\r\n") + "\r\n\r\nBest", []string{long},
		},
		"in quoted mail": {
			"> " + strings.ReplaceAll(wrapped(long, 70), "\n", "\n> ") + "\n>\n> Regards", []string{long},
		},
		"quote marks with and without spaces": {
			"> > " + strings.ReplaceAll(wrapped(long, 70), "\n", "\n>>") + "\n>>\n>> Regards", []string{long},
		},
		"less than the quote marks of the line before": {
			"> > see " + long[:70] + "\n>>x", []string{long[:70] + "x"},
		},
		"in angle brackets":       {"deck <" + wrapped(drive, 40) + "> Tom", []string{drive}},
		"in short angle brackets": {"deck <https://acme.io/a\nbc> Tom", []string{"https://acme.io/abc"}},
		"in an attribute":         {"<a href=\"" + wrapped(drive, 30) + "\">deck</a>", []string{drive}},
		"in a markdown target":    {"[deck](" + wrapped(drive, 30) + ") and more", []string{drive}},
		"behind a slash": {
			"Our deck is here: https://www.dropbox.com/scl/fi/abc123def456/\nstoker.pdf?rlkey=k1k2k3&dl=0",
			[]string{"https://www.dropbox.com/scl/fi/abc123def456/stoker.pdf?rlkey=k1k2k3&dl=0"},
		},
		"within an escape": {
			"https://acme.io/get?file=a%2Fb%2\nFc.pdf", []string{"https://acme.io/get?file=a%2Fb%2Fc.pdf"},
		},
		"two links, both wrapped": {wrapped(long, 76) + "\n" + wrapped(drive, 76) + "\n", []string{long, drive}},
		"a sign-off under a link": {
			"https://drive.google.com/drive/folders/1AbCdEfGhIjKlMnOpQrStUvWxYz0123\nRegards,\nTom",
			[]string{"https://drive.google.com/drive/folders/1AbCdEfGhIjKlMnOpQrStUvWxYz0123"},
		},
		"a name under a link": {
			"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view\nTom Reyes",
			[]string{"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view"},
		},
		"an address under a link": {
			"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view\ntom.reyes@oakline.example\n+49 30 1234567",
			[]string{"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view"},
		},
		"a label under a link": {
			"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view\nWebsite: https://acme.io",
			[]string{"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view", "https://acme.io"},
		},
		"a domain under a link": {
			"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view\nlinkedin.com/in/tom-reyes-1",
			[]string{"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view"},
		},
		"a sentence under a link": {
			"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view\nQ3-2026 numbers are attached",
			[]string{"https://drive.google.com/file/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123/view"},
		},
		"short lines": {
			"https://acme.io/deck\nid=12\nhttps://acme.io/b\nfoo/bar?x=1", []string{"https://acme.io/deck", "https://acme.io/b"},
		},
		"a list of links": {
			"- https://acme.io/a\n- https://acme.io/b\n* https://acme.io/c",
			[]string{"https://acme.io/a", "https://acme.io/b", "https://acme.io/c"},
		},
		"form answers": {"Deck\n" + drive + "\nYour name\nVera Kim", []string{drive}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := links.NewExtractor(links.DefaultDeckClasses()).Links(tt.text)
			if !slices.Equal(got, tt.want) {
				t.Errorf("links of\n%s\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestLinksUnwrap(t *testing.T) {
	t.Parallel()
	const target = "https://docsend.com/view/abc?a=1&b=2"
	safe := func(link string) string {
		return "https://nam02.safelinks.protection.outlook.com/?url=" + url.QueryEscape(link) +
			"&data=05%7C02&sdata=x%3D&reserved=0"
	}
	google := "https://www.google.com/url?q=" + url.QueryEscape(target) + "&sa=D&source=editors&ust=1"
	tests := map[string]struct{ text, want string }{
		"safe link":         {safe(target), target},
		"safe link in html": {`<a href="` + strings.ReplaceAll(safe(target), "&", "&amp;") + `">x</a>`, target},
		"google q":          {google, target},
		"google url": {
			"https://www.google.de/url?sa=t&url=https%3A%2F%2Facme.de%2Fdeck&usg=A", "https://acme.de/deck",
		},
		"google search stays": {
			"https://www.google.com/search?q=https://acme.io", "https://www.google.com/search?q=https://acme.io",
		},
		"safe link of google": {safe(google), target},
		"proofpoint v1": {
			"https://urldefense.proofpoint.com/v1/url?u=https%3A%2F%2Facme.io%2Fdeck&k=1", "https://acme.io/deck",
		},
		"proofpoint v2": {
			"https://urldefense.proofpoint.com/v2/url?u=https-3A__docsend.com_view_abc-3Fa-3D1-26b-3D2&d=DwMFaQ&c=x", target,
		},
		"proofpoint v3": {
			"https://urldefense.com/v3/__https://docsend.com/view/abc?a=1&b=2__;!!Abc-def!xyz$", target,
		},
		"proofpoint v3 escapes": {"https://urldefense.com/v3/__https://acme.io/a*b__;JQ!!Abc!x$", "https://acme.io/a%b"},
		"tracker stays": {
			"https://acme.us1.list-manage.com/track/click?u=a&id=b", "https://acme.us1.list-manage.com/track/click?u=a&id=b",
		},
		"target no link stays": {
			"https://www.google.com/url?q=javascript:alert(1)", "https://www.google.com/url?q=javascript:alert(1)",
		},
		"broken escape stays": {
			"https://x.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa%ZZ",
			"https://x.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa%ZZ",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := links.NewExtractor(links.DefaultDeckClasses()).Links("go " + tt.text + " now")
			if !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	both := target + "<" + safe(target) + ">"
	if got := links.NewExtractor(nil).Links(both); !slices.Equal(got, []string{target}) {
		t.Errorf("a link beside its own wrapper counts once, got %q", got)
	}
}

// TestLinksAreLinear measures that four times the text takes about four times as long, on texts that make a careless
// reader look at everything again for every link. The bound is wide: a quadratic reader would take sixteen times as
// long.
func TestLinksAreLinear(t *testing.T) {
	nasty := []string{
		"http://a(", "https://", "www.", "www.a.b ", "[[((", "<http://a\n", "https://a.io/x,", "docsend.com/", "=3D=\n",
		"&amp;", "https://a\n",
		"http://a.b/(", "x://", "https://a?b=https://", "a/", "> https://x.y/" + strings.Repeat("a", 70) + "1\n",
		"https://a…", "\"http://a\n", "](http://a\n", "_https://a_",
	}
	e := links.NewExtractor(links.DefaultDeckClasses())
	for _, unit := range nasty {
		small := strings.Repeat(unit, quarter/len(unit))
		once := fastest(func() { e.Links(small) })
		four := cputime.Of(func() { e.Links(strings.Repeat(small, 4)) })
		if four > 9*once+10*time.Millisecond || four > 500*time.Millisecond*slowdown {
			t.Errorf("%q: a quarter took %v, the whole %v", unit, once, four)
		}
	}
}

// fastest returns the processor time of the cheapest of some runs.
func fastest(run func()) time.Duration {
	const runs = 2
	least := cputime.Of(run)
	for range runs {
		least = min(least, cputime.Of(run))
	}
	return least
}

// TestRegisteredDomains checks hosts whose owner is called like a part of the suffix, too.
func TestRegisteredDomains(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"mail.acme.io": "acme.io", "Mail.Grid-Mint.co.uk.": "grid-mint.co.uk", "uk.co.uk": "uk.co.uk", "io.io": "io.io",
		"mail.co.co.uk": "co.co.uk", "acme.github.io": "acme.github.io", "例え.テスト": "例え.テスト", "co.uk": "", "localhost": "",
		"10.0.0.1": "", "": "",
	} {
		if got := links.Registered(host); got != want {
			t.Errorf("%q: got the domain %q, want %q", host, got, want)
		}
	}
}

func FuzzLinks(f *testing.F) {
	for _, seed := range []string{
		"see <https://acme.io/a\nb> www.x.y", "=E2=80=94 https://a=\n/b", "> https://a\n> b?c=%2", "[x](https://a(b))",
		"> > see https://example.com/" + strings.Repeat("a", 70) + "\n>>x",
		"https://urldefense.com/v3/__https:/a*__;JQ!!",
	} {
		f.Add(seed)
	}
	e := links.NewExtractor(links.DefaultDeckClasses())
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		for _, link := range e.Links(text) {
			if seen[link] {
				t.Errorf("%q twice", link)
			}
			seen[link] = true
			if lower := strings.ToLower(link); !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
				t.Errorf("%q has no scheme", link)
			}
			if strings.ContainsAny(link, " \t\r\n<>\"") {
				t.Errorf("%q holds what no link holds", link)
			}
		}
	})
}

func TestSplitLink(t *testing.T) {
	t.Parallel()
	for link, want := range map[string][2]string{
		"https://user:secret@Acme.io:8443/deck?x=1": {"acme.io", "/deck?x=1"},
		"https://acme.io#top":                       {"acme.io", "#top"},
		"http://[2001:DB8::1]:8080/deck":            {"2001:db8::1", "/deck"},
		"http://[::1]":                              {"::1", ""},
		"http://[::1":                               {"::1", ""},
		"acme.io/deck":                              {"", ""},
	} {
		if host, rest := links.SplitLink(link); host != want[0] || rest != want[1] {
			t.Errorf("%s is split into %q and %q, want %q", link, host, rest, want)
		}
	}
	for _, host := range []string{"2001:db8::1", "::1", "::ffff:192.0.2.1"} {
		if domain := links.Registered(host); domain != "" {
			t.Errorf("the address %s has the domain %q", host, domain)
		}
	}
}
