// Package inventories holds the inventories that ship with kinit.
package inventories

import "embed"

// FS holds the inventories.
//
//go:embed *.hcl
var FS embed.FS
