package main

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// The specs inside kinit that make labs: the artifacts of a lab, and the lab.
const (
	artifactsSpec = "lab-artifacts"
	labSpec       = "lab"
)

func labCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "lab",
		Usage:     "make hypervisors out of containers on this machine",
		ArgsUsage: "COMMAND",
		Description: `Other commands know a lab's hypervisors by their names, from an inventory in kinit's config
folder.`,
		UsageText:   command.Examples("kinit lab up --hosts nyctea,tyto", "kinit lab down"),
		Subcommands: []*cli.Command{labUp(a), labDown(a), labStatus(a)},
		Action:      cli.ShowSubcommandHelp,
	}
}

func labUp(a *app.App) *cli.Command {
	return &cli.Command{
		Name:  "up",
		Usage: "make a lab, or repair one",
		UsageText: command.Examples(
			"kinit lab up --hosts nyctea,tyto", "kinit lab up --name ci --hosts one,two,three",
			"kinit lab up --hosts nyctea,tyto --drivers podman", "kinit lab up --hosts nyctea,tyto --artifacts build", "kinit lab up --hosts nyctea,tyto --drivers podman --stock", "kinit lab up --hosts nyctea,tyto --windows bin/winsim",
			"kinit lab up --hosts nyctea,tyto --windows bin/winsim --windows-machines w1",
			"kinit lab up --hosts nyctea,tyto --drivers podman --conformance", "kinit lab up --hosts nyctea,tyto --drivers podman --upgrade",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: slices.Concat(labFlags(), labUpFlags(), command.OutputFlags()),
		Description: `The first lab takes longer, because its images are built then. Programs of Kubernetes are
downloaded and checked against digests or published checksums; if their site does not answer,
they are built from Go modules, which takes minutes. Later labs use what is built already.
A lab that has lost something is repaired by the command that made it: hosts, machines and mirrors
that the command does not name are removed.
--var sets other sites with the same layout: kubernetes_url, etcd_url, coredns_url,
flannel_url, flannel_cni_url. --var allow_unpinned=true accepts what has no checksum.`,
		Action: func(c *cli.Context) error {
			if c.IsSet("artifacts") {
				if err := command.Choice(c, "artifacts", "auto", "download", "build"); err != nil {
					return err
				}
			}
			if len(command.List(c, "windows-machines")) > 0 && c.String("windows") == "" {
				return exit.Usagef(c.Command.HelpName, "--windows-machines needs the simulator, as in --windows bin/winsim, which \"make winsim\" builds")
			}
			o, err := artifactsOptions(a, c)
			if err != nil {
				return err
			}
			if err := changeLab(a, c, o); err != nil {
				return err
			}
			if o, err = labOptions(a, c); err != nil {
				return err
			}
			return changeLab(a, c, o)
		},
	}
}

func labDown(a *app.App) *cli.Command {
	return &cli.Command{
		Name:  "down",
		Usage: "remove a lab and everything in it",
		UsageText: command.Examples("kinit lab down", "kinit lab down --name ci") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: slices.Concat(labFlags(), command.OutputFlags()),
		Action: func(c *cli.Context) error {
			o, err := labOptions(a, c)
			if err != nil {
				return err
			}
			o.StopAfter, o.CleansUp = command.CleanupStage, true
			return changeLab(a, c, o)
		},
	}
}

func labStatus(a *app.App) *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "show what a lab lacks",
		Description: "It shows what 'lab up' would change, and changes nothing.",
		UsageText: command.Examples("kinit lab status --hosts nyctea,tyto") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Pending, exit.Interrupted),
		Flags: slices.Concat(labFlags(), command.OutputFlags()),
		Action: func(c *cli.Context) error {
			o, err := labOptions(a, c)
			if err != nil {
				return err
			}
			return command.Use(a, c, o, command.Mode{View: view.Plan, Diff: true, PendingFails: true}, a.Engine.Plan)
		},
	}
}

func labFlags() []cli.Flag {
	return []cli.Flag{
		command.HostsFlag("name the hypervisors `HOSTS`, separated by commas"),
		command.HeadInput.TextOr("name", labSpec, "call the lab `NAME`, so that there can be several; default: lab"),
		command.HeadInput.Texts("var", "set a variable of the lab by `NAME=VALUE`; may be repeated"),
		command.ForksFlag(),
	}
}

