package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
)

func run(a *app.App) int {
	program := newCLI(a)
	args, err := arrange(a.Args, program)
	if err == nil && usesHome(a.Args[1:]) {
		err = a.CheckHome()
	}
	if err == nil {
		err = program.Run(args)
	}
	return exit.Show(err, a.Err)
}

// usesHome reports whether a command may use kinit's own folders.
func usesHome(args []string) bool {
	without := []string{"help", "version", "completion", "fmt", "modules"}
	return len(args) > 0 && !slices.Contains(without, args[0]) &&
		!slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" || arg == "--version" })
}

func newCLI(a *app.App) *cli.App {
	program := &cli.App{
		Name:  "kinit",
		Usage: "deploy playbooks over several hypervisors",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "version", Usage: "show the version"}, helpFlag()},
		Commands: []*cli.Command{
			runCommand(a),
			planCommand(a),
			statusCommand(a),
			certsCommand(a),
			replaceCommand(a),
			evacuateCommand(a),
			backupCommand(a),
			restoreCommand(a),
			kubeconfigCommand(a),
			sshCommand(a),
			consoleCommand(a),
			validateCommand(a),
			doCommand(a),
			factsCommand(a),
			tasksCommand(a),
			fmtCommand(a),
			graphCommand(a),
			initCommand(a),
			replCommand(a),
			secretCommand(a),
			doctorCommand(a),
			inventoryCommand(a),
			historyCommand(a),
			reportCommand(a),
			logsCommand(a),
			conformanceCommand(a),
			labCommand(a),
			ci.Command(a),
			pinsCommand(a),
			modulesCommand(a),
			completionCommand(a),
			versionCommand(a),
			completeCommand(a),
			manCommand(a),
		},
		Writer:    a.Out,
		ErrWriter: a.Err,
		// Values can contain commas; the flags that take lists split them.
		DisableSliceFlagSeparator: true,
		HideHelp:                  true, // every command has its own help flag; arrange rewrites "help x" to it
		HideVersion:               true, // its short form would be -v
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              onUsageError,
	}
	program.Action = func(c *cli.Context) error {
		if c.Bool("version") {
			return printVersion(a)
		}
		return cli.ShowAppHelp(c)
	}
	program.CustomAppHelpTemplate = command.AppHelp(program, app.Drivers())
	for _, c := range program.Commands {
		finish(c, program.Name)
	}
	return program
}

// finish sets what all commands have in common; above are the commands that it is below.
func finish(c *cli.Command, above string) {
	c.HideHelp, c.CustomHelpTemplate = true, command.Help(c, above)
	c.Flags = append(c.Flags, helpFlag())
	c.OnUsageError = onUsageError
	if action := c.Action; c.ArgsUsage == "" && !c.Hidden {
		c.Action = func(line *cli.Context) error {
			if line.NArg() > 0 {
				return exit.Usagef(line.Command.HelpName, "it takes no argument, %q was given", line.Args().First())
			}
			return action(line)
		}
	}
	for _, sub := range c.Subcommands {
		finish(sub, above+" "+c.Name)
	}
}

// helpFlag shows the help of its command. The library's own help flag is a variable that
// all programs of a process would share.
func helpFlag() cli.Flag {
	return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show the help of a command"}
}

// onUsageError handles flags whose values do not parse. The text comes from the flag
// package, which writes flags with one dash only.
func onUsageError(c *cli.Context, err error, _ bool) error {
	text := strings.Replace(err.Error(), " flag -", " --", 1)
	return exit.Usagef(c.Command.HelpName, "%s", strings.TrimSuffix(text, ": parse error"))
}
