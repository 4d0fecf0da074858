package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestEveryCommandHasHelpWithAnExampleThatParses(t *testing.T) {
	t.Parallel()
	commands := newProgram(t).app().Commands
	for _, c := range commands {
		commands = append(commands, c.Subcommands...)
	}
	for _, c := range commands {
		help := c.CustomHelpTemplate
		_, examples, ok := strings.Cut(help, "\nExamples:\n")
		if !ok {
			t.Errorf("%s has no examples", c.Name)
		}
		examples, _, _ = strings.Cut(examples, "\n\n")
		for line := range strings.SplitSeq(strings.TrimSpace(examples), "\n") {
			words := strings.Fields(strings.ReplaceAll(line, "hello, world", "hello"))
			if _, err := arrange(words, newProgram(t).app()); err != nil {
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
	for _, f := range flags(inputFlags(), selectionFlags(), outputFlags(), labFlags()) {
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
