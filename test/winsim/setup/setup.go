package setup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/node"
)

// Keys of the registry.
const (
	setupKey   = `HKLM\SYSTEM\Setup`
	imageState = `HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Setup\State`
	stageKey   = `HKLM\SOFTWARE\kinit-winsim\Setup`
)

// cached is where Setup keeps the answer file for the passes after the installation.
const cached = `C:\Windows\Panther\unattend.xml`

// Stages of an installation. They are kept, so that one that was interrupted goes on.
const (
	copying      = "copy"
	specializing = "specialize"
	firstLogon   = "oobe"
	installed    = "done"
)

// System is a machine with what Setup still has to do.
type System struct {
	*machine.Machine
	answers *answers
}

// Prepare opens the machine in a folder, or makes a new one: as the answer file of one
// of the CDs says, or as the options say where none has one. The CDs are folders of the
// real host; their drives begin with D:.
func Prepare(o machine.Options, cds []string) (*System, error) {
	_, err := os.Stat(filepath.Join(o.Folder, "machine.json"))
	if err == nil {
		return reopen(o, cds)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text, err := find(cds)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return open(o, cds)
	}
	return install(o, cds, text)
}

// find returns the first answer file that is at the root of a CD, whatever its case, or
// nothing.
func find(cds []string) ([]byte, error) {
	for _, folder := range cds {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if strings.EqualFold(entry.Name(), "Autounattend.xml") {
				return os.ReadFile(filepath.Join(folder, entry.Name()))
			}
		}
	}
	return nil, nil
}

// open opens or makes a machine with its CDs.
func open(o machine.Options, cds []string) (*System, error) {
	m, err := node.New(o)
	if err != nil {
		return nil, err
	}
	for i, folder := range cds {
		m.Files.Insert(string(rune('D'+i)), folder, "CD")
	}
	return &System{Machine: m}, nil
}

// install copies the system, as the pass windowsPE does.
func install(o machine.Options, cds []string, text []byte) (*System, error) {
	a, err := parse(text)
	if err == nil {
		err = a.check(o.Release)
	}
	if err != nil {
		return nil, fmt.Errorf("windows cannot be installed: %w", err)
	}
	o.Language = a.language()
	o.Name = randomName()
	s, err := open(o, cds)
	if err != nil {
		return nil, err
	}
	s.answers = a
	if err := s.Files.WriteFile(cached, text); err != nil {
		return nil, err
	}
	return s, s.stage(copying)
}

// randomName is a name as Windows makes one up.
func randomName() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	name := "WIN-"
	var b [11]byte
	_, _ = rand.Read(b[:]) // never fails
	for _, c := range b {
		name += string(letters[int(c)%len(letters)])
	}
	return name
}

// reopen opens a machine that is there. One that was sealed is specialized again, with
// the answers that it was sealed with.
func reopen(o machine.Options, cds []string) (*System, error) {
	s, err := open(o, cds)
	if err != nil {
		return nil, err
	}
	stage := s.Registry.Text(stageKey, "Stage")
	if s.Registry.Text(imageState, "ImageState") == "IMAGE_STATE_GENERALIZE_RESEAL_TO_OOBE" {
		stage = specializing
		if err := s.reseal(); err != nil {
			return nil, err
		}
	}
	if stage == "" || stage == installed {
		return s, nil
	}
	text, err := s.Files.ReadFile(cached)
	if err != nil {
		return nil, fmt.Errorf("the answers for the stage %s are gone: %w", stage, err)
	}
	if s.answers, err = parse(text); err != nil {
		return nil, fmt.Errorf("windows cannot start: %w", err)
	}
	return s, nil
}

// reseal makes a copy of a sealed machine one of its own: with a name that was made up.
func (s *System) reseal() error {
	name := randomName()
	return errors.Join(s.Registry.DeleteValue(imageState, "ImageState"), s.Rename(name), s.stage(specializing))
}

// stage keeps how far the installation is.
func (s *System) stage(name string) error {
	busy := uint32(1)
	if name == installed {
		busy = 0
	}
	return errors.Join(
		s.Registry.Set(stageKey, registry.Text("Stage", name)),
		s.Registry.Set(setupKey, registry.Number("SystemSetupInProgress", busy), registry.Number("OOBEInProgress", busy)))
}

// Start switches the machine on and does what is left of the installation, reboots
// included. It returns when the commands of the first login have ended, or the machine
// restarts meanwhile. The machine runs on until ctx ends.
func (s *System) Start(ctx context.Context) error {
	if err := s.PowerOn(ctx); err != nil {
		return err
	}
	if s.answers == nil {
		return nil
	}
	if err := s.finish(ctx); err != nil {
		s.Log("Windows could not complete the installation: %v", err)
		return fmt.Errorf("windows could not complete the installation: %w", err)
	}
	return nil
}

// finish does the stages that are left.
func (s *System) finish(ctx context.Context) error {
	if s.Registry.Text(stageKey, "Stage") == copying {
		s.Log("Setup: files are copied, the computer restarts")
		if err := errors.Join(s.stage(specializing), s.Reboot(ctx)); err != nil {
			return err
		}
	}
	if s.Registry.Text(stageKey, "Stage") == specializing {
		s.Log("Setup: specialize")
		if err := s.specialize(ctx); err != nil {
			return err
		}
		if err := errors.Join(s.stage(firstLogon), s.Reboot(ctx)); err != nil {
			return err
		}
	}
	s.Log("Setup: first login on %s", s.ComputerName())
	return s.oobe(ctx)
}
