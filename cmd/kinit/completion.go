package main

import (
	"embed"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
)

// shells contains the completion script of each shell. Each script asks the program, so
// that no script contains a command or a flag.
//
//go:embed shells
var shells embed.FS

func completionCommand(a *app.App) *cli.Command {
	names := []string{"bash", "zsh", "fish"}
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the script by which a shell completes commands, flags and specs",
		ArgsUsage: strings.Join(names, "|"),
		Description: `The script completes commands, flags, names of specs and files, and values of flags: formats,
the stages and tasks of the spec, the hosts and groups of the inventories.`,
		UsageText: command.Examples(
			"kinit completion bash > ~/.local/share/bash-completion/completions/kinit",
			"kinit completion zsh > ~/.zsh/completions/_kinit",
			"kinit completion fish > ~/.config/fish/completions/kinit.fish",
		) + command.ExitCodes(exit.OK, exit.Usage),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return exit.Usagef(c.Command.HelpName, "it takes one of %s", strings.Join(names, ", "))
			}
			script, err := shells.ReadFile("shells/kinit." + c.Args().First())
			if err != nil {
				return exit.Usagef(c.Command.HelpName, "it takes one of %s, %q was given", strings.Join(names, ", "), c.Args().First())
			}
			_, err = a.Out.Write(script)
			return err
		},
	}
}

// completeCommand is the command that the scripts call with the words of a command
// line, of which the last is incomplete. It prints one completion per line, with its
// meaning after a tab. No output means that a file name may follow.
func completeCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:   "__complete",
		Usage:  "print what the last word may become",
		Hidden: true,
		Action: func(c *cli.Context) error {
			for _, found := range completions(c.Context, a, joined(c.Args().Slice())) {
				if err := a.Lines(strings.TrimSuffix(found.text+"\t"+found.means, "\t")); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// joined rejoins words that bash splits: --output, =, json.
func joined(words []string) []string {
	var out []string
	for _, word := range words {
		last := len(out) - 1
		switch {
		case last >= 0 && word == "=" && strings.HasPrefix(out[last], "--"):
			out[last] += "="
		case last >= 0 && strings.HasPrefix(out[last], "--") && strings.HasSuffix(out[last], "="):
			out[last] += word
		default:
			out = append(out, word)
		}
	}
	return out
}
