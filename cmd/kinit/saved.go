package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/diag"
)

// savedFormat is that of files with a saved plan.
func savedFormat() app.Format {
	return app.Format{Name: "a saved plan", Start: "{\n  \"kind\": \"" + engine.SavedKind + "\",\n"}
}

// savePlan plans, writes the plan to a file, and reports whether it is there.
func savePlan(ctx context.Context, a *app.App, o engine.Options, file string) (bool, *engine.Report) {
	if err := savedFormat().Replaceable(a.Abs(file)); err != nil {
		return false, &engine.Report{Invalid: true, Diagnostics: diag.Errorf(nil, "Plan not saved", "%v. Remove it, or give --out another name.", err)}
	}
	saved, report := engine.Save(ctx, o)
	if saved == nil {
		return false, report
	}
	text, err := json.MarshalIndent(saved, "", "  ")
	if err == nil {
		err = app.ReplaceFile(a.Abs(file), append(text, '\n'), 0o600)
	}
	if err != nil {
		report.Diagnostics = append(report.Diagnostics, diag.Errorf(nil, "Plan not saved", "The plan could not be written: %v.", err)...)
	}
	return err == nil, report
}

// savedPlan reads a saved plan. It returns nil if the path is not a plan but a spec or the
// name of one.
func savedPlan(a *app.App, path string) (*engine.Saved, error) {
	if engine.Ships(a.BaseOptions(path)) {
		return nil, nil
	}
	if err := a.Trust().Named(a.Abs(path)); err != nil {
		return nil, fmt.Errorf("%s is %w", path, err)
	}
	file, err := os.Open(a.Abs(path))
	if err != nil {
		return nil, nil // the engine reports mistakes in a spec
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	if !savedFormat().Starts(file) {
		return nil, nil
	}
	var saved engine.Saved
	decoder := json.NewDecoder(io.MultiReader(strings.NewReader(savedFormat().Start), file))
	if err := decoder.Decode(&saved); err != nil {
		return nil, fmt.Errorf("read the saved plan %s: %w", path, err)
	}
	if saved.Version != engine.SavedVersion {
		return nil, fmt.Errorf("the saved plan %s has version %d, and this program knows version %d: plan again", path, saved.Version, engine.SavedVersion)
	}
	return &saved, nil
}

// savedOptions turns flags into engine options for a saved plan.
func savedOptions(a *app.App, c *cli.Context, saved *engine.Saved) (engine.Options, error) {
	if err := onlyWithPlans(c); err != nil {
		return engine.Options{}, err
	}
	o, err := command.Options(a, c, saved.Spec)
	for name := range o.Vars {
		if _, ok := saved.Secrets[name]; !ok {
			return o, exit.Usagef(c.Command.HelpName, "the saved plan has its own values; only its secret ones are given again, not %q", name)
		}
	}
	return o, err
}

func applying(saved *engine.Saved) app.Action {
	return func(ctx context.Context, o engine.Options) *engine.Report { return engine.Apply(ctx, o, saved) }
}

// onlyWithPlans refuses flags whose values the plan already contains.
func onlyWithPlans(c *cli.Context) error {
	allowed := []string{"verbose", "v", "output", "no-color", "diff", "no-diff", "forks", "step", "full-output", "var"}
	for _, flag := range append(command.PasswordFlags(), command.VaultFlags()...) {
		allowed = append(allowed, flag.Names()...)
	}
	for _, name := range c.FlagNames() {
		if !slices.Contains(allowed, name) {
			return exit.Usagef(c.Command.HelpName, "--%s does not go with a saved plan, which was made with its own", name)
		}
	}
	return nil
}
