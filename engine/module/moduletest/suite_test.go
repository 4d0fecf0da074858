package moduletest

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/secret"
)

// toy makes a file, badly where a fault is asked for.
type toy struct {
	path, fault string
	absent      bool
}

func (m *toy) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	_, err := h.Files().Stat(ctx, m.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	there := err == nil
	if m.fault == "writes in plan" {
		if err := m.write(ctx, h, m.path+".seen"); err != nil {
			return nil, err
		}
	}
	if m.absent && there {
		return []module.Step{module.NewStep("remove "+m.path, m.remove)}, nil
	}
	if m.absent || there && m.fault != "never satisfied" {
		return nil, nil
	}
	text := "write " + m.path
	if m.fault == "shows a secret" {
		text += " hunter22"
	}
	return []module.Step{module.NewStep(text, m.make)}, nil
}

func (m *toy) remove(ctx context.Context, h module.Host) error {
	return h.Files().Remove(ctx, m.path)
}

func (m *toy) make(ctx context.Context, h module.Host) error {
	if m.fault == "ignores its context" {
		return nil
	}
	return m.write(ctx, h, m.path)
}

func (m *toy) write(ctx context.Context, h module.Host, path string) error {
	return h.Files().Write(ctx, path, strings.NewReader("x"), module.Attr{})
}

// recorder is a testing.TB that keeps what a test would have complained about.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Error(args ...any) { r.errors = append(r.errors, args[0].(string)) }
func (r *recorder) Errorf(format string, _ ...any) {
	r.errors = append(r.errors, format)
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
func (r *recorder) Failed() bool { return len(r.errors) > 0 }

// complaints runs the suite and returns what it found.
func complaints(t *testing.T, c Case) []string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Run(r, c)
	}()
	<-done
	return r.errors
}

func TestRunAcceptsAModuleThatKeepsTheContract(t *testing.T) {
	t.Parallel()
	h := NewFakeHost(t, "")
	path := "/etc/motd"
	Run(t, Case{
		New:    func() module.Task { return &toy{path: path} },
		Absent: func() module.Task { return &toy{path: path, absent: true} },
		Host:   h,
	})
}

func TestRunFindsFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"writes in plan":      "a dry run changed the host",
		"never satisfied":     "planned again",
		"shows a secret":      "shows a secret",
		"ignores its context": "with a cancelled context",
	} {
		t.Run(fault, func(t *testing.T) {
			found := complaints(t, Case{
				New:     func() module.Task { return &toy{path: "/etc/motd", fault: fault} },
				Host:    NewFakeHost(t, ""),
				Secrets: []secret.Value{"hunter22"},
			})
			if !strings.Contains(strings.Join(found, "\n"), want) {
				t.Errorf("complaints %q, want one with %q", found, want)
			}
		})
	}
}
