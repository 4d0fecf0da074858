package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/module"
)

// program is a world of its own: an engine that answers with a report, streams
// in memory, and folders that are gone after the test.
type program struct {
	*world
	out, err bytes.Buffer
	called   string         // which part of the engine was used
	options  engine.Options // what it was given
	report   engine.Report  // what it answers
	during   func(ctx context.Context, o engine.Options)
	incoming chan os.Signal
	left     chan int // exit codes of leave
}

func newProgram(t *testing.T, args ...string) *program {
	t.Helper()
	dir := t.TempDir()
	p := &program{incoming: make(chan os.Signal, 2), left: make(chan int, 1)}
	p.world = &world{
		version: programVersion(), args: append([]string{"kinit"}, args...), cwd: filepath.Join(dir, "work"),
		environ: []string{"HOME=" + filepath.Join(dir, "home")},
		in:      strings.NewReader(""),
		out:     view.Screen{Writer: &p.out}, err: view.Screen{Writer: &p.err},
		engine:  facade{run: p.action("run"), plan: p.action("plan"), validate: p.action("validate")},
		kinds:   func() []module.Kind { return []module.Kind{{Name: "file"}, {Name: "command"}} },
		now:     func() time.Time { return time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC) },
		signals: func() (<-chan os.Signal, func()) { return p.incoming, func() {} },
		leave:   func(code int) { p.left <- code },
	}
	if err := os.MkdirAll(p.cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *program) action(name string) action {
	return func(ctx context.Context, o engine.Options) *engine.Report {
		p.called, p.options = name, o
		if p.during != nil {
			p.during(ctx, o)
		}
		report := p.report
		report.Interrupted = ctx.Err() != nil
		return &report
	}
}

// write makes a file below the program's temporary folder.
func (p *program) write(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(p.cwd), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
