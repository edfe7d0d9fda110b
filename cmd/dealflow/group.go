package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// group returns a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	parent := &cobra.Command{Use: use, Short: short}
	parent.AddCommand(commands...)
	return chooses(parent)
}

// chooses makes parent fail unless one of its commands is named, and returns parent. By default, cobra would print the
// help and exit with 0, so that a script with a typing error goes on. Only the root command prints its help if it has
// no arguments.
func chooses(parent *cobra.Command) *cobra.Command {
	parent.Args, parent.RunE = cobra.ArbitraryArgs, refuseChoice
	// Unknown flags may belong to the command that was meant: the error must be about the missing command, not about them.
	parent.FParseErrWhitelist.UnknownFlags = true
	return parent
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

// need makes flags of a command required, and returns the command.
func need(cmd *cobra.Command, flags ...string) *cobra.Command {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that the command does not have: a mistake of ours, at every start
		}
	}
	return cmd
}

// noArgs refuses arguments that are not flags.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes nothing but flags, and %q is none: see %s --help", cmd.CommandPath(), args[0],
			cmd.CommandPath())
	}
	return nil
}
