// Package winacl reads and changes who owns a file or folder of a Windows host and
// who has access to it.
//
// It knows two wishes, which are what a node needs: an owner, and that none but the
// system and administrators has access.
package winacl

import (
	"context"
	_ "embed"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

// Functions are the functions Get-Access and Set-Access, for scripts that begin with
// them.
//
//go:embed acl.ps1
var Functions string

// Want is what a task asks a path to be.
type Want struct {
	Owner   string // a name or SID; empty leaves it
	Private bool   // none but the system and administrators has access; false leaves it
}

// Access is how a path is.
type Access struct {
	Owner   string // a SID
	Owned   bool   // the owner is the wanted one, or none is wanted
	Private bool   // none but the system and administrators has access
}

// Diff says in words how the path differs from the wish, such as "owner S-1-5-32-544 to
// S-1-5-18". Nothing means it does not.
func (w Want) Diff(a Access) []string {
	var out []string
	if !a.Owned {
		out = append(out, "owner "+a.Owner+" to "+w.Owner)
	}
	if w.Private && !a.Private {
		out = append(out, "private")
	}
	return out
}

// Words lists the wish for a path that is not there yet, such as ", owner S-1-5-18".
func (w Want) Words() string {
	out := ""
	if w.Owner != "" {
		out += ", owner " + w.Owner
	}
	if w.Private {
		out += ", private"
	}
	return out
}

// Set makes a path as it should be. Nothing wanted is nothing done.
func (w Want) Set(ctx context.Context, h module.Host, path string) error {
	if w == (Want{}) {
		return ctx.Err()
	}
	return powershell.Run(ctx, h, Functions+"Set-Access $Arguments.path $Arguments.owner $Arguments.private\n", w.Args(path), nil)
}

// Args are a path and the wish as scripts take them.
func (w Want) Args(path string) map[string]any {
	return map[string]any{"path": path, "owner": w.Owner, "private": w.Private}
}
