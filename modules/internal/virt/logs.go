package virt

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/module"
)

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
