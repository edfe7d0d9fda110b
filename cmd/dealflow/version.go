package main

import (
	"github.com/spf13/cobra"

	"dealflow/internal/program"
)

func (t *tool) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the git revision and the version of Go",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			build := program.ThisBuild()
			return t.print(build, "dealflow %s", build)
		},
	}
}
