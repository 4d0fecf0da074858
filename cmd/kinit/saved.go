package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/shell"
)

// savedStart is the beginning of a file with a saved plan.
const savedStart = "{\n  \"kind\": \"" + engine.SavedKind + "\",\n"

// saving returns an action that plans and writes the plan to a file, and sets done after it
// wrote the file.
func (w *world) saving(file string, done *bool) action {
	return func(ctx context.Context, o engine.Options) *engine.Report {
		saved, report := engine.Save(ctx, o)
		if saved == nil {
			return report
		}
		text, err := json.MarshalIndent(saved, "", "  ")
		if err == nil {
			err = replaceFile(w.abs(file), append(text, '\n'), 0o600)
		}
		*done = err == nil
		if err != nil {
			report.Diagnostics = append(report.Diagnostics, diag.Errorf(nil, "Plan not saved", "The plan could not be written: %v.", err)...)
		}
		return report
	}
}

// savedPlan reads a saved plan. It returns nil if the path is not a plan but a spec or the
// name of one.
func (w *world) savedPlan(path string) (*engine.Saved, error) {
	file, err := os.Open(w.abs(path))
	if err != nil {
		return nil, nil // the engine reports mistakes in a spec
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	start := make([]byte, len(savedStart))
	if _, err := io.ReadFull(file, start); err != nil || string(start) != savedStart {
		return nil, nil
	}
	var saved engine.Saved
	decoder := json.NewDecoder(io.MultiReader(bytes.NewReader(start), file))
	if err := decoder.Decode(&saved); err != nil {
		return nil, fmt.Errorf("read the saved plan %s: %w", path, err)
	}
	if saved.Version != engine.SavedVersion {
		return nil, fmt.Errorf("the saved plan %s has version %d, and this program knows version %d: plan again", path, saved.Version, engine.SavedVersion)
	}
	return &saved, nil
}

// apply applies a saved plan.
func (w *world) apply(c *cli.Context, saved *engine.Saved, j job) error {
	if err := onlyWithPlans(c); err != nil {
		return err
	}
	o, err := w.options(c, saved.Spec)
	if err != nil {
		return err
	}
	for name := range o.Vars {
		if _, ok := saved.Secrets[name]; !ok {
			return usageErrorf(c.Command.HelpName, "the saved plan has its own values; only its secret ones are given again, not %q", name)
		}
	}
	j.do = func(ctx context.Context, o engine.Options) *engine.Report { return engine.Apply(ctx, o, saved) }
	return w.perform(c, j, o)
}

// onlyWithPlans refuses flags whose values the plan already contains.
func onlyWithPlans(c *cli.Context) error {
	allowed := slices.Concat(outputFlags(), diffFlags(""), []cli.Flag{forksFlag(), &cli.BoolFlag{Name: "step"}, &cli.StringFlag{Name: "full-output"}, &cli.StringSliceFlag{Name: "var"}})
	for _, name := range c.FlagNames() {
		if !slices.ContainsFunc(allowed, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
			return usageErrorf(c.Command.HelpName, "--%s does not go with a saved plan, which was made with its own", name)
		}
	}
	return nil
}

// planToFile plans and writes the plan to a file.
func (w *world) planToFile(c *cli.Context, file string) error {
	saved := false
	err := w.onSpec(c, job{do: w.saving(file, &saved), mode: view.Plan, diff: true})
	if !saved || c.String("output") != outputText {
		return err
	}
	return first(w.lines("The plan is saved. Apply it with: kinit run "+shell.POSIX(file)), err)
}
