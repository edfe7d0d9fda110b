package sharing

import (
	_ "embed"
	"net/http"
	"strings"
)

//go:embed programs.txt
var programs string

// isProgram reports whether the User-Agent of the request contains a name in programs.txt, or begins with one that has
// "^" before it there. Such programs request a page for nobody to read, such as a chat program for a preview of a link.
func isProgram(r *http.Request) bool {
	agent := strings.ToLower(r.UserAgent())
	for line := range strings.Lines(programs) {
		name := strings.TrimSpace(line)
		if name == "" || name[0] == '#' {
			continue
		}
		if start, isStart := strings.CutPrefix(name, "^"); isStart {
			if strings.HasPrefix(agent, start) {
				return true
			}
		} else if strings.Contains(agent, name) {
			return true
		}
	}
	return false
}
