// Package winacl reads and changes the owner of a file or folder of a Windows host and
// the access to it.
//
// It supports two settings: an owner, and access only for the
// system and administrators.
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

// Want is the requested access of a path. Tasks embed it for their arguments.
type Want struct {
	// Owner is the account that owns the path, by name or SID. Names such as
	// "Administrators" differ between languages of Windows. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Private limits access to the system and administrators, and ignores inherited access
	// rights; false does not change the access.
	Private bool `hcl:"private,optional"`
}

// Access is the current access of a path.
type Access struct {
	Owner   string // a SID
	Owned   bool   // the owner is the requested one, or none is requested
	Private bool   // only the system and administrators have access
}

// Diff describes how the path differs from the request, such as "owner S-1-5-32-544 to
// S-1-5-18"; "" if it does not.
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

// Words describes the request for a path that does not exist yet, such as ", owner S-1-5-18".
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

// Set sets the requested access of a path. An empty request changes nothing.
func (w Want) Set(ctx context.Context, h module.Host, path string) error {
	if w == (Want{}) {
		return ctx.Err()
	}
	return powershell.Run(ctx, h, Functions+"Set-Access $Arguments.path $Arguments.owner $Arguments.private\n", w.Args(path), nil)
}

// Args returns a path and the request in the scripts' form.
func (w Want) Args(path string) map[string]any {
	return map[string]any{"path": path, "owner": w.Owner, "private": w.Private}
}
