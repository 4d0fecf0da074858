package timer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/unitfile"
)

func (t *Task) description() string { return unitfile.Line(cmp.Or(t.Description, t.Name)) }

// serviceText is the service; man systemd.service.
func (t *Task) serviceText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Unit]\nDescription=%s\n\n[Service]\nType=oneshot\n", t.description())
	fmt.Fprintf(&b, "User=%s\nWorkingDirectory=%s\n", t.User, unitfile.Line(t.Dir))
	for _, name := range slices.Sorted(maps.Keys(t.Env)) {
		fmt.Fprintf(&b, "Environment=%s\n", unitfile.Environment(name, t.Env[name]))
	}
	fmt.Fprintf(&b, "ExecStart=%s\n", unitfile.Command(t.Command))
	return b.String()
}

// timerText is the timer; man systemd.timer.
func (t *Task) timerText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Unit]\nDescription=%s\n\n[Timer]\n", t.description())
	for _, when := range t.OnCalendar {
		fmt.Fprintf(&b, "OnCalendar=%s\n", unitfile.Line(when))
	}
	for _, one := range []struct{ name, value string }{
		{"OnBootSec", t.OnBoot}, {"OnUnitActiveSec", t.Every}, {"RandomizedDelaySec", t.RandomDelay},
	} {
		if one.value != "" {
			fmt.Fprintf(&b, "%s=%s\n", one.name, one.value)
		}
	}
	if t.Persistent && len(t.OnCalendar) > 0 {
		b.WriteString("Persistent=true\n")
	}
	b.WriteString("\n[Install]\nWantedBy=timers.target\n")
	return b.String()
}

// checkTimes asks systemd whether it understands the times: it would ignore a
// line that it does not.
func (t *Task) checkTimes(ctx context.Context, h module.Host) error {
	spans := slices.DeleteFunc([]string{t.OnBoot, t.Every, t.RandomDelay}, func(s string) bool { return s == "" })
	for _, one := range []struct {
		verb   string
		values []string
	}{{"calendar", t.OnCalendar}, {"timespan", spans}} {
		if len(one.values) == 0 {
			continue
		}
		_, err := h.Run(ctx, module.Command{Argv: append([]string{"systemd-analyze", one.verb, "--"}, one.values...)})
		if exit, ok := errors.AsType[*module.ExitError](err); ok && exit.Code == 1 {
			return fmt.Errorf("a time of %s is wrong: %s", t.timer(), strings.TrimSpace(exit.Stderr))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
