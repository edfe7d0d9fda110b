package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"dealflow/internal/config"
	"dealflow/internal/logs"
)

// tool is the command line tool: what it reads and writes, and the flags that all commands have.
type tool struct {
	in     io.Reader
	out    io.Writer         // only results
	errOut io.Writer         // logs and errors
	env    map[string]string // the environment, by name
	json   bool              // results as JSON, one object for each command
}

// reported is the error of a command that has already printed what is wrong: run then prints nothing more, and returns
// 1.
type reported struct{}

func (reported) Error() string { return "shown already" }

// print prints the result of a command to out: object as JSON if --json was given, else the sentence of format and
// args.
func (t *tool) print(object any, format string, args ...any) error {
	if t.json {
		return json.NewEncoder(t.out).Encode(object)
	}
	_, err := fmt.Fprintf(t.out, format+"\n", args...)
	return err
}

// logger returns the logger of a command, which writes to stderr.
func (t *tool) logger(cfg config.Log) *slog.Logger {
	return logs.New(t.errOut, cfg.Level, cfg.Format).With("process", "dealflow")
}
