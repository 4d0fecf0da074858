package virt

import "kinit/engine/module"

// The kinds of the marks of what belongs to domains and has no place for a mark
// of its own.
const (
	VolumeKind = "volume"     // a disk or a seed; the ID is the path
	LogKind    = "domain_log" // a domain's logs, which libvirt leaves behind; the ID is the domain
)

// VolumeMark is the mark of a file that domains use.
func VolumeMark(path string) module.Mark { return module.Mark{Kind: VolumeKind, ID: path} }

// LogMark is the mark of a domain's logs.
func LogMark(name string) module.Mark { return module.Mark{Kind: LogKind, ID: name} }
