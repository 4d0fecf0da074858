package interp

import (
	"context"
	"io"
	"maps"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"kinit/test/winsim/powershell/value"
)

// Interpreter has the commands and types that scripts can use on a host.
type Interpreter struct {
	host    Host
	cmdlets map[string]*Cmdlet
	aliases map[string]string
	types   types
	preset  map[string]any
}

// New is an interpreter without cmdlets and types.
func New(host Host) *Interpreter {
	return &Interpreter{
		host: host, cmdlets: map[string]*Cmdlet{}, aliases: map[string]string{}, types: types{},
		preset: map[string]any{},
	}
}

// Register adds cmdlets. A later one replaces an earlier one of its name.
func (i *Interpreter) Register(all ...Cmdlet) {
	for _, c := range all {
		own := c
		i.cmdlets[strings.ToLower(c.Name)] = &own
		for _, alias := range c.Aliases {
			i.aliases[strings.ToLower(alias)] = c.Name
		}
	}
}

// RegisterType adds .NET types.
func (i *Interpreter) RegisterType(all ...Type) {
	for _, t := range all {
		i.types.add(t)
	}
}

// Preset gives a variable its value at the start of every run, such as PSVersionTable.
func (i *Interpreter) Preset(name string, v any) { i.preset[name] = v }

// Variables are the environment variables of a process. Names are the same in any case.
type Variables struct{ all map[string]variablePair }

type variablePair struct{ name, value string }

// NewVariables is a copy of an environment.
func NewVariables(env map[string]string) Variables {
	v := Variables{all: map[string]variablePair{}}
	for name, text := range env {
		v.Set(name, text)
	}
	return v
}

// Get is the value of a variable.
func (v Variables) Get(name string) (string, bool) {
	pair, ok := v.all[strings.ToLower(name)]
	return pair.value, ok
}

// Set sets a variable; an empty value removes it.
func (v Variables) Set(name, text string) {
	if text == "" {
		delete(v.all, strings.ToLower(name))
		return
	}
	if old, ok := v.all[strings.ToLower(name)]; ok {
		name = old.name
	}
	v.all[strings.ToLower(name)] = variablePair{name, text}
}

// Map are all variables by their names.
func (v Variables) Map() map[string]string {
	all := map[string]string{}
	for _, pair := range v.all {
		all[pair.name] = pair.value
	}
	return all
}

// Clone is a copy.
func (v Variables) Clone() Variables { return Variables{all: maps.Clone(v.all)} }

// Job is one start of powershell.exe.
type Job struct {
	Script string // the source
	File   string // the path of the script where it is a file, as -File names it
	Args   []string
	// Encoded says that the script came by -EncodedCommand: what PowerShell itself
	// writes to the standard error is CLIXML then.
	Encoded bool
	// Stdin is the raw input. A script that reads it waits as long as Read does: who
	// ends the context must end the input too.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    map[string]string
	Dir    string
	PID    int
	User   string
}

// Session is a running script.
type Session struct {
	interp *Interpreter
	job    Job

	// Env are the environment variables of the process.
	Env Variables
	// Dir is the current folder of the file system.
	Dir string

	scope   *scope
	global  *scope
	streams map[byte]Sink // where redirected streams go: '2' to '6'
	errors  *value.List
	okay    bool // $?
	kept    map[string]any
	tries   int // try blocks around what runs
	depth   int
	output  encoding.Encoding
	clixml  []string
	toHost  bool
}

func newSession(i *Interpreter, job Job) *Session {
	global := &scope{vars: map[string]*variable{}}
	s := &Session{
		interp: i, job: job, Env: NewVariables(job.Env), Dir: job.Dir, scope: global, global: global,
		streams: map[byte]Sink{}, kept: map[string]any{}, okay: true, output: charmap.CodePage437,
		errors: &value.List{Type: "System.Collections.ArrayList"},
	}
	for name, v := range i.preset {
		global.set(name, v)
	}
	for name, v := range map[string]any{
		"ErrorActionPreference": "Continue", "ProgressPreference": "Continue", "WarningPreference": "Continue",
		"VerbosePreference": "SilentlyContinue", "DebugPreference": "SilentlyContinue", "InformationPreference": "SilentlyContinue",
		"ConfirmPreference": "High", "PID": int32(job.PID), "Error": s.errors,
	} {
		global.set(name, v)
	}
	const namespace = "System.Management.Automation.Internal.Host."
	ui := value.NewObject(namespace + "InternalHostUserInterface")
	ui.Method("WriteErrorLine", func(_ context.Context, args []any) (any, error) {
		return value.Void{}, s.errorText(value.String(args[0]) + "\r\n")
	})
	global.set("Host", value.NewObject(namespace+"InternalHost", value.P("UI", ui)))
	return s
}

// Host is the machine.
func (s *Session) Host() Host { return s.interp.host }

// Interpreter is what the script runs in.
func (s *Session) Interpreter() *Interpreter { return s.interp }

// Job is how the run was started.
func (s *Session) Job() Job { return s.job }

// EnterFolder makes a folder that of the process, where relative paths of .NET begin.
func (s *Session) EnterFolder(folder string) { s.job.Dir = folder }

// Now is the time of the machine's clock.
func (s *Session) Now() time.Time { return s.interp.host.Clock().Now() }

// Path is a path of the file system as an absolute one, with backslashes.
func (s *Session) Path(path string) string { return absolute(s.Dir, path) }

// ProcessPath is a path as .NET resolves it: against the folder that the process was
// started in, which Set-Location does not change.
func (s *Session) ProcessPath(path string) string { return absolute(s.job.Dir, path) }

// absolute resolves a path of Windows against a folder.
func absolute(dir, path string) string {
	path = strings.ReplaceAll(path, "/", `\`)
	switch {
	case strings.HasPrefix(path, `\\`):
		return path
	case strings.HasPrefix(path, `\`) && len(dir) >= 2:
		path = dir[:2] + path
	case len(path) < 2 || path[1] != ':':
		path = strings.TrimSuffix(dir, `\`) + `\` + path
	}
	drive, rest, _ := strings.Cut(path, `\`)
	var parts []string
	for _, part := range strings.Split(rest, `\`) {
		switch {
		case part == "" || part == ".":
		case part != "..":
			parts = append(parts, part)
		case len(parts) > 0:
			parts = parts[:len(parts)-1]
		}
	}
	return drive + `\` + strings.Join(parts, `\`)
}

func itoa(n int) string { return strconv.Itoa(n) }

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// Keep keeps a value for the run under a name; Kept finds it again.
func (s *Session) Keep(name string, v any) { s.kept[name] = v }

// Kept is what Keep kept, or nil.
func (s *Session) Kept(name string) any { return s.kept[name] }
