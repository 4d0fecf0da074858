package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/command"
	"kinit/test/golden"
)

// allCommands are the commands, and those below them.
func allCommands(t *testing.T) []*cli.Command {
	t.Helper()
	commands := slices.DeleteFunc(newCLI(newProgram(t).App).Commands, func(c *cli.Command) bool { return c.Hidden })
	for _, c := range commands {
		commands = append(commands, c.Subcommands...)
	}
	return commands
}

// TestHelpIsWhatTheFilesSay holds each command's help to a file, so that a change of
// the interface is seen in a review. With KINIT_UPDATE set it rewrites them.
func TestHelpIsWhatTheFilesSay(t *testing.T) {
	t.Parallel()
	for _, c := range allCommands(t) {
		words := strings.Fields(strings.TrimPrefix(c.CustomHelpTemplate[strings.Index(c.CustomHelpTemplate, "  kinit "):], "  kinit "))
		name := c.Name
		if words[0] != c.Name {
			name = words[0] + "-" + c.Name
		}
		golden.Check(t, filepath.Join("testdata", "help", name+".txt"), c.CustomHelpTemplate)
	}
}

func TestEveryCommandHasHelpWithAnExampleThatParses(t *testing.T) {
	t.Parallel()
	for _, c := range allCommands(t) {
		help := c.CustomHelpTemplate
		_, examples, ok := strings.Cut(help, "\nExamples:\n")
		if !ok {
			t.Errorf("%s has no examples", c.Name)
		}
		examples, _, _ = strings.Cut(examples, "\n\n")
		for line := range strings.SplitSeq(strings.TrimSpace(examples), "\n") {
			words := strings.Fields(strings.ReplaceAll(line, "hello, world", "hello"))
			if pipe := slices.Index(words, "|"); pipe >= 0 {
				words = words[pipe+1:]
			}
			if and := slices.Index(words, "&&"); and >= 0 {
				words = words[:and]
			}
			if _, err := arrange(words, newCLI(newProgram(t).App)); err != nil {
				t.Errorf("%s: example %q: %v", c.Name, line, err)
			}
		}
		for line := range strings.SplitSeq(help, "\n") {
			if len(line) > 104 {
				t.Errorf("%s has a line of %d columns: %s", c.Name, len(line), line)
			}
		}
		if len(c.Subcommands) == 0 && !strings.Contains(help, "\nExit codes:\n    0  ") {
			t.Errorf("%s has no exit codes", c.Name)
		}
	}
}

func TestEveryFlagHasHelp(t *testing.T) {
	t.Parallel()
	for _, f := range slices.Concat(command.InputFlags(), command.PasswordFlags(), command.SelectionFlags(), command.OutputFlags(), labFlags()) {
		documented := f.(cli.DocGenerationFlag)
		usage, name := documented.GetUsage(), f.Names()[0]
		if usage == "" || strings.HasSuffix(usage, ".") {
			t.Errorf("--%s: usage %q is no phrase", name, usage)
		}
		if documented.TakesValue() != (strings.Count(usage, "`") == 2) {
			t.Errorf("--%s: usage %q names its value wrongly", name, usage)
		}
	}
}
