package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/exit"
	"kinit/engine/diag"
)

// arrange rewrites a command line for urfave/cli, which stops looking for flags at the
// first argument: it puts a command's flags first, by their full names, then "--" and the
// arguments. "help x" becomes "x --help". Unknown commands and flags are already errors
// here.
func arrange(args []string, app *cli.App) ([]string, error) {
	out, rest := args[:1:1], args[1:]
	if len(rest) > 0 && rest[0] == "help" {
		rest = append(slices.Clone(rest[1:]), "--help")
	}
	path, known, commands := app.Name, app.Flags, app.Commands
	for len(commands) > 0 && len(rest) > 0 {
		if strings.HasPrefix(rest[0], "-") {
			flag, err := findFlag(known, rest[0], path)
			if err != nil {
				return nil, err
			}
			out, rest = append(out, "--"+flag.Names()[0]), rest[1:]
			continue
		}
		command, err := findCommand(commands, rest[0], path)
		if err != nil {
			return nil, err
		}
		out, rest = append(out, rest[0]), rest[1:]
		path, known, commands = path+" "+command.Name, command.Flags, command.Subcommands
	}
	if len(commands) > 0 {
		return out, nil
	}
	set, arguments, err := separate(rest, known, path)
	if err != nil {
		return nil, err
	}
	if slices.Contains(set, "--help") { // it takes no other flags or arguments
		return append(out, "--help"), nil
	}
	return slices.Concat(out, set, []string{"--"}, arguments), nil
}

// separate splits flags of a command from its arguments. Everything after "--" is an
// argument.
func separate(args []string, known []cli.Flag, path string) (set, arguments []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return set, append(arguments, args[i+1:]...), nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			arguments = append(arguments, arg)
			continue
		}
		times, arg := repeated(known, arg)
		flag, err := findFlag(known, arg, path)
		if err != nil {
			return nil, nil, err
		}
		name := "--" + flag.Names()[0]
		set = append(set, slices.Repeat([]string{name}, times-1)...)
		_, value, given := strings.Cut(arg, "=")
		if !given && takesValue(flag) {
			i++
			if i == len(args) {
				return nil, nil, exit.Usagef(path, "%s needs a value", arg)
			}
			value, given = args[i], true
		}
		if given {
			name += "=" + value
		}
		set = append(set, name)
	}
	return set, arguments, nil
}

// repeated returns how often a one-letter switch is given at once, as in -vv, and the
// argument that gives it once.
func repeated(known []cli.Flag, arg string) (int, string) {
	letters := strings.TrimPrefix(arg, "-")
	if len(letters) < 2 || strings.Trim(letters, letters[:1]) != "" {
		return 1, arg
	}
	for _, f := range known {
		if _, ok := f.(*cli.BoolFlag); ok && slices.Contains(f.Names(), letters[:1]) {
			return len(letters), "-" + letters[:1]
		}
	}
	return 1, arg
}

func takesValue(f cli.Flag) bool {
	documented, ok := f.(cli.DocGenerationFlag)
	return ok && documented.TakesValue()
}

// findFlag returns the flag that an argument such as -v or --hosts=a sets.
func findFlag(known []cli.Flag, arg, path string) (cli.Flag, error) {
	given, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	var names []string
	for _, f := range known {
		if slices.Contains(f.Names(), given) {
			return f, nil
		}
		names = append(names, "--"+f.Names()[0])
	}
	return nil, exit.Usagef(path, "unknown flag %s.%s", dashes(given), diag.Near(dashes(given), names))
}

func dashes(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func findCommand(commands []*cli.Command, name, path string) (*cli.Command, error) {
	var names []string
	for _, c := range commands {
		if c.HasName(name) {
			return c, nil
		}
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return nil, exit.Usagef(path, "unknown command %q.%s", name, diag.Near(name, names))
}
