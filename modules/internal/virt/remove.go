package virt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Foreign is the error of a domain that the host's owner did not make.
func Foreign(h module.Host, d Domain) error {
	const advice = "choose another name, or remove it with \"virsh undefine\" if nothing needs it"
	if h.Owner() == "" {
		return fmt.Errorf("domain %s exists on %s and was not made by this playbook: %s", d.Name, h.Name(), advice)
	}
	whose := ownership.Unmarked
	switch {
	case d.Copied():
		whose = " (it is a copy of a domain that kinit made)"
	case d.Stamp != nil:
		whose = ownership.Signed(h, d.Stamp.Owner)
	}
	return fmt.Errorf("domain %s exists on %s and is not owned by cluster %s%s: %s", d.Name, h.Name(), h.Owner(), whose, advice)
}

// Remove cuts a domain's power and undefines it, and removes its logs where they
// are its owner's. A missing domain is no error, one of somebody else is.
func (c *Conn) Remove(ctx context.Context, h module.Host, name string) error {
	if _, _, err := c.FindOwn(ctx, h, name); err != nil {
		return err
	}
	if err := c.PowerOff(ctx, name); err != nil {
		return err
	}
	if err := c.Undefine(ctx, name); err != nil {
		return err
	}
	// A start that a run which died had asked for may have come in between: libvirt
	// undefines the domain when that has ended, and it runs on without a definition.
	if err := c.PowerOff(ctx, name); err != nil {
		return err
	}
	ours, err := ownership.Ours(ctx, h, name, LogKind)
	if err != nil || !ours {
		return err
	}
	return RemoveLogs(ctx, h, name)
}

// Part is the name under which a volume is made, before it is renamed.
func Part(path string) string { return path + ".part" }

// RemoveVolume removes a disk or a seed, what an interrupted creation left of it,
// and then its mark. The caller has made sure whom it belongs to.
func RemoveVolume(ctx context.Context, h module.Host, path string) error {
	for _, file := range []string{path, Part(path)} {
		if err := h.Files().Remove(ctx, file); err != nil {
			return err
		}
	}
	if err := hostfile.DropTemporaries(ctx, h, path); err != nil {
		return err
	}
	return ownership.Release(ctx, h, path)
}

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

// logDir is where libvirt keeps the logs of QEMU.
const logDir = "/var/log/libvirt/qemu"

// ConsoleLog is the file that everything a domain writes to its serial console
// is added to.
func ConsoleLog(name string) string { return path.Join(logDir, name+"-serial.log") }

// RemoveLogs removes a domain's console log, QEMU's own log of it and what was
// rotated away of both, and then their mark.
func RemoveLogs(ctx context.Context, h module.Host, name string) error {
	infos, err := h.Files().List(ctx, logDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, info := range infos {
		if !isLog(info.Name, name) {
			continue
		}
		if err := h.Files().Remove(ctx, path.Join(logDir, info.Name)); err != nil {
			return err
		}
	}
	return h.Disown(ctx, LogMark(name))
}

// isLog reports whether a file is a log of the domain: virtlogd rotates to names
// that end in a number.
func isLog(file, domain string) bool {
	for _, log := range []string{domain + ".log", domain + "-serial.log"} {
		rest, found := strings.CutPrefix(file, log)
		if found && (rest == "" || strings.Trim(rest, ".0123456789") == "") {
			return true
		}
	}
	return false
}
