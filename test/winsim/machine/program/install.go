package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// Package is what a file that stands for an installation package installs. The file is
// JSON; its field "kinit-winsim" says what it stands for: "msi", or "exe" behind the
// line of the program "installer".
type Package struct {
	Stands       string            `json:"kinit-winsim"`
	Product      string            `json:"product"` // the product code of an MSI, or the name of the key below Uninstall
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Files        map[string]string `json:"files,omitempty"`    // path → content
	Services     []PackageService  `json:"services,omitempty"` // made, and started where they are automatic
	Restart      bool              `json:"restart,omitempty"`  // it ends with 3010
	Exit         uint32            `json:"exit,omitempty"`     // it fails with this code
	NeedArgument string            `json:"need_argument,omitempty"`
}

// PackageService is a service that a package brings.
type PackageService struct {
	Name      string `json:"name"`
	Display   string `json:"display"`
	Image     string `json:"image"`
	Automatic bool   `json:"automatic,omitempty"`
}

// uninstallKey is where installed programs are listed.
const uninstallKey = `HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall`

// packageKey is where a package that is installed is kept, to be taken off again.
const packageKey = `HKLM\SOFTWARE\kinit-winsim\Packages`

// msiexec is msiexec.exe: /i package or /x product, with /qn.
func msiexec(ctx context.Context, p *machine.Process) uint32 {
	verb, what, quiet := "", "", false
	for i := 0; i < len(p.Args); i++ {
		switch word := strings.ToLower(p.Args[i]); {
		case word == "/i" || word == "/x" || word == "/package" || word == "/uninstall":
			verb = word
			if i++; i < len(p.Args) {
				what = p.Args[i]
			}
		case word == "/qn" || word == "/quiet" || word == "/q":
			quiet = true
		case word == "/norestart":
		case word == "/l*v" || word == "/log" || word == "/l*":
			i++
		case strings.Contains(word, "=") && !strings.HasPrefix(word, "/"):
		default:
			return uint32(winerr.InvalidCommandLine)
		}
	}
	if !quiet {
		// Its window would wait for somebody for ever.
		return unsupported(p)
	}
	if verb == "/x" || verb == "/uninstall" {
		return remove(ctx, p, what)
	}
	if verb == "" || what == "" {
		return uint32(winerr.InvalidCommandLine)
	}
	content, err := p.Machine.Files.ReadFile(ntfs.Join(p.Dir, what))
	if err != nil {
		return uint32(winerr.PackageOpenFailed)
	}
	pack, err := decode(content, "msi")
	if err != nil {
		return uint32(winerr.PackageInvalid)
	}
	return install(ctx, p, pack)
}

// decode reads the content of a package.
func decode(content []byte, kind string) (Package, error) {
	var pack Package
	if err := json.Unmarshal(content, &pack); err != nil {
		return pack, err
	}
	if pack.Stands != kind || pack.Product == "" {
		return pack, errors.New("no package of this kind")
	}
	return pack, nil
}

// installer is a program that installs what stands behind its first line.
func installer(ctx context.Context, p *machine.Process) uint32 {
	content, err := p.Machine.Files.ReadFile(p.Image)
	if err != nil {
		return 1
	}
	_, rest, _ := bytes.Cut(content, []byte("\n"))
	pack, err := decode(rest, "exe")
	if err != nil {
		p.Fail(err)
		return 1
	}
	if pack.NeedArgument != "" && !strings.Contains(p.Line, pack.NeedArgument) {
		return 2
	}
	if strings.Contains(strings.ToLower(p.Line), "/uninstall") {
		return remove(ctx, p, pack.Product)
	}
	return install(ctx, p, pack)
}

// install makes the files and services of a package and lists it.
func install(ctx context.Context, p *machine.Process, pack Package) uint32 {
	m := p.Machine
	if pack.Exit != 0 {
		return pack.Exit
	}
	for path, content := range pack.Files {
		if err := m.Files.Mkdir(path[:strings.LastIndexByte(path, '\\')]); err != nil {
			return uint32(winerr.InstallFailure)
		}
		if err := m.Files.WriteFile(path, []byte(content)); err != nil {
			return uint32(winerr.InstallFailure)
		}
	}
	for _, s := range pack.Services {
		if err := addService(ctx, m, s); err != nil {
			return uint32(winerr.InstallFailure)
		}
	}
	values := []registry.Value{registry.Text("DisplayName", pack.Name), registry.Text("DisplayVersion", pack.Version)}
	if pack.Stands == "msi" {
		values = append(values, registry.Number("WindowsInstaller", 1), registry.Text("UninstallString", "MsiExec.exe /X"+pack.Product))
	} else {
		values = append(values, registry.Text("UninstallString", `"`+p.Image+`" /uninstall`))
	}
	kept, err := json.Marshal(pack)
	if err == nil {
		err = errors.Join(m.Registry.Set(uninstallKey+`\`+pack.Product, values...), m.Registry.Set(packageKey, registry.Text(pack.Product, string(kept))))
	}
	if err != nil {
		return uint32(winerr.InstallFailure)
	}
	if pack.Restart {
		return uint32(winerr.SuccessRebootNeeded)
	}
	return 0
}

func addService(ctx context.Context, m *machine.Machine, s PackageService) error {
	start := scm.Manual
	if s.Automatic {
		start = scm.Auto
	}
	err := m.Services.Create(scm.Config{Name: s.Name, DisplayName: s.Display, Image: s.Image, Start: start})
	if errors.Is(err, winerr.ServiceExists) {
		return nil
	}
	if err != nil || !s.Automatic {
		return err
	}
	return m.Services.Start(ctx, s.Name)
}

// remove takes a package off.
func remove(ctx context.Context, p *machine.Process, product string) uint32 {
	m := p.Machine
	v, ok := m.Registry.Get(packageKey, product)
	if !ok {
		return uint32(winerr.UnknownProduct)
	}
	var pack Package
	if err := json.Unmarshal([]byte(v.Text), &pack); err != nil {
		p.Fail(err)
		return 1
	}
	for _, s := range pack.Services {
		// It may be stopped or gone already.
		_ = m.Services.Stop(ctx, s.Name, true)
		_ = m.Services.Delete(s.Name)
	}
	for path := range pack.Files {
		_ = m.Files.Remove(path, true) // what is in use stays, as with real packages
	}
	err := errors.Join(m.Registry.Delete(uninstallKey+`\`+pack.Product, true), m.Registry.DeleteValue(packageKey, product))
	if err != nil {
		return uint32(winerr.InstallFailure)
	}
	return 0
}
