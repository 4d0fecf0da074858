package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/kubefile"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// kubeconfigOutput is the name of the playbook output that contains a kubeconfig.
const kubeconfigOutput = "kubeconfig"

func (w *world) kubeconfigCommand() *cli.Command {
	return manual{
		path: "kubeconfig",
		examples: []string{
			"kinit kubeconfig k8s-libvirt-1-1-1 > kc",
			"kinit kubeconfig k8s-libvirt-1-1-1 --merge",
			"kinit kubeconfig k8s-libvirt-1-1-1 --remove",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "kubeconfig",
		Usage:     "print the kubeconfig of a cluster, or put it beside your others",
		ArgsUsage: "SPEC",
		Description: `It holds the key of an administrator: keep it as a secret. It is read from the
hypervisors and nothing is changed there.

--merge puts it into your own file, by the cluster's name, and makes it the current one;
--remove takes it out again and touches no host. What others have put into the file stays
as it is; an entry of the same name that kinit did not make is not replaced.`,
		Flags: slices.Concat(inputFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "merge", Category: headSelect, Usage: "put it into your file and make it the current one"},
			&cli.BoolFlag{Name: "remove", Category: headSelect, Usage: "take it out of your file"},
			&cli.StringFlag{Name: "file", Category: headSelect, Usage: "your file is `FILE`; else the first of $KUBECONFIG, else ~/.kube/config"},
			&cli.StringFlag{Name: "name", Category: headSelect, Usage: "call it `NAME` in your file; else as the cluster"},
		}, outputFlags()),
		Action: func(c *cli.Context) error {
			switch {
			case c.Bool("merge") && c.Bool("remove"):
				return usageErrorf(c.Command.HelpName, "--merge and --remove do not go together")
			case c.Bool("remove"):
				return w.removeKubeconfig(c)
			case c.Bool("merge"):
				return w.mergeKubeconfig(c)
			case c.IsSet("file") || c.IsSet("name"):
				return usageErrorf(c.Command.HelpName, "--file and --name go with --merge or --remove")
			}
			text, _, err := w.kubeconfig(c)
			if err != nil {
				return err
			}
			_, err = w.out.Write([]byte(text))
			return err
		},
	})
}

// kubeconfig reads a cluster's kubeconfig from its hosts, and returns it with the cluster's name.
func (w *world) kubeconfig(c *cli.Context) (text, cluster string, err error) {
	ctx, u, err := w.onSpec(c, shows{mode: view.Read})
	if err != nil {
		return "", "", err
	}
	text, report := engine.Value(ctx, u.options, kubeconfigOutput)
	return text, report.Cluster, u.end(report)
}

func (w *world) mergeKubeconfig(c *cli.Context) error {
	text, cluster, err := w.kubeconfig(c)
	if err != nil {
		return err
	}
	name, path := entryName(c, cluster), w.kubeconfigFile(c)
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("merge the kubeconfig: %w", err)
	}
	after, err := kubefile.Merge(before, name, []byte(text))
	if err != nil {
		return fmt.Errorf("merge into %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("merge the kubeconfig: %w", err)
	}
	if err := replaceFile(path, after, 0o600); err != nil {
		return fmt.Errorf("merge the kubeconfig: %w", err)
	}
	return w.lines("The cluster is the context " + name + " of " + path + ", the current one.")
}

func (w *world) removeKubeconfig(c *cli.Context) error {
	ctx, u, err := w.onSpec(c, shows{mode: view.Read})
	if err != nil {
		return err
	}
	report := w.engine.validate(ctx, u.options)
	if err := u.end(report); err != nil {
		return err
	}
	entry, path := entryName(c, report.Cluster), w.kubeconfigFile(c)
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove from the kubeconfig: %w", err)
	}
	after, found, err := kubefile.Remove(before, entry)
	switch {
	case err != nil:
		return fmt.Errorf("remove from %s: %w", path, err)
	case !found:
		return w.lines("There is no " + entry + " of kinit's in " + path + ".")
	}
	if err := replaceFile(path, after, 0o600); err != nil {
		return fmt.Errorf("remove from the kubeconfig: %w", err)
	}
	return w.lines(entry + " is no longer in " + path + ".")
}

func entryName(c *cli.Context, cluster string) string {
	if name := c.String("name"); name != "" {
		return name
	}
	return cluster
}

// kubeconfigFile returns the file that kubectl would write to.
func (w *world) kubeconfigFile(c *cli.Context) string {
	if file := c.String("file"); file != "" {
		return w.abs(file)
	}
	if files := trimmed(filepath.SplitList(w.env("KUBECONFIG"))); len(files) > 0 {
		return w.abs(files[0])
	}
	return filepath.Join(w.env("HOME"), ".kube", "config")
}
