package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
)

// leaving names the reports of a run in which nodes leave, before the one that recreates them.
const leaving = "leave"

// memberFlags are the flags of commands that take nodes out of a cluster.
func memberFlags() []cli.Flag {
	return slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{
		command.LostFlag(), command.ForksFlag(), command.FreshFactsFlag(), command.AdoptFlag(), command.RemoveFlag(), command.YesDestroyFlag(),
	}, command.OutputFlags(), command.DiffFlags("show every step with its diff"), command.ReportFlags())
}

func replaceCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "replace",
		Category:  command.LifeOfClusters,
		Usage:     "recreate a cluster node",
		ArgsUsage: "SPEC NODE",
		Description: `Two runs, one after the other. In the first the node leaves: its pods move to other nodes, a
controller leaves etcd while the others keep a quorum, and its machine is removed. In the second it
is recreated with its name and its address, and joins. All other nodes stay. The command names the
node, so it needs no --remove.

What would lose data is an error before anything changes, and names what would be lost: folders and
volumes that pods have on the node, pods that no controller recreates, and a node that does not
answer. --yes-destroy NODE makes it leave all the same. A controller moves to another hypervisor
with --set node.controller-02.hypervisor=tyto. After an interrupt, the same command continues.

A machine that existed before is replaced only after it was reinstalled: its old node leaves, and
the machine joins again.

--junit and --report name the files of the second run. Those of the first are beside them, such as
junit.leave.xml beside junit.xml; if the node does not leave, they have the names that are given.`,
		UsageText: command.Examples(
			"kinit replace k8s-podman-3-2-2 compute-02 --hosts nyctea,tyto",
			"kinit replace k8s-podman-3-2-2 controller-03 --hosts nyctea,tyto --yes-destroy controller-03",
		) + command.ExitCodesOfRuns(),
		Flags: memberFlags(),
		Action: func(c *cli.Context) error {
			node, err := memberOf(c, "NODE")
			if err != nil {
				return err
			}
			if err := runMembers(a, c, leaving, func(o *engine.Options) { o.Leave = []string{node} }); err != nil {
				return err
			}
			return runMembers(a, c, "", func(o *engine.Options) { o.Continues = true })
		},
	}
}

func evacuateCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "evacuate",
		Category:  command.LifeOfClusters,
		Usage:     "take the nodes of a cluster off a hypervisor before maintenance",
		ArgsUsage: "SPEC HYPERVISOR",
		Description: `The nodes there leave the cluster as if its spec no longer had them: their pods move to other
nodes, controllers leave etcd one after the other while the others keep a quorum, and their machines
are removed. Node placement is kept: the next 'kinit run' recreates them on the same hypervisor with the
same names and addresses.

The cluster's services and the databases of the overlay stay where they are. If the hypervisor has
them, kinit says so: the cluster is unreachable while it is down. What would lose data is an
error before anything changes; --yes-destroy NODE makes that node leave all the same.`,
		UsageText: command.Examples(
			"kinit evacuate k8s-podman-3-2-2 tyto --hosts nyctea,tyto",
		) + command.ExitCodesOfRuns(),
		Flags: memberFlags(),
		Action: func(c *cli.Context) error {
			hypervisor, err := memberOf(c, "HYPERVISOR")
			if err != nil {
				return err
			}
			return runMembers(a, c, "", func(o *engine.Options) { o.Evacuate = []string{hypervisor} })
		},
	}
}

// memberOf returns the second argument, beside the spec.
func memberOf(c *cli.Context, what string) (string, error) {
	if c.NArg() != 2 {
		return "", exit.Usagef(c.Command.HelpName, "it takes a SPEC and a %s, %d arguments were given", what, c.NArg())
	}
	return c.Args().Get(1), nil
}

// runMembers is a run of the spec with other options. The part names it if another run follows.
func runMembers(a *app.App, c *cli.Context, part string, change func(*engine.Options)) error {
	o, err := command.OptionsWithInventories(a, c, c.Args().First())
	if err != nil {
		return err
	}
	change(&o)
	mode := command.RunMode(c)
	mode.Part = part
	return command.Use(a, c, o, mode, a.Engine.Run)
}
