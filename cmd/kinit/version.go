package main

import (
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

func (w *world) versionCommand() *cli.Command {
	return manual{
		path:     "version",
		examples: []string{"kinit version"},
		codes:    []int{exitOK, exitUsage},
	}.write(&cli.Command{
		Name:  "version",
		Usage: "show the version",
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return w.printVersion()
		},
	})
}

func (w *world) printVersion() error {
	return w.lines("kinit " + programVersion() + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH)
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
