package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/conformance"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/runfolder"
)

// conformanceFocus selects the tests that count for conformance.
const conformanceFocus = `\[Conformance\]`

// suiteGrace is how long a suite has to end after an interrupt. A regular end takes
// minutes because it waits until the objects of its tests are deleted.
const suiteGrace = 5 * time.Second

func conformanceCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "conformance",
		Usage:     "run Kubernetes' own tests against a cluster",
		ArgsUsage: "SPEC",
		Description: `The tests are the release's e2e.test, run by ginkgo on this machine. They make and remove
objects in namespaces of their own and pull images by their upstream names. Tests that are
marked as serial run alone, after the others. A suite is what 'kinit lab up --conformance'
builds, or the unpacked kubernetes-test-linux-amd64.tar.gz of the cluster's release.

Results are kept in kinit's state folder, with everything that the suite has written. An
interrupt ends the suite within seconds; what its tests have made then stays in the cluster,
in namespaces with the label e2e-framework.`,
		UsageText: command.Examples(
			"kinit conformance k8s-podman-1-2-2 --hosts nyctea,tyto",
			"kinit conformance k8s-podman-1-2-2 --focus 'sig-network.*\\[Conformance\\]' --parallel 4",
			"kinit conformance k8s-libvirt-3-2-2 --suite kubernetes-test --report conformance.html",
			"kinit conformance k8s-podman-1-2-2 --focus '\\[sig-apps\\]' --list",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{
			command.HeadSelect.TextOr("focus", conformanceFocus, "run tests whose names match `RE`; default: \\[Conformance\\]"),
			command.HeadSelect.Text("skip", "leave out tests whose names match `RE`"),
			command.HeadSelect.Number("parallel", "run `N` tests at the same time; default: 2", 2),
			command.HeadSelect.Text("suite", "take e2e.test and ginkgo from `FOLDER`; default: those of the lab"),
			command.HeadSelect.Switch("list", "list the tests and run none; no host is touched"),
			command.HeadOutput.Text("junit", "write JUnit XML for CI to `FILE`"),
			command.HeadOutput.Text("report", "write a self-contained HTML page to `FILE`"),
		}, command.OutputFlags()),
		Action: func(c *cli.Context) error {
			if c.Int("parallel") < 1 {
				return exit.Usagef(c.Command.HelpName, "--parallel must be at least 1, %d was given", c.Int("parallel"))
			}
			if err := command.CheckReports(a, c); err != nil {
				return err
			}
			suite, err := findSuite(a, c)
			if err != nil {
				return err
			}
			if c.Bool("list") {
				names, err := suite.List(c.Context, c.String("focus"), c.String("skip"))
				return cmp.Or(err, a.Lines(names...))
			}
			return testConformance(a, c, suite)
		},
	}
}

func findSuite(a *app.App, c *cli.Context) (*conformance.Suite, error) {
	folder, hint := filepath.Join(labCache(a), "conformance"),
		"build it with 'kinit lab up --conformance', or unpack kubernetes-test-linux-amd64.tar.gz of the cluster's release (https://dl.k8s.io/VERSION/kubernetes-test-linux-amd64.tar.gz) and name the folder with --suite"
	if given := c.String("suite"); given != "" {
		folder, hint = a.Abs(given), "name the folder that has them, or the one that kubernetes-test-linux-amd64.tar.gz was unpacked in"
	}
	suite, err := conformance.Find(folder)
	if errors.Is(err, conformance.ErrNoSuite) {
		return nil, fmt.Errorf("%w: %s", err, hint)
	}
	return suite, err
}

// testConformance runs the suite against the spec's cluster and writes the results.
func testConformance(a *app.App, c *cli.Context, suite *conformance.Suite) error {
	names, leftOut, err := selectTests(c, suite)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return exit.Usagef(c.Command.HelpName, "no test of the suite matches --focus %q without --skip %q; --list shows names", c.String("focus"), c.String("skip"))
	}
	kubeconfig, cluster, err := readKubeconfig(a, c)
	if err != nil {
		return err
	}
	folder, err := conformanceFolder(a, cluster)
	if err != nil {
		return err
	}
	result := &conformance.Result{
		Spec: c.Args().First(), Cluster: cluster, Program: a.Version, Focus: c.String("focus"), Skip: c.String("skip"),
		Parallel: c.Int("parallel"), Started: a.Now(), LeftOut: leftOut,
	}
	if result.Release, err = suite.Version(c.Context); err != nil {
		return err
	}
	if err := runSuite(a, c, suite, kubeconfig, folder, names, result); err != nil {
		return err
	}
	return concludeConformance(a, c, folder, result)
}

