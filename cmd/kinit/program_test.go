package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/module"
)

// program is an App of its own: an engine that answers with a report, streams
// in memory, and folders that are gone after the test.
type program struct {
	*app.App
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
	p.App = &app.App{
		Version: programVersion(), Args: append([]string{"kinit"}, args...), Cwd: filepath.Join(dir, "work"),
		Environ: []string{"HOME=" + filepath.Join(dir, "home")},
		In:      strings.NewReader(""),
		Out:     view.Screen{Writer: &p.out}, Err: view.Screen{Writer: &p.err},
		Engine:  app.Engine{Run: p.action("run"), Plan: p.action("plan"), Validate: p.action("validate")},
		Kinds:   func() []module.Kind { return []module.Kind{{Name: "file"}, {Name: "command"}} },
		Now:     func() time.Time { return time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC) },
		Signals: func() (<-chan os.Signal, func()) { return p.incoming, func() {} },
		Leave:   func(code int) { p.left <- code },
	}
	if err := os.MkdirAll(p.Cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *program) run() int { return run(p.App) }

func (p *program) action(name string) app.Action {
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
	path := filepath.Join(filepath.Dir(p.Cwd), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
