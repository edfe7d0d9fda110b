package main

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// group returns a command that has these subcommands. To run it without one of them is an error.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	parent := &cobra.Command{Use: use, Short: short}
	parent.AddCommand(commands...)
	return chooses(parent)
}

// chooses makes parent return an error if none of its subcommands is named, and returns parent. cobra would print the
// help and exit with 0, so that a script with a mistyped name would continue. Without arguments, the root command still
// prints its help.
func chooses(parent *cobra.Command) *cobra.Command {
	parent.Args, parent.RunE = cobra.ArbitraryArgs, refuseChoice
	// Unknown flags may belong to the command that was meant: the error must be about the missing command, not about them.
	parent.FParseErrWhitelist.UnknownFlags = true
	return parent
}

// refusesUnknownTopics makes the help command of root fail for a command that does not exist, and returns root. By
// default cobra would print the help of the nearest command, and exit with 0.
func refusesUnknownTopics(root *cobra.Command) *cobra.Command {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, topic []string) error {
		found, rest, err := root.Find(topic)
		if err != nil || len(rest) == 0 || !found.HasSubCommands() {
			return err
		}
		return refuseChoice(found, rest)
	}
	return root
}

func refuseChoice(parent *cobra.Command, args []string) error {
	if len(args) == 0 && !parent.HasParent() {
		return parent.Help()
	}
	names := []string{}
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	choice := fmt.Sprintf("%s takes one of %s", parent.CommandPath(), strings.Join(names, ", "))
	if len(args) == 0 {
		return fmt.Errorf("a command is missing: %s", choice)
	}
	return fmt.Errorf("unknown command %q: %s", args[0], choice)
}

// need marks flags of cmd as required, and returns cmd. It panics if cmd lacks one of them.
func need(cmd *cobra.Command, flags ...string) *cobra.Command {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the command lacks the flag: a mistake in this program
		}
	}
	return cmd
}

// noArgs is a cobra.PositionalArgs that returns an error if there are arguments that are not flags.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes nothing but flags, and %q is none: see %s --help", cmd.CommandPath(), args[0],
			cmd.CommandPath())
	}
	return nil
}

// parseID parses the id that was given with a flag. It does not accept the zero id. The error names the flag.
func parseID(flag, given string) (uuid.UUID, error) {
	id, err := uuid.Parse(given)
	if err != nil || id == uuid.Nil {
		return uuid.Nil, fmt.Errorf("--%s: %q is no id, which looks like 7c9e6679-7425-40de-944b-e07fc1f90ae7", flag, given)
	}
	return id, nil
}
