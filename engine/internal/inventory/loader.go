package inventory

import (
	"context"
	"io/fs"
	"maps"
	"time"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/vault"
	"kinit/engine/trust"
)

// Sources is where inventories come from and how names that are in none are
// looked up.
type Sources struct {
	Cwd     string   // an absolute path
	Home    string   // the user's home folder
	Builtin fs.FS    // inventories inside the program; may be nil
	Environ []string // KEY=value pairs, for inventory scripts
	// Timeout is how long an inventory script may take; 0 means a minute.
	Timeout time.Duration
	Vault   *vault.Keys // for what Ansible Vault has encrypted; nil without passwords
	// Resolves reports whether a name has an address; nil means that no name has.
	Resolves func(ctx context.Context, name string) bool
}

func (s Sources) files() spec.Sources {
	return spec.Sources{Cwd: s.Cwd, Home: s.Home, Builtin: s.Builtin, Trust: trust.From(s.Environ)}
}

// loader is the state of one Load.
type loader struct {
	diag.Collector
	ctx       context.Context
	src       Sources
	inv       *Inventory
	named     map[string]bool // hosts that groups name before, or instead of, their declaration
	outside   []source.Ref    // the same, in order
	uses      []use
	folders   []varFolder  // with group_vars and host_vars
	templates []source.Ref // variables with Jinja expressions
	jumps     []string     // ways to hosts, as ssh has them: user@host:port,…
}

// decrypt decrypts what Ansible Vault has encrypted.
func (l *loader) decrypt(text string) (string, error) { return l.src.Vault.Decrypt(l.ctx, text) }

// varFolder is a folder that may have group_vars and host_vars.
type varFolder struct {
	path  string // as the user named it
	named string // the inventory that was named, or the folder itself
}

// use is a group within another.
type use struct {
	source.Ref
	within string
}

// set overlays variables with those of a later place.
func (l *loader) set(into *source.Vars, vars source.Vars) {
	if *into == nil {
		*into = source.Vars{}
	}
	maps.Copy(*into, vars)
	for name, v := range vars {
		if v.Unread == source.Jinja {
			l.templates = append(l.templates, source.Ref{Name: name, At: v.At})
		}
	}
}
