package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/module"
	"kinit/modules"
)

// world is everything of the process that commands touch.
type world struct {
	version  string
	args     []string
	environ  []string // KEY=value pairs
	cwd      string
	in       io.Reader
	out, err view.Screen
	engine   facade
	kinds    func() []module.Kind
	now      func() time.Time
	sleep    func(ctx context.Context, until time.Time) error // by the same clock
	signals  func() (incoming <-chan os.Signal, stop func())
	leave    func(code int) // ends the process at once
}

// facade is the part of the engine that commands need.
type facade struct {
	run, plan, validate action
}

// action is one way to use a spec.
type action func(ctx context.Context, o engine.Options) *engine.Report

// thisProcess returns the world of the real program.
func thisProcess(version string) *world {
	cwd, err := os.Getwd()
	if err != nil { // it was removed; relative paths will fail with this name
		cwd = "."
	}
	w := &world{
		version: version, args: os.Args, environ: os.Environ(), cwd: cwd, in: os.Stdin,
		engine: facade{run: engine.Run, plan: engine.Plan, validate: engine.Validate},
		kinds:  modules.All, now: time.Now, signals: incoming, leave: os.Exit,
	}
	w.sleep = w.sleepUntil
	w.out, w.err = w.screen(os.Stdout), w.screen(os.Stderr)
	return w
}

// screen describes a stream. A terminal that cannot move its cursor counts as a file.
func (w *world) screen(f *os.File) view.Screen {
	fd := int(f.Fd())
	terminal := w.env("TERM")
	if !term.IsTerminal(fd) || terminal == "" || terminal == "dumb" {
		return view.Screen{Writer: f}
	}
	size := func() (columns, rows int) {
		columns, rows, err := term.GetSize(fd)
		if err != nil || columns <= 0 || rows <= 0 {
			return 80, 24 // the terminal does not know its size; this is the traditional one
		}
		return columns, rows
	}
	return view.Screen{Writer: f, Size: size, Colour: w.env("NO_COLOR") == ""}
}

// incoming forwards the signals that ask a program to end. A hang-up that is ignored, as
// under nohup, remains ignored. A reader that has gone, such as a tee that Ctrl-C also
// ended, must not end the program before remote work has ended and the log is closed.
// That signal is therefore caught until the end, not ignored, because child processes
// inherit ignored signals.
func incoming() (<-chan os.Signal, func()) {
	signals, ignored := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(ignored, syscall.SIGPIPE)
	return signals, func() { signal.Stop(signals) }
}

// env returns an environment variable, or "" if it is not set.
func (w *world) env(name string) string {
	for _, pair := range w.environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// abs returns an absolute path from this process's working directory.
func (w *world) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.cwd, path)
}

// folder returns kinit's folder of a kind by the XDG base directory specification: below
// the variable's value, else below the default in the home folder.
func (w *world) folder(variable, fallback string) string {
	base := w.env(variable)
	if !filepath.IsAbs(base) { // the specification says to ignore such a value
		base = filepath.Join(w.env("HOME"), fallback)
	}
	return filepath.Join(base, "kinit")
}

func (w *world) configFolder() string { return w.folder("XDG_CONFIG_HOME", ".config") }
func (w *world) stateFolder() string  { return w.folder("XDG_STATE_HOME", ".local/state") }
func (w *world) cacheFolder() string  { return w.folder("XDG_CACHE_HOME", ".cache") }

// runsFolder returns the folder of the runs' logs.
func (w *world) runsFolder() string { return filepath.Join(w.stateFolder(), "runs") }

// sleepUntil waits until a time. It reads the clock often because the clock continues
// while a machine sleeps and timers do not.
func (w *world) sleepUntil(ctx context.Context, until time.Time) error {
	for {
		left := until.Sub(w.now())
		if left <= 0 {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(left, 20*time.Second)):
		}
	}
}