func labUpFlags() []cli.Flag {
	return []cli.Flag{
		command.HeadInput.Text("artifacts", "get programs by `MODE`: auto, download, build; else $KINIT_ARTIFACTS or auto"),
		command.HeadInput.Texts("var-file", "read variables of downloads from `FILE`, as 'kinit pins renew' writes it"),
		// Artifacts that no selected driver needs are not built: a guest's disk, or the image of
		// container nodes.
		command.HeadInput.List("drivers", "build what nodes of `DRIVERS` need; default: libvirt,podman"),
		command.HeadInput.List("machines", "also make `MACHINES` that the driver host finds as existing ones"),
		// The simulator is not part of kinit: test/winsim in its sources builds it.
		command.HeadInput.Text("windows", "also make media of a SIMULATED Windows, from the simulator `PROGRAM`"),
		command.HeadInput.List("windows-machines", "also make `HOSTS` as machines with a SIMULATED Windows; needs --windows"),
		command.HeadInput.Switch("stock", "make nodes of stock images, and serve everything else from mirrors"),
		command.HeadInput.Switch("conformance", "also build what 'kinit conformance' needs: tests and their images"),
		command.HeadInput.Switch("upgrade", "also build a second version to upgrade to, of the same sources"),
		command.HeadInput.Switch("minor", "also build a second version to upgrade to, the next minor one"),
	}
}

func changeLab(a *app.App, c *cli.Context, o engine.Options) error {
	return command.Use(a, c, o, command.Mode{View: view.Run, Logged: true}, a.Engine.Run)
}

// artifactsOptions returns the options for the spec of the artifacts that all labs share.
func artifactsOptions(a *app.App, c *cli.Context) (engine.Options, error) {
	o, err := localOptions(a, c, artifactsSpec)
	if err != nil {
		return o, err
	}
	maps.DeleteFunc(o.Vars, func(name, _ string) bool { return !slices.Contains(downloadVariables(), name) })
	o.Vars["lab_cache"] = labCache(a)
	if mode := cmp.Or(c.String("artifacts"), a.Env("KINIT_ARTIFACTS")); mode != "" {
		o.Vars["lab_artifacts"] = mode
	}
	setGiven(a, c, o.Vars, "drivers")
	return o, nil
}

// setGiven sets the variables that have the names of flags, where those are given.
func setGiven(a *app.App, c *cli.Context, vars map[string]string, lists ...string) {
	for _, flag := range lists {
		if values := command.List(c, flag); len(values) > 0 {
			vars["lab_"+strings.ReplaceAll(flag, "-", "_")] = strings.Join(values, ",")
		}
	}
	for _, flag := range []string{"conformance", "stock", "upgrade", "minor"} {
		if c.Bool(flag) {
			vars["lab_"+flag] = "true"
		}
	}
	if program := c.String("windows"); program != "" {
		vars["lab_windows"] = filepath.Clean(a.Abs(program))
	}
}

// downloadVariables returns the variables of --var that apply to downloads and not to the lab.
func downloadVariables() []string {
	return []string{"kubernetes_url", "etcd_url", "coredns_url", "flannel_url", "flannel_cni_url", "pins", "allow_unpinned", "lab_stock_all"}
}

func labOptions(a *app.App, c *cli.Context) (engine.Options, error) {
	o, err := localOptions(a, c, labSpec)
	if err != nil {
		return o, err
	}
	o.VarFiles = nil
	maps.DeleteFunc(o.Vars, func(name, _ string) bool { return slices.Contains(downloadVariables(), name) })
	name := c.String("name")
	maps.Copy(o.Vars, map[string]string{
		"lab_name":      name,
		"lab_cache":     labCache(a),
		"lab_state":     filepath.Join(a.StateFolder(), "labs", name),
		"lab_inventory": filepath.Join(a.ConfigFolder(), app.InventoriesFolder, name+".hcl"),
	})
	setGiven(a, c, o.Vars, "hosts", "machines", "windows-machines")
	return o, nil
}

// localOptions returns the options of a lab command. The tasks work on this machine, so no
// inventory is read (the lab's own may be out of date), and --hosts has the names of the
// machines to make. A lab belongs to the machine: every user who may make one can work
// on it, whatever their state folder contains.
func localOptions(a *app.App, c *cli.Context, spec string) (engine.Options, error) {
	o, err := command.Options(a, c, spec)
	o.Hosts, o.Adopt = nil, true
	return o, err
}

func labCache(a *app.App) string { return filepath.Join(a.CacheFolder(), "lab") }
