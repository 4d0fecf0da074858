package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/conformance"
	"kinit/cmd/kinit/runfolder"
)

// conformanceFocus selects the tests that count for conformance.
const conformanceFocus = `\[Conformance\]`

// suiteGrace is how long a suite has to end after an interrupt. A regular end takes
// minutes because it waits until the objects of its tests are deleted.
const suiteGrace = 5 * time.Second

func (w *world) conformanceCommand() *cli.Command {
	return manual{
		path: "conformance",
		examples: []string{
			"kinit conformance k8s-podman-1-2-2 --hosts nyctea,tyto",
			"kinit conformance k8s-podman-1-2-2 --focus 'sig-network.*\\[Conformance\\]' --parallel 4",
			"kinit conformance k8s-libvirt-3-2-2 --suite kubernetes-test --report conformance.html",
			"kinit conformance k8s-podman-1-2-2 --focus '\\[sig-apps\\]' --list",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "conformance",
		Usage:     "run Kubernetes' own tests against a cluster",
		ArgsUsage: "SPEC",
		Description: `The tests are the release's e2e.test, run by ginkgo on this machine. They make and remove
objects in namespaces of their own and pull images by their upstream names. Tests that say
that they must be alone are run after the others. A suite is what 'kinit lab up
--conformance' builds, or the unpacked kubernetes-test-linux-amd64.tar.gz of the cluster's
release.

Results are kept in a folder of kinit's state folder, with all that the suite has written.
An interrupt ends the suite within seconds; what its tests have made stays in namespaces
with the label e2e-framework then.`,
		Flags: slices.Concat(inputFlags(), conformanceFlags(), outputFlags()),
		Action: func(c *cli.Context) error {
			if c.Int("parallel") < 1 {
				return usageErrorf(c.Command.HelpName, "--parallel must be at least 1, %d was given", c.Int("parallel"))
			}
			if c.Bool("list") {
				return w.listConformance(c)
			}
			return w.testConformance(c)
		},
	})
}

func conformanceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "focus", Category: headSelect, Value: conformanceFocus,
			Usage: "run tests whose names match `RE`; else \\[Conformance\\]"},
		&cli.StringFlag{Name: "skip", Category: headSelect, Usage: "leave out tests whose names match `RE`"},
		&cli.IntFlag{Name: "parallel", Category: headSelect, Value: 2, Usage: "run `N` tests at the same time; 2 when left out"},
		&cli.PathFlag{Name: "suite", Category: headSelect, Usage: "e2e.test and ginkgo are in `FOLDER`; else those of the lab"},
		&cli.BoolFlag{Name: "list", Category: headSelect, Usage: "name the tests and run none; no host is touched"},
		&cli.StringFlag{Name: "junit", Category: headOutput, Usage: "write JUnit XML for CI to `FILE`"},
		&cli.StringFlag{Name: "report", Category: headOutput, Usage: "write a self-contained HTML page to `FILE`"},
	}
}

// suite finds the programs of the tests.
func (w *world) suite(c *cli.Context) (*conformance.Suite, error) {
	folder, hint := filepath.Join(w.labCache(), "conformance"),
		"build it with 'kinit lab up --conformance', or unpack kubernetes-test-linux-amd64.tar.gz of the cluster's release (https://dl.k8s.io/VERSION/kubernetes-test-linux-amd64.tar.gz) and name the folder with --suite"
	if given := c.Path("suite"); given != "" {
		folder, hint = w.abs(given), "name the folder that has them, or the one that kubernetes-test-linux-amd64.tar.gz was unpacked in"
	}
	suite, err := conformance.Find(folder)
	if errors.Is(err, conformance.ErrNoSuite) {
		return nil, fmt.Errorf("%w: %s", err, hint)
	}
	return suite, err
}

func (w *world) listConformance(c *cli.Context) error {
	suite, err := w.suite(c)
	if err != nil {
		return err
	}
	names, err := suite.List(c.Context, c.String("focus"), c.String("skip"))
	if err != nil {
		return err
	}
	return w.lines(names...)
}

