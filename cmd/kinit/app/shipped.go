package app

import (
	"io/fs"
	"strings"

	"kinit/engine"
	"kinit/inventories"
	"kinit/specs"
)

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
		Inputs: engine.Inputs{Spec: spec, Cwd: a.Cwd}, Environ: a.Environ,
		Builtin: shipped{}, Inventory: inventories.FS,
		Home: a.Env("HOME"), CacheDir: a.CacheFolder(), StateDir: a.StateFolder(), Kinds: a.Kinds(),
	}
}
