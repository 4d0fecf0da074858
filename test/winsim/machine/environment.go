package machine

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/registry"
)

// Environment is the variables of a process; their names have no case. Its methods are
// safe for concurrent use.
type Environment struct {
	mu   sync.Mutex
	vars map[string]variable // by upper-case name
}

type variable struct{ name, value string }

// NewEnvironment returns an environment with variables.
func NewEnvironment(vars map[string]string) *Environment {
	e := &Environment{vars: map[string]variable{}}
	for name, value := range vars {
		e.Set(name, value)
	}
	return e
}

// Get returns a variable, or nothing.
func (e *Environment) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Lookup returns a variable and whether there is one.
func (e *Environment) Lookup(name string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v, ok := e.vars[strings.ToUpper(name)]
	return v.value, ok
}

// Set sets a variable; the empty value removes it, as on Windows.
func (e *Environment) Set(name, value string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := strings.ToUpper(name)
	if value == "" {
		delete(e.vars, key)
		return
	}
	if old, ok := e.vars[key]; ok {
		name = old.name
	}
	e.vars[key] = variable{name: name, value: value}
}

// Names lists the variables' names in order.
func (e *Environment) Names() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var names []string
	for _, key := range slices.Sorted(maps.Keys(e.vars)) {
		names = append(names, e.vars[key].name)
	}
	return names
}

// Clone returns a copy.
func (e *Environment) Clone() *Environment {
	e.mu.Lock()
	defer e.mu.Unlock()
	return &Environment{vars: maps.Clone(e.vars)}
}

// Expand replaces %NAME% by the variable's value. What is no variable stays.
func (e *Environment) Expand(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "%")
		value, known := e.Lookup(name)
		if !closed || !known {
			b.WriteString("%")
			text = rest
			continue
		}
		b.WriteString(value)
		text = after
	}
}

// Where variables are kept.
const (
	MachineEnvironment = `HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
	UserEnvironment    = `HKCU\Environment`
)

// Environment returns the variables that a new process of a user has.
func (m *Machine) Environment(sid string) *Environment {
	name, home := m.profile(sid)
	computer := m.ComputerName()
	e := NewEnvironment(map[string]string{
		"SystemDrive": "C:", "SystemRoot": `C:\Windows`, "ProgramData": `C:\ProgramData`, "ALLUSERSPROFILE": `C:\ProgramData`,
		"ProgramFiles": `C:\Program Files`, "ProgramFiles(x86)": `C:\Program Files (x86)`, "ProgramW6432": `C:\Program Files`,
		"CommonProgramFiles": `C:\Program Files\Common Files`, "PUBLIC": `C:\Users\Public`,
		"COMPUTERNAME": computer, "USERDOMAIN": computer, "USERPROFILE": home,
		"APPDATA": home + `\AppData\Roaming`, "LOCALAPPDATA": home + `\AppData\Local`,
		"PROMPT": "$P$G",
	})
	m.overlay(e, MachineEnvironment)
	// The machine's variables have a USERNAME of their own, which is no user's.
	e.Set("USERNAME", name)
	if sid == account.SystemSID {
		e.Set("USERDOMAIN", "WORKGROUP")
		e.Set("USERNAME", computer+"$")
	}
	path := e.Get("Path")
	m.overlay(e, registry.For(sid, UserEnvironment))
	if own := e.Get("Path"); own != path && path != "" {
		// The user's Path comes after the machine's; every other variable replaces it.
		e.Set("Path", strings.TrimRight(path, ";")+";"+own)
	}
	return e
}

// overlay sets the variables of a key: first the plain ones, then those that others
// are expanded in.
func (m *Machine) overlay(e *Environment, key string) {
	values, err := m.Registry.Values(key)
	if err != nil {
		return
	}
	for _, kind := range []registry.Kind{registry.String, registry.ExpandString} {
		for _, v := range values {
			if v.Kind != kind {
				continue
			}
			if kind == registry.ExpandString {
				v.Text = e.Expand(v.Text)
			}
			e.Set(v.Name, v.Text)
		}
	}
}

// profile is a user's name and home folder.
func (m *Machine) profile(sid string) (name, home string) {
	switch sid {
	case account.SystemSID:
		return "SYSTEM", `C:\Windows\system32\config\systemprofile`
	case account.LocalServiceSID:
		return "LOCAL SERVICE", `C:\Windows\ServiceProfiles\LocalService`
	case account.NetworkServiceSID:
		return "NETWORK SERVICE", `C:\Windows\ServiceProfiles\NetworkService`
	}
	u, err := m.Accounts.User(sid)
	if err != nil {
		return sid, `C:\Users\Default`
	}
	return u.Name, fmt.Sprintf(`C:\Users\%s`, u.Name)
}

// Home is a user's home folder.
func (m *Machine) Home(sid string) string {
	_, home := m.profile(sid)
	return home
}

// JoinArgs writes arguments as a command line, from which SplitArgs gets them back.
func JoinArgs(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// Backslashes before a quote, and those at the end, where a quote follows them.
var (
	beforeQuote = regexp.MustCompile(`(\\*)"`)
	atEnd       = regexp.MustCompile(`(\\+)$`)
)

func quote(arg string) string {
	if arg != "" && !strings.ContainsAny(arg, " \t\"") {
		return arg
	}
	return `"` + atEnd.ReplaceAllString(beforeQuote.ReplaceAllString(arg, `$1$1\"`), `$1$1`) + `"`
}

// SplitArgs reads a command line by the rules of CommandLineToArgvW, which most
// programs use: backslashes count only before a quote.
func SplitArgs(line string) []string {
	var args []string
	var arg strings.Builder
	inQuotes, started := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], `\`))
			started = true
			i += n - 1
			if i+1 < len(line) && line[i+1] == '"' {
				arg.WriteString(strings.Repeat(`\`, n/2))
				if n%2 == 1 {
					arg.WriteByte('"')
					i++
				}
				continue
			}
			arg.WriteString(strings.Repeat(`\`, n))
		case c == '"':
			started = true
			if inQuotes && i+1 < len(line) && line[i+1] == '"' {
				arg.WriteByte('"')
				i++
				continue
			}
			inQuotes = !inQuotes
		case (c == ' ' || c == '\t') && !inQuotes:
			if started {
				args = append(args, arg.String())
			}
			arg.Reset()
			started = false
		default:
			started = true
			arg.WriteByte(c)
		}
	}
	if started {
		args = append(args, arg.String())
	}
	return args
}