// testConformance runs the suite against the spec's cluster and writes the results.
func (w *world) testConformance(c *cli.Context) error {
	suite, err := w.suite(c)
	if err != nil {
		return err
	}
	names, leftOut, err := selectTests(c, suite)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return usageErrorf(c.Command.HelpName, "no test of the suite matches --focus %q without --skip %q; --list shows names", c.String("focus"), c.String("skip"))
	}
	kubeconfig, cluster, err := w.kubeconfig(c)
	if err != nil {
		return err
	}
	folder, err := w.conformanceFolder(cluster)
	if err != nil {
		return err
	}
	result := &conformance.Result{
		Spec: c.Args().First(), Cluster: cluster, Program: w.version, Focus: c.String("focus"), Skip: c.String("skip"),
		Parallel: c.Int("parallel"), Started: w.now(), LeftOut: leftOut,
	}
	if result.Release, err = suite.Version(c.Context); err != nil {
		return err
	}
	if err := w.follow(c, suite, kubeconfig, folder, names, result); err != nil {
		return err
	}
	return w.concludeConformance(c, folder, result)
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

// conformanceFolder makes the folder of a run, apart from the logs of runs.
func (w *world) conformanceFolder(cluster string) (string, error) {
	all := filepath.Join(w.stateFolder(), "conformance")
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the results: %w", err)
	}
	if _, err := runfolder.Prune(all, keptConformance-1, 0, w.now(), func(string) bool { return false }); err != nil {
		return "", fmt.Errorf("remove results of old runs: %w", err)
	}
	name := filepath.Join(all, w.now().UTC().Format(runfolder.TimeFormat)+"-"+cluster)
	for n, folder := 1, name; ; n++ {
		err := os.Mkdir(folder, 0o700)
		if err == nil {
			return folder, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("make the folder of the results: %w", err)
		}
		folder = fmt.Sprintf("%s-%d", name, n+1)
	}
}

// follow runs the suite with the kubeconfig in a folder that it removes afterwards.
func (w *world) follow(c *cli.Context, suite *conformance.Suite, kubeconfig, folder string, names []string, result *conformance.Result) error {
	home, err := os.MkdirTemp("", "kinit-conformance-")
	if err != nil {
		return fmt.Errorf("make a folder for the kubeconfig: %w", err)
	}
	defer os.RemoveAll(home)
	path := filepath.Join(home, "kubeconfig")
	if err := os.WriteFile(path, []byte(kubeconfig), 0o600); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(folder, "suite.log"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make the log of the suite: %w", err)
	}
	defer log.Close()

	progress := conformance.NewProgress(w.progressOptions(c, len(names)))
	hurry := make(chan struct{})
	ctx, stop := w.onSignals(c.Context, func() { progress.Notice(suiteStopping) }, func() { close(hurry) })
	defer stop()
	outcome, err := suite.Start(ctx, conformance.Run{
		Kubeconfig: path, Home: home, Planned: names, Focus: result.Focus, Skip: result.Skip, Parallel: result.Parallel,
		Environ: w.environ, Log: log, Ended: progress.Ended, Grace: suiteGrace, Hurry: hurry,
	})
	progress.Close()
	if err != nil {
		return err
	}
	result.Ended, result.Tests = w.now(), outcome.Tests
	result.Interrupted, result.Problem = outcome.Interrupted, outcome.Problem
	return nil
}

// suiteStopping is the notice at an interrupt.
const suiteStopping = "stopping: the suite is being ended; what its tests have made may stay in the cluster"

func (w *world) progressOptions(c *cli.Context, total int) conformance.ProgressOptions {
	w.colours(c)
	return conformance.ProgressOptions{
		Out: w.out, Total: total, Now: w.now, Verbose: c.Bool("verbose"),
		Quiet: c.String("output") == outputQuiet, JSON: c.String("output") == outputJSON,
	}
}

// concludeConformance writes the files, shows the verdict and returns the exit code.
func (w *world) concludeConformance(c *cli.Context, folder string, result *conformance.Result) error {
	write := func(name string, write func(io.Writer, *conformance.Result) error) error {
		return w.writeFile(name, func(to io.Writer) error { return write(to, result) })
	}
	files := []error{
		write(filepath.Join(folder, "result.json"), func(to io.Writer, r *conformance.Result) error {
			encoder := json.NewEncoder(to)
			encoder.SetIndent("", "  ")
			return encoder.Encode(r)
		}),
		write(filepath.Join(folder, "junit.xml"), conformance.WriteJUnit),
		write(filepath.Join(folder, "index.html"), conformance.WritePage),
	}
	if file := c.String("junit"); file != "" {
		files = append(files, write(file, conformance.WriteJUnit))
	}
	if file := c.String("report"); file != "" {
		files = append(files, write(file, conformance.WritePage))
	}
	if err := conformance.Summary(w.out, result, folder, w.progressOptions(c, 0)); err != nil {
		return err
	}
	if err := errors.Join(files...); err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	switch {
	case result.Interrupted:
		return codeError(exitInterrupted)
	case !result.Good():
		return codeError(exitFailed)
	}
	return nil
}
