// Package specs holds the specs and playbooks that ship with kinit.
package specs

import "embed"

// FS holds the specs, their playbooks and the files these need.
//
//go:embed all:*
var FS embed.FS
