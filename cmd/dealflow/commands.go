package main

import "github.com/spf13/cobra"

// commands returns the commands of the tool, in any order: the help text sorts them.
func (t *tool) commands() []*cobra.Command {
	return []*cobra.Command{
		t.newUp(),
		t.migrateCommand(),
		t.userCommand(),
		t.accountCommand(),
		t.memberCommand(),
		t.keyCommand(),
		t.workCommand(),
		t.secretsCommand(),
		t.extractCommand(),
		t.addCommand(),
		t.importCommand(),
		t.exportCommand(),
		t.mcpCommand(),
		t.doctorCommand(),
		t.readyCommand(),
		t.versionCommand(),
	}
}
