package mimemail

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"dealflow/internal/blank"
)

// fileName returns the name of a file for people: without its path, control characters and characters that change the
// direction of text. A name of more than maxFileName characters is cut and keeps an extension of at most 16 characters.
// A file without a name gets one from its number and kind.
func fileName(name, media string, content []byte, number int) string {
	name = storable(name)
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	if name = blank.Trim(name); name == "" || strings.Trim(name, ".") == "" {
		return fmt.Sprintf("attachment-%d%s", number, extension(media, content))
	}
	if runes := []rune(name); len(runes) > maxFileName {
		ending := []rune(path.Ext(name))
		if len(ending) > 16 {
			ending = nil
		}
		name = string(runes[:maxFileName-len(ending)]) + string(ending)
	}
	return name
}

func extension(media string, content []byte) string {
	switch media {
	case "message/rfc822":
		return ".eml"
	case "text/calendar":
		return ".ics"
	}
	if known := mimetype.Lookup(media); known != nil && known.Extension() != "" {
		return known.Extension()
	}
	return mimetype.Detect(content).Extension()
}

// mediaOf returns the media type that the sender names, in lower case and cut to maxFileName bytes. If the sender names
// none, or only one such as application/octet-stream, it detects the type from the content.
func mediaOf(declared string, content []byte) string {
	if declared == "" || declared == unreadableType || declared == "application/octet-stream" ||
		!strings.Contains(declared, "/") {
		declared, _, _ = strings.Cut(mimetype.Detect(content).String(), ";")
	}
	return firstOf(strings.ToLower(storable(declared)), maxFileName)
}
