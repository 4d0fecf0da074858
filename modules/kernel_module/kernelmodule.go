// Package kernelmodule is the module "kernel_module": a loaded module of the Linux kernel,
// now and after a boot.
package kernelmodule

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Mark is the kind of the mark of what kinit has loaded; the ID is the name with
// "_" for "-".
const Mark = "kernel_module"

// Task is a kernel module. A built-in one counts as loaded.
// An absent
// one is unloaded if kinit loaded it, or if the host belongs to no cluster and it is not
// in use; a built-in one cannot be unloaded, and remains.
//
// Modules that kinit loads and files that it writes are marked; cleanup removes the files,
// and unloads the module unless it is in use.
//
// Errors:
//   - modprobe does not know it, or the kernel refuses it
//   - it should be absent and is in use
//   - a file with that name has other content and the cluster does not own it
type Task struct {
	// Name is the module, such as "br_netfilter"; "-" and "_" are equivalent.
	Name string `hcl:"name"`
	// Loaded loads it now; false changes nothing.
	Loaded bool `hcl:"loaded,optional" default:"true"`
	// Persistent loads it at boot, by /etc/modules-load.d/kinit-NAME.conf; false changes
	// nothing.
	Persistent bool `hcl:"persistent,optional" default:"true"`
	// Options are its parameters, such as "nested=1", in
	// /etc/modprobe.d/kinit-NAME.conf. They take effect when it is next loaded:
	// a loaded module keeps its parameters. Default: unchanged.
	Options []string `hcl:"options,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "kernel_module", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "kernel module", Undo, module.MarkTraits{Shared: true, Text: func(mark module.Mark) string {
			return "unload kernel module " + mark.ID + " unless it is used"
		}}),
	}})
}

var (
	moduleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
	// parameter matches a parameter that modprobe.d takes on one line.
	parameter = regexp.MustCompile(`^[A-Za-z0-9_]+(=[^\s"#\\]*)?$`)
)

func (t *Task) Validate() error {
	if !moduleName.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want a kernel module such as \"br_netfilter\"", t.Name)
	}
	for _, option := range t.Options {
		if !parameter.MatchString(option) {
			return fmt.Errorf("options has %q, want parameters such as \"nested=1\"", option)
		}
	}
	if !t.Absent() && !t.Loaded && !t.Persistent && len(t.Options) == 0 {
		return errors.New("nothing is asked for, want loaded, persistent or options")
	}
	return nil
}

// name returns the kernel's form of the name.
func (t *Task) name() string { return strings.ReplaceAll(t.Name, "-", "_") }

// boot is the file that loads it at boot; man 5 modules-load.d.
func (t *Task) boot() content.File { return t.file("/etc/modules-load.d/", t.Name) }

// params is the file with its parameters; man 5 modprobe.d.
func (t *Task) params() content.File {
	return t.file("/etc/modprobe.d/", "options "+t.Name+" "+strings.Join(t.Options, " "))
}

func (t *Task) file(folder, line string) content.File {
	return content.File{
		Path:   folder + "kinit-" + t.name() + ".conf",
		Source: content.FromText([]byte("# Made by kinit.\n" + line + "\n")),
		Want:   fileattr.Want{Mode: "0644"},
		Advice: "move it away",
	}
}

// state is the module's current state.
type state struct {
	there   bool // in the kernel: loaded or built in
	dynamic bool // loaded, and so to be unloaded
	marked  bool
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	s, err := readState(ctx, h, t.name())
	if err == nil {
		_, s.marked, err = ownership.Of(ctx, h, t.name(), Mark)
	}
	return s, err
}

// readState reads the kernel's list of modules. It has only some of the built-in
// ones: modprobe knows the others, and does nothing for them.
func readState(ctx context.Context, h module.Host, name string) (state, error) {
	var s state
	var err error
	if s.there, err = hostfile.Exists(ctx, h, "/sys/module/"+name); err != nil || !s.there {
		return s, err
	}
	s.dynamic, err = hostfile.Exists(ctx, h, "/sys/module/"+name+"/initstate")
	return s, err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.planAbsent(ctx, h, s)
	}
	var files []module.Planner
	if len(t.Options) > 0 {
		files = append(files, t.params().Plan)
	}
	if t.Persistent {
		files = append(files, t.boot().Plan)
	}
	steps, err := module.PlanAll(ctx, h, files...)
	if err != nil {
		return nil, err
	}
	if !t.Loaded || s.there {
		return steps, nil
	}
	builtin, err := t.builtin(ctx, h)
	if err != nil || builtin {
		return steps, err
	}
	return append(steps, module.NewStep("load kernel module "+t.Name, t.load)), nil
}

// builtin asks modprobe for its plan: for a built-in module, nothing.
// A module that it does not know may come with a package that an earlier task installs.
func (t *Task) builtin(ctx context.Context, h module.Host) (bool, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"modprobe", "--show-depends", "--", t.Name}})
	if module.Exited(err) {
		return false, nil
	}
	return strings.HasPrefix(out.Stdout, "builtin "), err
}

func (t *Task) load(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || s.there {
		return err
	}
	if err := h.Own(ctx, t.mark()); err != nil {
		return err
	}
	if err := module.Exec(ctx, h, "modprobe", "--", t.Name); err != nil {
		return fmt.Errorf("load kernel module %s: %w", t.Name, err)
	}
	return nil
}

func (t *Task) mark() module.Mark { return module.Mark{Kind: Mark, ID: t.name()} }

func (t *Task) planAbsent(ctx context.Context, h module.Host, s state) ([]module.Step, error) {
	steps, err := module.PlanAll(ctx, h, t.boot().PlanAbsent, t.params().PlanAbsent)
	if err != nil {
		return nil, err
	}
	switch {
	case s.dynamic && (s.marked || h.Owner() == ""):
		steps = append(steps, module.NewStep("unload kernel module "+t.Name, t.unload))
	case s.marked:
		steps = append(steps, module.NewStep("release kernel module "+t.Name+", which is not loaded", t.unload))
	}
	return steps, nil
}

func (t *Task) unload(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if s.dynamic {
		if err := module.Exec(ctx, h, "modprobe", "--remove", "--", t.Name); err != nil {
			return fmt.Errorf("unload kernel module %s: %w", t.Name, err)
		}
	}
	return h.Disown(ctx, t.mark())
}

// Undo unloads a module by its mark. A module in use remains: its user came after kinit
// and may need it.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	s, err := readState(ctx, h, mark.ID)
	if err != nil || !s.dynamic {
		return err
	}
	count, _, err := hostfile.Read(ctx, h, "/sys/module/"+mark.ID+"/refcnt")
	if err != nil || strings.TrimSpace(count) != "0" {
		return err
	}
	return module.Exec(ctx, h, "modprobe", "--remove", "--", mark.ID)
}

type Outputs struct {
	Loaded bool `cty:"loaded"` // whether the kernel has it, loaded or built in
}

// Outputs reports whether the kernel has it.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	if err != nil || s.there {
		return Outputs{Loaded: s.there}, err
	}
	builtin, err := t.builtin(ctx, h)
	return Outputs{Loaded: builtin}, err
}
