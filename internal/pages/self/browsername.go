package self

import (
	"strings"

	"dealflow/internal/pages/render"
)

// browserName returns what people call the browser and the system that a User-Agent header names; the header itself
// where it names none that is known.
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

// firstNamed returns the name of the first sign that a text has; "" if it has none.
func firstNamed(text string, signs [][2]string) string {
	for _, sign := range signs {
		if strings.Contains(text, sign[0]) {
			return sign[1]
		}
	}
	return ""
}
