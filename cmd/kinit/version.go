package main

import (
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
)

func versionCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "version",
		Usage:     "show the version",
		UsageText: command.Examples("kinit version") + command.ExitCodes(exit.OK, exit.Usage),
		Action:    func(*cli.Context) error { return printVersion(a) },
	}
}

func printVersion(a *app.App) error {
	return a.Lines("kinit " + programVersion() + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH)
}

// version is set only by the linker: -X main.version=v1.2.3.
var version string

// programVersion returns the version that the linker set, or else what the Go command
// recorded about the source: a tag, or the commit with its time.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
