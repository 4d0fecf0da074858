package repository

import (
	"context"
	"path"

	"kinit/engine/module"
)

// RPM is a repository of rpm packages: a file of settings, and the key that signs it.
type RPM struct {
	Name            string
	Path, Text      string // the file of settings
	Key             string // in ASCII armour; empty without one
	Enabled, Absent bool
	// Refresh reads the package lists of only this repository, if it is enabled.
	Refresh func(ctx context.Context, h module.Host) error
}

// KeyFile returns the file of the key that kinit writes for a repository of this name.
func KeyFile(name string) string { return path.Join("/etc/pki/rpm-gpg", "kinit-"+name+".asc") }

type Outputs struct {
	Path    string `cty:"path"`     // the file of the repository
	KeyPath string `cty:"key_path"` // the file of key, "" without key
}

func (r RPM) Outputs() Outputs {
	if r.Key == "" {
		return Outputs{Path: r.Path}
	}
	return Outputs{Path: r.Path, KeyPath: KeyFile(r.Name)}
}

// Plan compares the files with the wanted ones. An absent repository may have had a key.
func (r RPM) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	all := Repository{Name: r.Name}
	if r.Key != "" || r.Absent {
		all.Files = append(all.Files, Key(KeyFile(r.Name), r.Key))
	}
	if r.Enabled {
		all.Refresh = r.Refresh
	}
	all.Files = append(all.Files, File(r.Path, r.Text))
	if r.Absent {
		return all.PlanAbsent(ctx, h)
	}
	return all.Plan(ctx, h)
}
