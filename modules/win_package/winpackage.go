// Package winpackage is the module "win_package": a program that an MSI package or an
// installer installs on a Windows host, or its removal.
package winpackage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

//go:embed run.ps1
var runScript string

// Task is an installed or absent program: from an MSI package, or from an installer
// that needs no answers.
//
// The program counts as installed if product, the key below "Uninstall" in the
// registry, or the path in creates exists. The installer runs as a task of the system,
// because some refuse to run in a session over the network; it runs at most once, and kinit
// waits for its end over as many connections as necessary.
//
// Errors:
//   - the installer ended with a code that is not in ok_codes
//   - the file has another checksum, or cannot be fetched
//   - the program is not installed although the installer succeeded: product or creates is wrong
//   - the job ended without an answer, as when the host restarts meanwhile
type Task struct {
	// Path is the installer on the host, such as "C:/setup/OpenSSH.msi".
	Path string `hcl:"path,optional"`
	// URL is the installer's URL for the host, with http or https.
	URL string `hcl:"url,optional"`
	// SHA256 is the installer's checksum in hex; needed with url.
	SHA256 string `hcl:"sha256,optional"`
	// CAPEM are the certificates, in PEM, that verify url's server. Default:
	// the certificates that the host trusts.
	CAPEM string `hcl:"ca_pem,optional"`
	// Product is the name of the key below "Uninstall": for an MSI package its product
	// code, such as "{8B9A8FD7-0A62-4A2E-8E6B-0E8B5D0BB2D6}".
	Product string `hcl:"product,optional"`
	// Version is the version that must be installed, as in DisplayVersion of
	// product's key. Default: any.
	Version string `hcl:"version,optional"`
	// Creates is a path that exists if the program is installed, instead of
	// product.
	Creates string `hcl:"creates,optional"`
	// Arguments are the arguments of an installer that is not an MSI package, such as ["/S"], or
	// properties of an MSI package, such as ["ADDLOCAL=Server"].
	Arguments []string `hcl:"arguments,optional"`
	// Uninstall is the program, with arguments, that removes the program of an installer.
	// An MSI package needs none.
	Uninstall []string `hcl:"uninstall,optional"`
	// OKCodes are the exit codes that mean success. 3010 and 1641 mean that the host must
	// restart.
	OKCodes []int `hcl:"ok_codes,optional" default:"0,3010,1641"`
	// Within is how long the installer can take, such as "30m".
	Within module.Duration `hcl:"within,optional" default:"1h" like:"30m"`
	module.Presence

	restart bool // the installer asked for it
}

// The exit codes of Windows Installer for a restart, and the one for an unknown
// product.
const (
	restartInitiated = 1641 // ERROR_SUCCESS_REBOOT_INITIATED
	restartRequired  = 3010 // ERROR_SUCCESS_REBOOT_REQUIRED
	unknownProduct   = 1605 // ERROR_UNKNOWN_PRODUCT
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_package", OS: []module.OS{module.Windows}, Elsewhere: "package"})
}

// state is the program's state on the host.
type state struct {
	Installed bool
	Version   string
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	return powershell.Read[state](ctx, h, readScript, map[string]any{"product": t.Product, "creates": t.Creates})
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	text := t.decide(s)
	if text == "" {
		return nil, nil
	}
	return module.OneStep(h.Redact(text), t.change), nil
}

// decide describes the change, "" for none.
func (t *Task) decide(s state) string {
	switch {
	case t.Absent() && s.Installed:
		return "uninstall " + t.name()
	case t.Absent(), s.Installed && (t.Version == "" || t.Version == s.Version):
		return ""
	case s.Installed:
		return fmt.Sprintf("install %s version %s, was %s", t.name(), t.Version, s.Version)
	}
	return "install " + t.name()
}

// change runs the installer, if still needed, and checks the result.
func (t *Task) change(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || t.decide(s) == "" {
		return err
	}
	program, done, err := t.installer(ctx, h)
	if err != nil {
		return err
	}
	defer done()
	if err := t.run(ctx, h, program); err != nil {
		return err
	}
	s, err = t.read(ctx, h)
	if err == nil && t.decide(s) != "" {
		err = fmt.Errorf("the installer of %s ended well, and still to do is: %s: does product or creates name what it makes?", t.name(), t.decide(s))
	}
	return err
}

// run runs the installer as a job and judges its exit code.
func (t *Task) run(ctx context.Context, h module.Host, c call) error {
	var result struct{ Code int }
	job := powershell.Job{Name: "package", Script: runScript, Args: c, Within: t.Within.Time()}
	if err := job.Run(ctx, h, &result); err != nil {
		return fmt.Errorf("run the installer of %s: %w", t.name(), err)
	}
	if result.Code == restartRequired || result.Code == restartInitiated {
		t.restart = true
	}
	if !t.fine(result.Code) {
		return fmt.Errorf("the installer of %s ended with code %d, want one of %v: %s", t.name(), result.Code, t.OKCodes, meaning(result.Code))
	}
	return nil
}

// fine reports whether a code means success. Removing a missing product is a success.
func (t *Task) fine(code int) bool {
	return slices.Contains(t.OKCodes, code) || t.Absent() && code == unknownProduct
}

func (t *Task) Validate() error {
	if err := winpath.CheckGiven("creates", t.Creates); err != nil {
		return err
	}
	switch {
	case (t.Product == "") == (t.Creates == ""):
		return errors.New("want exactly one of product and creates, which show whether it is installed")
	case strings.ContainsAny(t.Product, "\\\n"):
		return fmt.Errorf("product is %q, want the name of a key, such as a product code", t.Product)
	case t.Version != "" && t.Product == "":
		return errors.New("version is that of product's key, want it beside product")
	case len(t.OKCodes) == 0:
		return errors.New("ok_codes is empty, want at least one exit code")
	case t.Absent():
		return t.checkAbsent()
	}
	if (t.Path == "") == (t.URL == "") {
		return errors.New("want exactly one of path and url, where the installer is")
	}
	if t.URL != "" {
		return t.fetched().Check()
	}
	if t.SHA256 != "" && !sha256Form.MatchString(t.SHA256) {
		return fmt.Errorf("sha256 is %q, want 64 hex digits", t.SHA256)
	}
	return winpath.Check("path", t.Path)
}

type Outputs struct {
	Installed      bool   `cty:"installed"`       // whether it is installed
	Version        string `cty:"version"`         // the version in the installer's registry entry; empty without product
	RebootRequired bool   `cty:"reboot_required"` // whether the installer asked, in this run, for a restart
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	return Outputs{Installed: s.Installed, Version: s.Version, RebootRequired: t.restart}, err
}
