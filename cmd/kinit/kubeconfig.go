package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/kubefile"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// kubeconfigOutput is the name of the playbook output that contains a kubeconfig.
const kubeconfigOutput = "kubeconfig"

func kubeconfigCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "kubeconfig",
		Category:  command.LifeOfClusters,
		Usage:     "print the kubeconfig of a cluster, or add it to your own file",
		ArgsUsage: "SPEC",
		Description: `It contains the key of an administrator: keep it secret. It is read from the hypervisors;
nothing is changed there.

--merge adds it to your own file, under the cluster's name, and makes it the current context.
--remove removes it from there and touches no host. Other entries of the file stay as they
are; an entry of the same name that kinit did not make is not replaced.`,
		UsageText: command.Examples(
			"kinit kubeconfig k8s-libvirt-1-1-1 > kc",
			"kinit kubeconfig k8s-libvirt-1-1-1 --merge",
			"kinit kubeconfig k8s-libvirt-1-1-1 --remove",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{
			command.LostFlag(),
			command.HeadSelect.Switch("merge", "add it to your file and make it the current context"),
			command.HeadSelect.Switch("remove", "remove it from your file"),
			command.HeadSelect.Text("file", "use `FILE` as your file; default: the first of $KUBECONFIG, or ~/.kube/config"),
			command.HeadSelect.Text("name", "call it `NAME` in your file; default: the cluster's name"),
		}, command.OutputFlags()),
		Action: func(c *cli.Context) error {
			switch {
			case c.Bool("merge") && c.Bool("remove"):
				return exit.Usagef(c.Command.HelpName, "--merge and --remove do not go together")
			case c.Bool("remove"):
				return removeKubeconfig(a, c)
			case c.Bool("merge"):
				return mergeKubeconfig(a, c)
			case c.IsSet("file") || c.IsSet("name"):
				return exit.Usagef(c.Command.HelpName, "--file and --name go with --merge or --remove")
			}
			text, _, err := readKubeconfig(a, c)
			if err != nil {
				return err
			}
			_, err = a.Out.Write([]byte(text))
			return err
		},
	}
}

// readKubeconfig reads a cluster's kubeconfig from its hosts, and returns it with the cluster's name.
func readKubeconfig(a *app.App, c *cli.Context) (text, cluster string, err error) {
	ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read})
	if err != nil {
		return "", "", err
	}
	text, report := engine.Value(ctx, s.Options, kubeconfigOutput)
	return text, report.Cluster, s.End(report)
}

func mergeKubeconfig(a *app.App, c *cli.Context) error {
	text, cluster, err := readKubeconfig(a, c)
	if err != nil {
		return err
	}
	name, path := cmp.Or(c.String("name"), cluster), kubeconfigFile(a, c)
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
	if err := app.ReplaceFile(path, after, 0o600); err != nil {
		return fmt.Errorf("merge the kubeconfig: %w", err)
	}
	return a.Lines("The cluster is now the current context of " + path + ": " + name + ".")
}

func removeKubeconfig(a *app.App, c *cli.Context) error {
	ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	report := a.Engine.Validate(ctx, s.Options)
	if err := s.End(report); err != nil {
		return err
	}
	entry, path := cmp.Or(c.String("name"), report.Cluster), kubeconfigFile(a, c)
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove from the kubeconfig: %w", err)
	}
	after, found, err := kubefile.Remove(before, entry)
	switch {
	case err != nil:
		return fmt.Errorf("remove from %s: %w", path, err)
	case !found:
		return a.Lines("kinit has made no entry " + entry + " in " + path + ".")
	}
	if err := app.ReplaceFile(path, after, 0o600); err != nil {
		return fmt.Errorf("remove from the kubeconfig: %w", err)
	}
	return a.Lines(entry + " is no longer in " + path + ".")
}

// kubeconfigFile returns the file that kubectl would write to.
func kubeconfigFile(a *app.App, c *cli.Context) string {
	if file := c.String("file"); file != "" {
		return a.Abs(file)
	}
	if files := app.Trimmed(filepath.SplitList(a.Env("KUBECONFIG"))); len(files) > 0 {
		return a.Abs(files[0])
	}
	return filepath.Join(a.Env("HOME"), ".kube", "config")
}
