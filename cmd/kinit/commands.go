package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// run executes the command line and returns the exit code.
func (w *world) run() int {
	app := w.commands()
	args, err := arrange(w.args, app)
	if err == nil {
		err = app.Run(args)
	}
	return exitWith(err, w.err)
}

// commands returns the program with all its commands.
func (w *world) commands() *cli.App {
	app := &cli.App{
		Name:  "kinit",
		Usage: "deploy playbooks over several hypervisors",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "version", Usage: "show the version"}, helpFlag()},
		Commands: []*cli.Command{
			w.runCommand(),
			w.planCommand(),
			w.validateCommand(),
			w.fmtCommand(),
			w.graphCommand(),
			w.initCommand(),
			w.replCommand(),
			w.secretCommand(),
			w.statusCommand(),
			w.doctorCommand(),
			w.inventoryCommand(),
			w.historyCommand(),
			w.reportCommand(),
			w.logsCommand(),
			w.kubeconfigCommand(),
			w.sshCommand(),
			w.consoleCommand(),
			w.conformanceCommand(),
			w.labCommand(),
			w.ciCommand(),
			w.pinsCommand(),
			w.modulesCommand(),
			w.completionCommand(),
			w.versionCommand(),
			w.candidatesCommand(),
		},
		Writer:    w.out,
		ErrWriter: w.err,
		// Values can contain commas; the flags that take lists split them.
		DisableSliceFlagSeparator: true,
		HideHelp:                  true, // every command has its own help flag; arrange rewrites "help x" to it
		HideVersion:               true, // its short form would be -v
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              onUsageError,
	}
	app.Action = func(c *cli.Context) error {
		if c.Bool("version") {
			return w.printVersion()
		}
		return cli.ShowAppHelp(c)
	}
	app.CustomAppHelpTemplate = appHelp(app, drivers())
	for _, c := range app.Commands {
		finish(c)
	}
	return app
}

// finish sets what all commands have in common.
func finish(c *cli.Command) {
	c.HideHelp = true
	c.Flags = append(c.Flags, helpFlag())
	c.OnUsageError = onUsageError
	for _, sub := range c.Subcommands {
		finish(sub)
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
	return usageErrorf(c.Command.HelpName, "%s", strings.TrimSuffix(text, ": parse error"))
}
