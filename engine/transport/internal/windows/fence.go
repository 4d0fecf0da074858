package windows

import (
	"context"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// Fenced returns the same files, of which each change looks for a file first, in the script
// that makes it.
func (f *Files) Fenced(file string) module.Files {
	return &Files{exec: f.exec, change: f.exec.Fenced(file)}
}

// Fenced is Exec whose scripts run only if the file is there.
func (x Exec) Fenced(file string) Exec {
	return func(ctx context.Context, p transport.Process) (int, error) {
		p.Fence = file
		return x(ctx, p)
	}
}
