package service

import (
	"cmp"
	"context"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/fingerprint"
	"kinit/modules/internal/hostfile"
)

// dropIn is the drop-in whose restarts of the unit the task plans.
type dropIn struct {
	name string // empty: the task is that of the unit itself
	same bool   // the host has the drop-in already, as it should be
}

// ForDropIn makes the task that of a drop-in. Each task of a unit keeps what it started the unit
// with in a file of its own: with one file for all, each would restart the unit for the last one's
// fingerprint, in every run. same reports whether the host has the drop-in already, as it should be.
func (t *Task) ForDropIn(name string, same bool) { t.dropIn = dropIn{name, same} }

// Continue makes a change no reason to restart the running unit: a job that others start, such as
// that of a timer, ends by itself, and the next one has the change.
func (t *Task) Continue() { t.continues = true }

// readStored reads the fingerprint of kinit's last start; it is empty if unknown.
func (t *Task) readStored(ctx context.Context, h module.Host) (string, error) {
	stored, there, err := hostfile.Read(ctx, h, t.fingerprintPath(h))
	if err != nil || there || !t.dropIn.same {
		return strings.TrimSpace(stored), err
	}
	// Before drop-ins had files of their own, they used that of the unit. What it has is only of use
	// if the drop-in has stayed since.
	stored, _, err = hostfile.Read(ctx, h, fingerprintPath(h, t.unit()))
	if stored = strings.TrimSpace(stored); stored != t.fingerprint() {
		stored = ""
	}
	return stored, err
}

// fingerprintPath is the file with the fingerprint of the task's last start.
func (t *Task) fingerprintPath(h module.Host) string {
	if t.dropIn.name != "" {
		return fingerprintPath(h, t.unit()+"."+t.dropIn.name)
	}
	return fingerprintPath(h, t.unit())
}

// fingerprintPath is a file beside the manifests and not in /run, so that a reboot, which starts
// the service with the current files, causes no restart.
func fingerprintPath(h module.Host, name string) string {
	return module.StateFolder + "/" + cmp.Or(h.Owner(), "host") + "." + name + ".fingerprint"
}

// fingerprint returns the inputs that the service should have started with, in a
// comparable form; empty if none are given, or if they are no reason to restart it.
func (t *Task) fingerprint() string {
	if t.continues || t.Unit == nil && len(t.RestartOn) == 0 {
		return ""
	}
	text := ""
	if t.Unit != nil {
		text = *t.Unit
	}
	return fingerprint.Of(append([]string{text}, t.RestartOn...)...)
}
