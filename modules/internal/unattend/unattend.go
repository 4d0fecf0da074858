// Package unattend writes answer files of Windows Setup: one that installs from a
// medium, and one that an installed system is sealed with.
//
// The documents are trees of elements that are marshalled, never pasted text. Names of passes,
// components and settings are those of Microsoft's Unattended Windows Setup Reference;
// testdata/reference.txt lists them, and a test looks up every name that is written.
package unattend

import (
	"fmt"

	"kinit/engine/secret"
)

// The longest commands that Setup takes, by the reference: Path of a
// RunSynchronousCommand and CommandLine of a SynchronousCommand, in characters.
const (
	maxPath        = 259
	maxCommandLine = 1024
)

// System is what both kinds of answer file say of the system.
type System struct {
	Locale   string // such as "en-US", for language, formats and keyboard
	TimeZone string // as Windows names it, such as "UTC"
	// Password is the built-in administrator's, who is logged in with it once.
	Password secret.Value
	// FirstLogon is the command line that runs in that login, up to 1024 characters.
	FirstLogon string
}

// Install is an answer file for Setup on a medium.
type Install struct {
	System
	ComputerName string // up to 15 letters, digits and hyphens
	UEFI         bool   // the disk is partitioned for UEFI, else for a BIOS
	ImageName    string // of the image in install.wim, such as "Windows Server 2022 SERVERDATACENTERCORE"
	ImageIndex   int    // its number, from 1, instead of a name
	ProductKey   secret.Value
	// DriverPaths are folders with drivers that Setup loads and keeps. Those that do
	// not exist are passed over, so that every drive letter can be named.
	DriverPaths []string
	// OldSetup starts the front end of Setup that releases before 24H2 have: the new
	// one does not follow some answer files.
	OldSetup bool
}

// Sealed is an answer file for a system that is sealed by Sysprep.
type Sealed struct {
	System
	// Specialize is the command that runs as the system in the specialize pass, up to
	// 259 characters. By its code, 0 or 1, Setup goes on or restarts first; any other
	// code ends the installation.
	Specialize string
}

// XML is the document.
func (i Install) XML() ([]byte, error) {
	if err := i.System.validate(); err != nil {
		return nil, err
	}
	return document(
		pass("windowsPE", i.languageWinPE(), i.driversWinPE(), i.setup()),
		// LUA is user account control.
		pass("offlineServicing", component("Microsoft-Windows-LUA-Settings", set("EnableLUA", false))),
		i.specialize(i.ComputerName),
		pass("oobeSystem", i.oobe()),
	)
}

// XML is the document. It leaves the name of the computer out, which Windows then
// makes up, so that the command of the specialize pass has the last word.
func (s Sealed) XML() ([]byte, error) {
	if err := s.System.validate(); err != nil {
		return nil, err
	}
	if n := len(s.Specialize); n == 0 || n > maxPath {
		return nil, fmt.Errorf("the command of the specialize pass has %d characters: expected 1 to %d", n, maxPath)
	}
	return document(
		pass("generalize",
			// The number of times that the evaluation can be started again stays as it is.
			component("Microsoft-Windows-Security-SPP", set("SkipRearm", 1)),
			// The devices of its copies, and their drivers, are the same.
			component("Microsoft-Windows-PnpSysprep", set("PersistAllDeviceInstalls", true))),
		s.specialize("", command{path: s.Specialize, reboot: "OnRequest"}),
		// Without the first, the first start asks for language and keyboard.
		pass("oobeSystem", s.language(), s.oobe()),
	)
}

func (s System) validate() error {
	if n := len(s.FirstLogon); n == 0 || n > maxCommandLine {
		return fmt.Errorf("the command of the first login has %d characters: expected 1 to %d", n, maxCommandLine)
	}
	return nil
}
