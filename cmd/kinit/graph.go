package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/draw"
	"kinit/cmd/kinit/draw/topology"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// The values of --as.
const (
	asDot     = "dot"
	asMermaid = "mermaid"
	asSVG     = "svg"
)

func graphCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "graph",
		Usage:     "draw which tasks of a spec wait for which",
		ArgsUsage: "SPEC",
		Description: `No host is touched, so a cluster is drawn as a new one. Stages are frames. An arrow leads from a
task to one that waits for it; arrows that follow from other arrows are left out. Arrows that
only repeat the order of the stages are faint, and so are tasks that are skipped.

--topology draws the cluster instead of its tasks, as SVG: hypervisors, nodes, services and the
overlay between them.`,
		UsageText: command.Examples(
			"kinit graph site.hcl --hosts web1,web2 --as svg > site.svg",
			"kinit graph k8s-libvirt-1-1-1 --hosts nyctea,tyto --as dot --fold stages",
			"kinit graph k8s-libvirt-1-1-1 --hosts nyctea,tyto --topology > cluster.svg",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), command.SelectionFlags(), []cli.Flag{
			command.HeadOutput.Choice("as", "draw it as `FORMAT`: dot (graphviz), mermaid, svg; default: dot", asDot, asMermaid, asSVG),
			command.HeadOutput.Choice("fold", "draw a box for each of `WHAT`: tasks, blocks, stages; auto: by plan size",
				string(draw.Auto), string(draw.Tasks), string(draw.Blocks), string(draw.Stages)),
			command.HeadOutput.Switch("topology", "draw the cluster: hypervisors, nodes, services and the overlay"),
		}, command.OutputFlags()),
		Action: func(c *cli.Context) error {
			if c.Bool("topology") {
				return drawTopology(a, c)
			}
			ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read})
			if err != nil {
				return err
			}
			graph, report := engine.Order(ctx, s.Options)
			if err := s.End(report); err != nil {
				return err
			}
			picture := draw.New(s.Options.Spec, graph, draw.Fold(c.String("fold")))
			text := map[string]func(*draw.Picture) string{asDot: draw.Dot, asMermaid: draw.Mermaid, asSVG: draw.SVG}[c.String("as")](picture)
			if _, err = io.WriteString(a.Out, text); err == nil && report.Offline {
				_, err = io.WriteString(a.Err, view.NewCluster(report)+"\n")
			}
			return err
		},
	}
}

// drawTopology draws the cluster of a spec instead of its tasks.
func drawTopology(a *app.App, c *cli.Context) error {
	if c.IsSet("as") && c.String("as") != asSVG {
		return exit.Usagef(c.Command.HelpName, "--topology draws SVG only, so --as %s does not go with it; leave --as out", c.String("as"))
	}
	for _, flag := range append(command.SelectionFlags(), command.HeadOutput.Text("fold", "")) {
		if name := flag.Names()[0]; c.IsSet(name) {
			return exit.Usagef(c.Command.HelpName, "--%s is about tasks and does not go with --topology, which draws the whole cluster; leave one of them out", name)
		}
	}
	ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	cluster, report := engine.Topology(ctx, s.Options)
	if err := s.End(report); err != nil {
		return err
	}
	if _, err = io.WriteString(a.Out, topology.SVG(cluster)); err == nil {
		_, err = io.WriteString(a.Err, view.NewCluster(report)+"\n")
	}
	return err
}
