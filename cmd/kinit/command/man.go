package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Man returns the manual page of a command, in the language of man(7), from what its help shows.
// above are the commands that it is below; version is that of the program.
func Man(c *cli.Command, above, version string) string {
	name := strings.TrimSpace(above + " " + c.Name)
	var out strings.Builder
	manHead(&out, strings.ReplaceAll(name, " ", "-"), c.Usage, version)
	usage := strings.TrimSpace(name + " " + c.ArgsUsage)
	if len(c.Flags) > 1 { // more than --help
		usage += " [flags]"
	}
	out.WriteString(".SH SYNOPSIS\n.B " + roff(usage) + "\n")
	if c.Description != "" {
		out.WriteString(".SH DESCRIPTION\n" + roff(c.Description) + "\n")
	}
	manCommands(&out, "COMMANDS", c.Subcommands)
	flags := slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool { return f.Names()[0] == "help" })
	manSections(&out, flagHelp(flags)+c.UsageText)
	return out.String()
}

// AppMan returns the manual page of kinit itself.
func AppMan(app *cli.App, version string) string {
	var out strings.Builder
	manHead(&out, app.Name, app.Usage, version)
	out.WriteString(".SH SYNOPSIS\n.B " + app.Name + " COMMAND [flags]\n")
	manCommands(&out, "COMMANDS", app.Commands)
	out.WriteString(".SH SEE ALSO\nEach command has a manual page of its own, such as\n.BR " + app.Name + "-run (1).\n")
	return out.String()
}

// manHead has no date, so that the same source always gives the same page.
func manHead(out *strings.Builder, name, usage, version string) {
	fmt.Fprintf(out, ".TH %q 1 \"\" %q \"kinit manual\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), "kinit "+version, roff(name), roff(usage))
}

func manCommands(out *strings.Builder, heading string, commands []*cli.Command) {
	for i, c := range commands {
		if i == 0 {
			out.WriteString(".SH " + heading + "\n")
		}
		if !c.Hidden {
			fmt.Fprintf(out, ".TP\n.B %s\n%s\n", roff(c.Name), roff(c.Usage))
		}
	}
}

// manSections writes the sections of a help text, whose headings end with a colon, as they are
// laid out there.
func manSections(out *strings.Builder, help string) {
	for section := range strings.SplitSeq(strings.Trim(help, "\n"), "\n\n") {
		heading, lines, ok := strings.Cut(section, ":\n")
		if !ok {
			continue
		}
		fmt.Fprintf(out, ".SH %s\n.nf\n%s\n.fi\n", strings.ToUpper(heading), roff(lines))
	}
}

// roff escapes a text: backslashes, dashes that must stay ASCII, and points and quotes at the start
// of a line, which would be requests.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
