package nfttable

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/nft"
	"kinit/modules/internal/ownership"
)

// Plan compares the kernel's table, and the file and unit that load it at boot, with the
// arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if err := t.mayReplace(ctx, h, s); err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.absent(s), nil
	}
	// nft prints the table as the kernel would. It loads it in an empty temporary network namespace, so
	// that a dry run changes nothing.
	out, err := h.Run(ctx, module.Command{
		Argv:  []string{"unshare", "--net", "sh", "-c", "nft -f - && nft --stateless list ruleset"},
		Stdin: strings.NewReader(t.ruleset(ownership.Signature(h))),
	})
	if err != nil {
		return nil, fmt.Errorf("check the content of %s: %w", t.title(), err)
	}
	if strings.Count("\n"+out.Stdout, "\ntable ") != 1 {
		return nil, fmt.Errorf("the content of %s makes other tables too: its braces do not match", t.title())
	}
	want := out.Stdout
	return t.decide(h, s, want), nil
}

func (t *Task) decide(h module.Host, s state, want string) []module.Step {
	var steps []module.Step
	if s.live != want {
		verb := "create "
		if s.exists {
			verb = "replace "
		}
		diff := content.Diff(t.Name, []byte(s.live), []byte(want))
		steps = append(steps, module.NewStep(verb+t.title()+"\n"+diff, t.load))
	}
	if t.Persist && (s.file != t.ruleset(ownership.Signature(h)) || s.unitFile != t.unitText() || !s.unit.enabled || !s.unit.active) {
		steps = append(steps, module.NewStep(fmt.Sprintf("load %s at boot by %s", t.title(), t.unit()), t.keep))
	}
	return steps
}

func (t *Task) load(ctx context.Context, h module.Host) error {
	exists, err := nft.Exists(ctx, h, t.Family, t.Name)
	if err != nil {
		return err
	}
	if !exists {
		if err := h.Own(ctx, t.mark()); err != nil {
			return err
		}
	}
	_, err = nft.Run(ctx, h, t.ruleset(ownership.Signature(h)), "-f", "-")
	return err
}

// keep writes the file and the unit. Starting the unit loads the same table a second
// time, which makes the unit active for systemd.
func (t *Task) keep(ctx context.Context, h module.Host) error {
	if err := hostfile.Put(ctx, h, t.file(), t.ruleset(ownership.Signature(h)), module.Attr{Mode: 0o644}); err != nil {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: unitMark, ID: t.unit()}); err != nil {
		return err
	}
	if err := hostfile.Write(ctx, h, t.unitFile(), t.unitText(), module.Attr{Mode: 0o644}); err != nil {
		return err
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", "--now", "--", t.unit()}} {
		if err := systemctl(ctx, h, args...); err != nil {
			return err
		}
	}
	return nil
}

// unitMark is the kind of the mark of a unit; the ID is its name.
const unitMark = "unit"

func systemctl(ctx context.Context, h module.Host, args ...string) error {
	_, err := h.Run(ctx, module.Command{Argv: append([]string{"systemctl"}, args...)})
	return err
}

// absent removes the file and the unit before the table itself.
func (t *Task) absent(s state) []module.Step {
	var steps []module.Step
	if s.unitFile != "" || s.file != "" {
		steps = append(steps, module.NewStep("remove "+t.unit(), t.forget))
	}
	if s.exists {
		steps = append(steps, module.NewStep("remove "+t.title(), t.remove))
	}
	return steps
}

func (t *Task) forget(ctx context.Context, h module.Host) error {
	s, err := t.readUnit(ctx, h)
	if err != nil {
		return err
	}
	if s.loaded {
		if err := systemctl(ctx, h, "disable", "--now", "--", t.unit()); err != nil {
			return err
		}
	}
	if err := h.Files().Remove(ctx, t.unitFile()); err != nil {
		return err
	}
	if err := systemctl(ctx, h, "daemon-reload"); err != nil {
		return err
	}
	if err := ownership.Release(ctx, h, t.unit(), unitMark); err != nil {
		return err
	}
	return hostfile.Drop(ctx, h, t.file())
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	if err := nft.Delete(ctx, h, t.Family, t.Name); err != nil {
		return err
	}
	return h.Disown(ctx, t.mark())
}

// state is what is on the host.
type state struct {
	exists   bool
	live     string // the kernel's table, as nft prints it without counters
	file     string // the kept table, "" when there is none
	unitFile string // the unit's text, "" when there is none
	unit     unit
}

// unit is what systemd knows of the unit.
type unit struct{ loaded, enabled, active bool }

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.exists, err = nft.Exists(ctx, h, t.Family, t.Name); err != nil {
		return s, err
	}
	if s.exists {
		if s.live, err = nft.Run(ctx, h, "", "--stateless", "list", "table", t.Family, t.Name); err != nil {
			return s, err
		}
	}
	if !t.Persist {
		return s, nil
	}
	if s.file, _, err = hostfile.Read(ctx, h, t.file()); err != nil {
		return s, err
	}
	if s.unitFile, _, err = hostfile.Read(ctx, h, t.unitFile()); err != nil {
		return s, err
	}
	s.unit, err = t.readUnit(ctx, h)
	return s, err
}

func (t *Task) readUnit(ctx context.Context, h module.Host) (unit, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{
		"systemctl", "show", "--property=LoadState,UnitFileState,ActiveState", "--", t.unit(),
	}})
	if err != nil {
		return unit{}, fmt.Errorf("read the state of %s: %w", t.unit(), err)
	}
	var u unit
	for line := range strings.Lines(out.Stdout) {
		switch strings.TrimSpace(line) {
		case "LoadState=loaded":
			u.loaded = true
		case "UnitFileState=enabled":
			u.enabled = true
		case "ActiveState=active":
			u.active = true
		}
	}
	return u, nil
}

// mayReplace returns an error if the table exists and is not the owner's: its
// comment names the owner, and on kernels without comments the mark does.
func (t *Task) mayReplace(ctx context.Context, h module.Host, s state) error {
	if !s.exists || strings.Contains(s.live, "\n\tcomment \""+comment(ownership.Signature(h))+"\"\n") {
		return nil
	}
	if other := nft.Owner(s.live); other != "" {
		return fmt.Errorf("%s exists and is not owned by cluster %s but by %s: remove it or use another name",
			t.title(), h.Owner(), ownership.Short(other, ownership.Signature(h)))
	}
	_, marked, err := ownership.Of(ctx, h, t.mark().ID, nft.TableMark)
	if err != nil || marked {
		return err
	}
	if h.Owner() == "" {
		return fmt.Errorf("%s exists and was not made by kinit: remove it or use another name", t.title())
	}
	return ownership.NotOwned(h, t.mark(), t.title()+" exists and", "remove it or use another name", nft.TableMark)
}
