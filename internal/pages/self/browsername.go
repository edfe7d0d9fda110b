package self

import (
	"strings"

	"dealflow/internal/pages/render"
)

// browserName returns the browser and the system that a User-Agent header names, such as "Firefox on Windows", or the
// browser alone if the system is unknown. If the browser is unknown, it returns the header, shortened to about 60
// characters, or "An unnamed browser" if the header is empty.
func browserName(agent string) string {
	browser := firstNamed(agent, [][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
		{"Go-http-client/", "A Go program"},
	})
	system := firstNamed(agent, [][2]string{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"Windows", "Windows"},
		{"CrOS", "ChromeOS"},
		{"Mac OS", "Mac"},
		{"Linux", "Linux"},
	})
	switch {
	case browser == "" && agent == "":
		return "An unnamed browser"
	case browser == "":
		return render.Excerpt(agent, 60)
	case system == "":
		return browser
	}
	return browser + " on " + system
}

// firstNamed returns the name of the first sign that occurs in text, or "" if none does. Each of signs is a sign and
// its name.
func firstNamed(text string, signs [][2]string) string {
	for _, sign := range signs {
		if strings.Contains(text, sign[0]) {
			return sign[1]
		}
	}
	return ""
}