// selectTests returns the tests that --focus selects, and those of them that --skip leaves out.
func selectTests(c *cli.Context, suite *conformance.Suite) (names, leftOut []string, err error) {
	names, err = suite.List(c.Context, c.String("focus"), c.String("skip"))
	if err != nil || c.String("skip") == "" {
		return names, nil, err
	}
	all, err := suite.List(c.Context, c.String("focus"), "")
	return names, slices.DeleteFunc(all, func(name string) bool { return slices.Contains(names, name) }), err
}

// keptConformance is how many runs of the suite are kept: the output of each is megabytes.
const keptConformance = 10

// suiteLog is the file with the output of the suite, in the folder of each of its runs.
const suiteLog = "suite.log"

// conformanceFolder makes the folder of a run, apart from the logs of runs.
func conformanceFolder(a *app.App, cluster string) (string, error) {
	all := filepath.Join(a.StateFolder(), "conformance")
	if _, err := runfolder.Prune(all, keptConformance-1, 0, a.Now(), []string{suiteLog}, func(string) bool { return false }); err != nil {
		return "", fmt.Errorf("remove results of old runs: %w", err)
	}
	folder, err := runfolder.Make(all, a.Now(), cluster)
	if err != nil {
		return "", fmt.Errorf("make the folder of the results: %w", err)
	}
	return folder, nil
}

// runSuite runs the suite with the kubeconfig in a folder that it removes afterwards.
func runSuite(a *app.App, c *cli.Context, suite *conformance.Suite, kubeconfig, folder string, names []string, result *conformance.Result) error {
	home, err := os.MkdirTemp("", "kinit-conformance-")
	if err != nil {
		return fmt.Errorf("make a folder for the kubeconfig: %w", err)
	}
	defer os.RemoveAll(home)
	path := filepath.Join(home, "kubeconfig")
	if err := os.WriteFile(path, []byte(kubeconfig), 0o600); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(folder, suiteLog), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make the log of the suite: %w", err)
	}
	defer log.Close()

	progress := conformance.NewProgress(progressOptions(a, c, len(names)))
	hurry := make(chan struct{})
	ctx, stop := a.OnSignals(c.Context, func() { progress.Notice(suiteStopping) }, func() { close(hurry) })
	defer stop()
	outcome, err := suite.Start(ctx, conformance.Run{
		Kubeconfig: path, Home: home, Planned: names, Focus: result.Focus, Skip: result.Skip, Parallel: result.Parallel,
		Environ: a.Environ, Log: log, Ended: progress.Ended, Grace: suiteGrace, Hurry: hurry,
	})
	progress.Close()
	if err != nil {
		return err
	}
	result.Ended, result.Tests = a.Now(), outcome.Tests
	result.Interrupted, result.Problem = outcome.Interrupted, outcome.Problem
	return nil
}

// suiteStopping is the notice at an interrupt.
const suiteStopping = "stopping: the suite is being ended; what its tests have made may stay in the cluster"

func progressOptions(a *app.App, c *cli.Context, total int) conformance.ProgressOptions {
	command.Colours(a, c)
	return conformance.ProgressOptions{
		Out: a.Out, Total: total, Now: a.Now, Verbose: c.Bool("verbose"),
		Quiet: c.String("output") == command.OutputQuiet, JSON: c.String("output") == command.OutputJSON,
	}
}

// concludeConformance writes the files, shows the verdict and returns the exit code.
func concludeConformance(a *app.App, c *cli.Context, folder string, result *conformance.Result) error {
	write := func(name string, format app.Format, write func(io.Writer, *conformance.Result) error) error {
		if name == "" {
			return nil
		}
		return a.WriteFile(name, format, func(to io.Writer) error { return write(to, result) })
	}
	html, xml := command.HTMLFormat(), command.JUnitFormat()
	files := []error{
		write(filepath.Join(folder, "result.json"), app.Format{}, func(to io.Writer, r *conformance.Result) error {
			encoder := json.NewEncoder(to)
			encoder.SetIndent("", "  ")
			return encoder.Encode(r)
		}),
		write(filepath.Join(folder, "junit.xml"), xml, conformance.WriteJUnit),
		write(filepath.Join(folder, "index.html"), html, conformance.WritePage),
		write(c.String("junit"), xml, conformance.WriteJUnit),
		write(c.String("report"), html, conformance.WritePage),
	}
	if err := conformance.Summary(a.Out, result, folder, progressOptions(a, c, 0)); err != nil {
		return err
	}
	if err := errors.Join(files...); err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	switch {
	case result.Interrupted:
		return exit.Code(exit.Interrupted)
	case !result.Good():
		return exit.Code(exit.Failed)
	}
	return nil
}
