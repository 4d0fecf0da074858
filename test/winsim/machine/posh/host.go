// Package posh is powershell.exe of the simulated machine: the interpreter of package
// powershell with the machine behind it, its cmdlets and its types.
package posh

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// host is the machine as one process sees it.
type host struct {
	p    *machine.Process
	open *handles
}

// Files is the machine's file system.
func (h host) Files() interp.FileSystem { return files{h.p.Machine.Files, h.open} }

// Environment is the variables that the registry keeps.
func (h host) Environment() interp.Environment { return environment{h.p} }

// Clock is the machine's clock, in its zone, which is UTC.
func (h host) Clock() interp.Clock { return clock{h.p.Machine} }

type clock struct{ m *machine.Machine }

// Now is the time of the machine.
func (c clock) Now() time.Time { return c.m.Now().UTC() }

// Sleep waits, or returns early with the context's error.
func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Find looks for a program or script as PowerShell does: a path as it is, a name in the
// folders of the Path and not in the current one, each with the extensions of PATHEXT.
func (h host) Find(name, dir string, env interp.Variables) (string, error) {
	folders := []string{dir}
	if !strings.ContainsAny(name, `\/:`) {
		path, _ := env.Get("Path")
		folders = strings.Split(path, ";")
	}
	extensions := []string{".ps1"}
	if known, ok := env.Get("PATHEXT"); ok {
		extensions = append(extensions, strings.Split(strings.ToLower(known), ";")...)
	}
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		for _, candidate := range candidates(name, extensions) {
			info, err := h.p.Machine.Files.Resolve(ntfs.Join(folder, candidate))
			if err == nil && !info.IsDir() {
				return info.Path, nil
			}
		}
	}
	return "", h.absent(name)
}

// absent is the error for a name that means nothing here. Whether Windows has a cmdlet
// that the simulator has not is not known, except for some.
func (h host) absent(name string) error {
	verb, noun, ok := strings.Cut(name, "-")
	if !ok || noun == "" || !slices.ContainsFunc(verbs(), func(v string) bool { return strings.EqualFold(v, verb) }) {
		return interp.ErrAbsent
	}
	if strings.EqualFold(name, "Set-SConfig") || strings.HasPrefix(strings.ToLower(noun), "mp") && !h.p.Machine.HasDefender() {
		return interp.ErrAbsent
	}
	return unknown.New("the command %s", name)
}

// verbs are those with which names of cmdlets begin.
func verbs() []string {
	return strings.Fields(`Add Checkpoint Clear Compare Complete Compress Connect ConvertFrom ConvertTo Copy Debug Disable Disconnect
Dismount Enable Enter Exit Expand Export Find ForEach Format Get Group Import Initialize Install Invoke Join Lock Measure Mount Move
New Optimize Out Pop Publish Push Read Receive Register Remove Rename Repair Reset Resolve Restart Restore Resume Save Select Send Set
Show Sort Split Start Stop Suspend Switch Tee Test Trace Unblock Undo Uninstall Unlock Unregister Update Use Wait Where Write`)
}

// candidates are the names of files that a name may mean.
func candidates(name string, extensions []string) []string {
	for _, extension := range extensions {
		if extension != "" && strings.HasSuffix(strings.ToLower(name), extension) {
			return []string{name}
		}
	}
	var all []string
	for _, extension := range extensions {
		all = append(all, name+extension)
	}
	return all
}

// Start starts a program as a child of the process.
func (h host) Start(ctx context.Context, p interp.Process) (interp.Running, error) {
	stdin := cmp.Or[io.Reader](p.Stdin, strings.NewReader(""))
	line := p.Path
	if strings.Contains(line, " ") {
		line = `"` + line + `"`
	}
	child, err := h.p.Launch(ctx, machine.Start{
		Program: p.Path, Args: p.Args, Line: strings.TrimSpace(line + " " + p.Line), Dir: p.Dir, Env: machine.NewEnvironment(p.Env.Map()),
		Stdin: stdin, Stdout: p.Stdout, Stderr: p.Stderr,
	})
	if err == nil {
		return running{child}, nil
	}
	var code *winerr.Error
	if !errors.As(err, &code) {
		return nil, err
	}
	inner := value.NewException("System.ComponentModel.Win32Exception", strings.ReplaceAll(h.p.Machine.Text(code.Code), "%1", p.Path))
	inner.Extra = []*value.Property{value.P("NativeErrorCode", int32(code.Code))}
	name := p.Path[strings.LastIndexByte(p.Path, '\\')+1:]
	e := value.NewException("System.Management.Automation.ApplicationFailedException", "Program '"+name+"' failed to run: "+inner.Message)
	e.Inner = inner
	e.Extra = []*value.Property{value.P("ErrorId", "NativeCommandFailed")}
	return nil, e
}

// running is a child process.
type running struct{ p *machine.Process }

// ID is its process id.
func (r running) ID() int { return r.p.ID }

