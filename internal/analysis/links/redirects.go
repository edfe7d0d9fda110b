package links

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"dealflow/internal/analysis/clean"
)

// unwrap returns the target of a link that a mail gateway or a redirect page wrapped, if the target is an http(s) link
// and can be read from the link itself; it unwraps up to four times. It returns any other link unchanged, such as one
// of a click tracker that keeps the target on its server.
func unwrap(link string) string {
	for range 4 { // a Safe Link of a Proofpoint link of a Google link is the most that is seen
		target, ok := wrappedTarget(link)
		if !ok || !clean.HasScheme(target) || len(target) >= len(link)+64 {
			return link
		}
		link = target
	}
	return link
}

func wrappedTarget(link string) (string, bool) {
	host, rest := SplitLink(link)
	path, query, _ := strings.Cut(rest, "?")
	switch {
	case slices.Contains([]string{"urldefense.com", "urldefense.us", "urldefense.proofpoint.com"}, host):
		return proofpointTarget(path, query, rest)
	case strings.HasSuffix(host, ".safelinks.protection.outlook.com"):
		return parameter(query, "url")
	case isGoogle(host) && path == "/url":
		return firstParameter(query, "q", "url")
	case host == "slack-redir.net" && path == "/link",
		strings.TrimPrefix(host, "www.") == "linkedin.com" && strings.HasPrefix(path, "/redir"):
		return parameter(query, "url")
	case (host == "l.facebook.com" || host == "lm.facebook.com") && path == "/l.php":
		return parameter(query, "u")
	case host == "linkprotect.cudasvc.com" && path == "/url":
		return parameter(query, "a")
	case strings.HasSuffix(host, ".fireeye.com") && strings.Contains(path, "/url"):
		return parameter(query, "u")
	}
	return "", false
}

func isGoogle(host string) bool {
	host = strings.TrimPrefix(host, "www.")
	return strings.HasPrefix(host, "google.") && strings.Count(host, ".") <= 2
}

func firstParameter(query string, names ...string) (string, bool) {
	for _, name := range names {
		if v, ok := parameter(query, name); ok && clean.HasScheme(v) {
			return v, true
		}
	}
	return "", false
}

// parameter returns the decoded value of the first query parameter with this name. It reports false if there is none or
// it cannot be decoded. A "+" in it is not read as a space, since the wrapped link's own spaces are %20.
func parameter(query, name string) (string, bool) {
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if key != name {
			continue
		}
		decoded, err := url.PathUnescape(value)
		return decoded, err == nil
	}
	return "", false
}

func proofpointTarget(path, query, rest string) (string, bool) {
	switch {
	case strings.HasPrefix(path, "/v1/url"):
		return parameter(query, "u")
	case strings.HasPrefix(path, "/v2/url"):
		return proofpointV2(query)
	case strings.HasPrefix(path, "/v3/__"):
		return proofpointV3(rest[len("/v3/__"):])
	}
	return "", false
}

// proofpointV2 returns the target of a link in version 2 of Proofpoint's form, which has "-" for "%" and "_" for "/",
// and reports whether the target can be read.
func proofpointV2(query string) (string, bool) {
	for pair := range strings.SplitSeq(query, "&") {
		if value, ok := strings.CutPrefix(pair, "u="); ok {
			decoded, err := url.PathUnescape(strings.NewReplacer("-", "%", "_", "/").Replace(value))
			return decoded, err == nil
		}
	}
	return "", false
}

// proofpointV3 returns the target of a link in version 3 of Proofpoint's form, URL__;BASE64!!…, and reports whether the
// link has this form. It replaces each "*" in the URL by the next byte of the decoded base64, and "**X" by the next 2
// (X is A) to 65 (X is _) bytes. If the base64 is malformed or too short, the remaining "*" are kept.
func proofpointV3(s string) (string, bool) {
	end := strings.LastIndex(s, "__;")
	if end < 0 {
		return "", false
	}
	encoded, _, _ := strings.Cut(s[end+len("__;"):], "!")
	bytes, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		bytes = nil
	}
	return mendScheme(fillStars(s[:end], bytes)), true
}

func fillStars(s string, bytes []byte) string {
	const lengths = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		run := 1
		switch {
		case s[i] != '*' || len(bytes) == 0:
			out.WriteByte(s[i])
			continue
		case strings.HasPrefix(s[i:], "**") && i+2 < len(s):
			run = strings.IndexByte(lengths, s[i+2]) + 2
			i += 2
		}
		run = min(run, len(bytes))
		out.Write(bytes[:run])
		bytes = bytes[run:]
	}
	return out.String()
}

// mendScheme returns a link with the second slash after "https:" or "http:", which some gateways remove.
func mendScheme(link string) string {
	for _, scheme := range []string{"https:/", "http:/"} {
		if strings.HasPrefix(link, scheme) && !strings.HasPrefix(link, scheme+"/") {
			return scheme + "/" + link[len(scheme):]
		}
	}
	return link
}
