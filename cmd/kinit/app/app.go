// Package app is what the process gives to kinit's commands: its streams, environment,
// clock and signals, the engine, and where kinit keeps its own files.
package app

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/module"
	"kinit/engine/trust"
	"kinit/inventories"
	"kinit/modules"
	"kinit/specs"
)

// App is what the process gives to commands.
type App struct {
	Version  string // of the program
	Args     []string
	Environ  []string // KEY=value pairs
	Cwd      string
	In       io.Reader
	Out, Err view.Screen
	Engine   Engine
	Kinds    func() []module.Kind
	Now      func() time.Time
	Sleep    func(ctx context.Context, until time.Time) error // by the same clock
	Signals  func() (incoming <-chan os.Signal, stop func())
	Leave    func(code int) // ends the process at once
}

// Engine is the part of the engine that changes hosts; tests have one of their own.
type Engine struct {
	Run, Plan, Validate Action
}

// Action is one way to use a spec.
type Action func(ctx context.Context, o engine.Options) *engine.Report

// New returns the App of the real program.
func New(version string) *App {
	cwd, err := os.Getwd()
	if err != nil { // it was removed; relative paths will fail with this name
		cwd = "."
	}
	a := &App{
		Version: version, Args: os.Args, Environ: withHome(os.Environ()), Cwd: cwd, In: os.Stdin,
		Engine: Engine{Run: engine.Run, Plan: engine.Plan, Validate: engine.Validate},
		Kinds:  modules.All, Now: time.Now, Signals: incoming, Leave: os.Exit,
	}
	forgetSecrets()
	a.Sleep = a.sleepUntil
	a.Out, a.Err = a.screen(os.Stdout), a.screen(os.Stderr)
	return a
}

// screen describes a stream. A terminal that cannot move its cursor counts as a file.
func (a *App) screen(f *os.File) view.Screen {
	fd := int(f.Fd())
	terminal := a.Env("TERM")
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
	return view.Screen{Writer: f, Size: size, Colour: a.Env("NO_COLOR") == ""}
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

// Env returns an environment variable, or "" if it is not set.
func (a *App) Env(name string) string {
	for _, pair := range a.Environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// withHome adds the home folder of the user database to an environment without one, as services of systemd and
// some containers have it. The process gets it too, for what it starts and for ~ in paths.
func withHome(environ []string) []string {
	if filepath.IsAbs(os.Getenv("HOME")) {
		return environ
	}
	u, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil || !filepath.IsAbs(u.HomeDir) || os.Setenv("HOME", u.HomeDir) != nil {
		return environ // CheckHome reports it
	}
	environ = slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, "HOME=") })
	return append(environ, "HOME="+u.HomeDir)
}

// CheckHome returns an error if kinit does not know where its own folders are. They are never in the working directory,
// which may be another user's.
func (a *App) CheckHome() error {
	if filepath.IsAbs(a.Env("HOME")) {
		return nil
	}
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		if !filepath.IsAbs(a.Env(name)) {
			return fmt.Errorf("the home folder of the user %d is not known: HOME is no absolute path, and the user database has none. kinit keeps its state there: set HOME, or XDG_STATE_HOME, XDG_CACHE_HOME and XDG_CONFIG_HOME, to absolute paths", os.Geteuid())
		}
	}
	return nil
}

// Abs returns an absolute path from this process's working directory.
func (a *App) Abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Cwd, path)
}

// folder returns kinit's folder of a kind by the XDG base directory specification: below
// the variable's value, else below the default in the home folder.
func (a *App) folder(variable, fallback string) string {
	base := a.Env(variable)
	if !filepath.IsAbs(base) { // the specification says to ignore such a value
		base = filepath.Join(a.Env("HOME"), fallback)
	}
	return filepath.Join(base, "kinit")
}

func (a *App) ConfigFolder() string { return a.folder("XDG_CONFIG_HOME", ".config") }
func (a *App) StateFolder() string  { return a.folder("XDG_STATE_HOME", ".local/state") }
func (a *App) CacheFolder() string  { return a.folder("XDG_CACHE_HOME", ".cache") }

// Trust returns the rules by which files are obeyed.
func (a *App) Trust() trust.Rules { return trust.From(a.Environ) }

// RunsFolder returns the folder of the runs' logs.
func (a *App) RunsFolder() string { return filepath.Join(a.StateFolder(), "runs") }

// sleepUntil waits until a time. It reads the clock often because the clock continues
// while a machine sleeps and timers do not.
func (a *App) sleepUntil(ctx context.Context, until time.Time) error {
	for {
		left := until.Sub(a.Now())
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

// shipped is all HCL inside the program, laid out as in the repository: specs and
// playbooks at the root, inventories in a folder beside them, so that a playbook can fill
// in an inventory by its relative path.
type shipped struct{}

// Open opens a file or folder.
func (shipped) Open(name string) (fs.File, error) {
	if inside, ok := strings.CutPrefix(name, "inventories/"); ok {
		return inventories.FS.Open(inside)
	}
	return specs.FS.Open(name)
}

// Drivers returns the drivers inside the program.
func Drivers() []engine.Driver {
	all, err := engine.Drivers(shipped{}, "drivers")
	if err != nil {
		panic("bug in kinit: a driver inside the program cannot be read: " + err.Error())
	}
	return all
}

// BaseOptions returns the engine options that no flag sets.
func (a *App) BaseOptions(spec string) engine.Options {
	return engine.Options{
		Inputs: engine.Inputs{Spec: spec, Cwd: a.Cwd}, Environ: a.ChildEnviron(),
		Builtin: shipped{}, Inventory: inventories.FS,
		Home: a.Env("HOME"), CacheDir: a.CacheFolder(), StateDir: a.StateFolder(), Kinds: a.Kinds(),
	}
}
