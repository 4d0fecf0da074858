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