// Wait waits for its end.
func (r running) Wait(ctx context.Context) (uint32, error) {
	select {
	case <-r.p.Done():
		return r.p.Wait(), r.p.Failure()
	case <-ctx.Done():
		r.p.Kill()
		return 0, ctx.Err()
	}
}

// Kill ends it.
func (r running) Kill() error {
	r.p.Kill()
	return nil
}

// environment is the variables of the machine and of the process' user.
type environment struct{ p *machine.Process }

func (e environment) key(target string) string {
	if target == "Machine" {
		return machine.MachineEnvironment
	}
	return registry.For(e.p.User, machine.UserEnvironment)
}

// Get is a variable with the variables in it expanded.
func (e environment) Get(target, name string) (string, bool) {
	v, ok := e.p.Machine.Registry.Get(e.key(target), name)
	if v.Kind == registry.ExpandString {
		v.Text = e.p.Env.Expand(v.Text)
	}
	return v.Text, ok
}

// Set sets a variable as text, or removes it.
func (e environment) Set(target, name, text string) error {
	if text != "" {
		return e.p.Machine.Registry.Set(e.key(target), registry.Text(name, text))
	}
	err := e.p.Machine.Registry.DeleteValue(e.key(target), name)
	if errors.Is(err, winerr.FileNotFound) {
		return nil
	}
	return err
}

// All are the variables by name.
func (e environment) All(target string) map[string]string {
	all := map[string]string{}
	values, err := e.p.Machine.Registry.Values(e.key(target))
	if err != nil {
		return all
	}
	for _, v := range values {
		all[v.Name], _ = e.Get(target, v.Name)
	}
	return all
}

// files is the machine's file system as the interpreter needs it.
type files struct {
	fs   *ntfs.FS
	open *handles
}

// winError is an error of the file system with its code.
func winError(err error) error {
	if e, ok := errors.AsType[*winerr.Error](err); ok {
		return &interp.WinError{Code: uint16(e.Code), Path: e.Name}
	}
	return err
}

// Info is what the interpreter needs to know of a file.
func info(i ntfs.Info) interp.FileInfo {
	return interp.FileInfo{
		Name: i.Name, Path: i.Path, Folder: i.IsDir(), Size: i.Size, Attributes: uint32(i.Attributes),
		Created: i.Created, Written: i.Modified, Accessed: i.Modified,
	}
}

// Stat describes what is at a path; links are not followed.
func (f files) Stat(path string) (interp.FileInfo, error) {
	i, err := f.fs.Stat(path)
	return info(i), winError(err)
}

// List describes what is in a folder.
func (f files) List(folder string) ([]interp.FileInfo, error) {
	all, err := f.fs.List(folder)
	var infos []interp.FileInfo
	for _, i := range all {
		infos = append(infos, info(i))
	}
	return infos, winError(err)
}

// Open opens a file. A reader lets others read and write; a writer lets others read.
func (f files) Open(path string, mode interp.OpenMode, access interp.Access) (interp.File, error) {
	share := ntfs.ShareRead
	if access == interp.Read {
		share = ntfs.ShareRead | ntfs.ShareWrite
	}
	file, err := f.fs.Open(path, ntfs.Mode(mode), ntfs.Access(access), share)
	if err != nil {
		return nil, winError(err)
	}
	f.open.add(file)
	return handle{file}, nil
}

// handle is an open file whose errors have codes.
type handle struct{ *ntfs.File }

// Write writes at the position.
func (h handle) Write(p []byte) (int, error) {
	n, err := h.File.Write(p)
	return n, winError(err)
}

// Truncate sets the length.
func (h handle) Truncate(size int64) error { return winError(h.SetSize(size)) }

var _ io.ReadWriteSeeker = handle{}

// Mkdir makes a folder and those above it, with a security descriptor where one is
// given.
func (f files) Mkdir(path, sddl string) error {
	if err := f.fs.Mkdir(path); err != nil {
		return winError(err)
	}
	if sddl == "" {
		return nil
	}
	return SetSDDL(f.fs, path, sddl)
}

// SetSDDL sets the access list of a descriptor in SDDL.
func SetSDDL(fs *ntfs.FS, path, sddl string) error {
	s, err := ntfs.ParseSDDL(sddl)
	if err != nil {
		return err
	}
	return winError(fs.SetSecurity(path, s))
}

// Remove removes a file or an empty folder.
func (f files) Remove(path string) error { return winError(f.fs.Remove(path, false)) }

// Move renames a file or folder.
func (f files) Move(from, to string, replace bool) error {
	if replace {
		return winError(f.fs.Replace(from, to))
	}
	return winError(f.fs.Rename(from, to, false))
}

// SetAttributes sets a file's attributes.
func (f files) SetAttributes(path string, attributes uint32) error {
	return winError(f.fs.SetAttributes(path, ntfs.Attributes(attributes)))
}

// SetWritten sets when a file was written last.
func (f files) SetWritten(path string, t time.Time) error {
	return winError(f.fs.SetTimes(path, time.Time{}, t))
}
