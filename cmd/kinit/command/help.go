// Package command has what kinit's commands share: help texts, flags, and their use of
// the engine.
package command

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/lists"
)

// Examples lists command lines. A command's UsageText has them and its exit codes.
func Examples(lines ...string) string {
	return "\nExamples:\n  " + strings.Join(lines, "\n  ") + "\n"
}

// ExitCodes lists the exit codes that a command can have.
func ExitCodes(codes ...int) string {
	text := "\nExit codes:\n"
	for _, code := range codes {
		text += fmt.Sprintf("  %3d  %s\n", code, exit.Meaning(code))
	}
	return text
}

// ExitCodesOfRuns lists those of a command that runs tasks or asks hosts.
func ExitCodesOfRuns() string {
	return ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Unreachable, exit.Interrupted)
}

// Help returns the help of a command, which has the given commands above it.
func Help(c *cli.Command, above string) string {
	var out strings.Builder
	usage := strings.TrimSpace(above + " " + c.Name + " " + c.ArgsUsage)
	if len(c.Flags) > 0 {
		usage += " [flags]"
	}
	fmt.Fprintf(&out, "%s\n\nUsage:\n  %s\n", sentence(c.Usage), usage)
	if c.Description != "" {
		out.WriteString("\n" + c.Description + "\n")
	}
	if len(c.Subcommands) > 0 {
		out.WriteString("\nCommands:\n" + commandList(c.Subcommands))
	}
	return out.String() + flagHelp(c.Flags) + c.UsageText
}

// AppHelp returns the help of kinit without a command.
func AppHelp(app *cli.App, drivers []engine.Driver) string {
	return "kinit: " + app.Usage + "\n\nUsage:\n  kinit COMMAND [flags]\n\n" +
		groups(app.Commands) + `
Names of specs are <distro>-<driver>-<controllers>-<computes>-<hypervisors>. The drivers:
` + list(lists.Map(drivers, func(d engine.Driver) [2]string { return [2]string{d.Name, d.Summary} })) + `
Examples:
  kinit run k8s-libvirt-1-1-1 --hosts nyctea,tyto
  kinit run k8s-podman-3-2-2 --hosts nyctea,tyto
  kinit plan site.hcl --hosts web1

See 'kinit COMMAND --help' for more about a command.
`
}

func commandList(commands []*cli.Command) string {
	var rows [][2]string
	for _, c := range commands {
		if !c.Hidden {
			rows = append(rows, [2]string{c.Name, c.Usage})
		}
	}
	return list(rows)
}

// groups lists the commands for clusters that exist under their own heading, and then all others.
func groups(commands []*cli.Command) string {
	var life, others []*cli.Command
	for _, c := range commands {
		if c.Category == LifeOfClusters {
			life = append(life, c)
		} else {
			others = append(others, c)
		}
	}
	return LifeOfClusters + ":\n" + commandList(life) + "\nOther commands:\n" + commandList(others)
}

func list(rows [][2]string) string {
	width, text := 0, ""
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		text += fmt.Sprintf("  %-*s  %s\n", width, row[0], row[1])
	}
	return text
}

// flagHelp lists flags under the headings of their categories, in the order in which the
// categories first occur.
func flagHelp(flags []cli.Flag) string {
	var order []string
	groups := map[string]string{}
	for _, f := range flags {
		category := f.(cli.CategorizableFlag).GetCategory()
		if groups[category] == "" {
			order = append(order, category)
		}
		groups[category] += flagLine(f.(cli.DocGenerationFlag))
	}
	text := ""
	for _, category := range order {
		text += "\n" + category + ":\n" + groups[category]
	}
	return text
}

// flagLine returns the help line of a flag. The usage has the name of its value in
// backquotes.
func flagLine(f cli.DocGenerationFlag) string {
	short, long := "    ", "--"+f.Names()[0]
	if names := f.Names(); len(names) > 1 {
		short = "-" + names[1] + ", "
	}
	usage := f.GetUsage()
	if before, rest, ok := strings.Cut(usage, "`"); ok {
		value, after, _ := strings.Cut(rest, "`")
		long += " " + value
		usage = before + value + after
	}
	return fmt.Sprintf("  %s%-20s  %s\n", short, long, usage)
}

// sentence turns a usage line into a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
