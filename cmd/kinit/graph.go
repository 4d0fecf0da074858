package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/draw"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// The values of --as.
const (
	asDot     = "dot"
	asMermaid = "mermaid"
	asSVG     = "svg"
)

func (w *world) graphCommand() *cli.Command {
	return manual{
		path: "graph",
		examples: []string{
			"kinit graph site.hcl --hosts web1,web2 --as svg > site.svg",
			"kinit graph k8s-libvirt-1-1-1 --hosts nyctea,tyto --as dot --fold stages",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitInterrupted},
	}.write(&cli.Command{
		Name:      "graph",
		Usage:     "draw which tasks of a spec wait for which",
		ArgsUsage: "SPEC",
		Description: `No host is touched. Stages are frames; arrows go from what is done first to what
waits for it. What follows from other arrows is left out. What the order of stages says
already is drawn faintly, and so are tasks that are skipped.`,
		Flags: slices.Concat(inputFlags(), selectionFlags(), []cli.Flag{
			&cli.StringFlag{Name: "as", Category: headOutput, Value: asDot,
				Usage: "draw it as `FORMAT`: dot (graphviz), mermaid, svg; dot when left out"},
			&cli.StringFlag{Name: "fold", Category: headOutput, Value: string(draw.Auto),
				Usage: "make `WHAT` one box: tasks, blocks or stages; auto makes big plans readable"},
		}, outputFlags()),
		Action: func(c *cli.Context) error {
			if err := choice(c, "as", asDot, asMermaid, asSVG); err != nil {
				return err
			}
			if err := choice(c, "fold", string(draw.Auto), string(draw.Tasks), string(draw.Blocks), string(draw.Stages)); err != nil {
				return err
			}
			ctx, u, err := w.onSpec(c, shows{mode: view.Read})
			if err != nil {
				return err
			}
			graph, report := engine.Order(ctx, u.options)
			if err := u.end(report); err != nil {
				return err
			}
			picture := draw.New(u.options.Spec, graph, draw.Fold(c.String("fold")))
			text := map[string]func(*draw.Picture) string{asDot: draw.Dot, asMermaid: draw.Mermaid, asSVG: draw.SVG}[c.String("as")](picture)
			_, err = io.WriteString(w.out, text)
			return err
		},
	})
}
