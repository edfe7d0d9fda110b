// Command dealflow runs the whole service on one machine (up) and is the operator's tool for it. Environment variables
// configure it; see the README.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
	"dealflow/internal/program"
)

func main() {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, func() { // a later signal ends the process at once; some senders repeat the first
		time.Sleep(2 * time.Second)
		stop()
	})
	t := &tool{in: os.Stdin, out: os.Stdout, errOut: os.Stderr, env: environment(os.Environ())}
	os.Exit(t.run(ctx, os.Args[1:]))
}

// run runs the command that args name, and returns the exit code: 0, or 1 if the command failed. It prints the error to
// errOut, unless the command has printed it already (see reported).
func (t *tool) run(ctx context.Context, args []string) int {
	root := t.newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !errors.Is(err, reported{}) {
		fmt.Fprintln(t.errOut, "dealflow:", explain(err))
	}
	return 1
}

// newRoot returns the root command with all subcommands. Each of them accepts --json.
func (t *tool) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "dealflow",
		Short:         "Deal flow for investor teams: run the whole service on one machine, and operate it",
		Version:       program.ThisBuild().String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.errOut)
	root.PersistentFlags().BoolVar(&t.json, "json", false, "print one JSON object on stdout")
	root.AddCommand(t.commands()...)
	return refusesUnknownTopics(chooses(root))
}

// explain returns the text of an error for people. For a *fault.Error with details, the text has the details only, each
// with the name of its field.
func explain(err error) string {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || len(refusal.Details) == 0 {
		return err.Error()
	}
	var parts []string
	for _, detail := range refusal.Details {
		parts = append(parts, detail.Field+": "+detail.Message)
	}
	return strings.Join(parts, "; ")
}

// environment returns a map of variables of the form "NAME=value": from names to values.
func environment(variables []string) map[string]string {
	all := make(map[string]string, len(variables))
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		all[name] = value
	}
	return all
}
