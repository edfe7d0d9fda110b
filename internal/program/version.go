// Package program answers --version and --help for each program.
package program

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
)

// Build describes how a program was built.
type Build struct {
	// the version of the module, with the revision unless it is a release; "(devel)" if git was not available
	Version  string `json:"version"`
	Revision string `json:"revision"` // of git; "" if git was not asked
	Go       string `json:"go"`
}

// ThisBuild returns the build of the running program, as far as it is known; at least Version is set.
func ThisBuild() Build {
	build := Build{Version: "(devel)"}
	info, found := debug.ReadBuildInfo()
	if !found {
		return build
	}
	build.Go = info.GoVersion
	if info.Main.Version != "" {
		build.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			build.Revision = setting.Value
		}
	}
	return build
}

// String returns the version of the module and the version of Go in one line.
func (b Build) String() string { return b.Version + " (" + b.Go + ")" }

// Usage is the data of the text that --help prints.
type Usage struct {
	Name     string
	Does     string   // in one sentence
	Settings []string // environment variables, each with its default
}

// Answer handles the arguments of a program that accepts only --help and --version. It writes the answer to out, or,
// for other arguments, an error to errOut, and returns the exit code: 0, or 2 after an error. done is false if args is
// empty: then the program must run.
func Answer(usage Usage, args []string, out, errOut io.Writer) (code int, done bool) {
	switch {
	case len(args) == 0:
		return 0, false
	case len(args) == 1 && (args[0] == "--version" || args[0] == "-version"):
		fmt.Fprintln(out, usage.Name, ThisBuild())
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-help" || args[0] == "-h"):
		fmt.Fprint(out, usage.text())
	default:
		fmt.Fprintf(errOut, "%s takes no arguments but --help and --version; settings are environment variables\n",
			usage.Name)
		return 2, true
	}
	return 0, true
}

func (u Usage) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s\n\n%s\n\nUsage: %s [--help | --version]\n\n", u.Name, ThisBuild(), u.Does, u.Name)
	text.WriteString("Settings are environment variables, here with their defaults. The README says what each means.\n\n")
	for _, setting := range u.Settings {
		text.WriteString("  " + setting + "\n")
	}
	return text.String()
}
