// Package cli is what the programs of Kubernetes have in common on the simulated machine:
// flags, paths, what they print, waiting.
package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
)

// Set is what a program's command line may have: names of flags that take a value
// and of those that are switches.
type Set struct {
	Values, Switches []string
}

// Flags are the flags of a command line: the last value of each, and its arguments.
type Flags struct {
	set  map[string]string
	Args []string
}

// Parse reads a command line as Go programs do: --name=value, --name value, and one
// dash as good as two where single says so.
func (s Set) Parse(args []string) (Flags, error) {
	f := Flags{set: map[string]string{}}
	for i := 0; i < len(args); i++ {
		text, isFlag := strings.CutPrefix(args[i], "-")
		text = strings.TrimPrefix(text, "-")
		if !isFlag || text == "" {
			f.Args = append(f.Args, args[i])
			continue
		}
		name, value, inline := strings.Cut(text, "=")
		switch {
		case slices.Contains(s.Switches, name):
			if !inline {
				value = "true"
			}
			if _, err := strconv.ParseBool(value); err != nil {
				return f, fmt.Errorf("invalid argument %q for \"--%s\" flag: strconv.ParseBool: parsing %q: invalid syntax", value, name, value)
			}
		case !slices.Contains(s.Values, name):
			return f, errors.New("unknown flag: --" + name)
		case !inline && i+1 == len(args):
			return f, errors.New("flag needs an argument: --" + name)
		case !inline:
			i++
			value = args[i]
		}
		f.set[name] = value
	}
	return f, nil
}

// Get returns a flag's value or a default.
func (f Flags) Get(name, otherwise string) string {
	if value, ok := f.set[name]; ok {
		return value
	}
	return otherwise
}

// On reports whether a switch is on.
func (f Flags) On(name string) bool {
	value, err := strconv.ParseBool(f.set[name])
	return err == nil && value
}

// Has reports whether a flag is there.
func (f Flags) Has(name string) bool {
	_, ok := f.set[name]
	return ok
}

// Whole makes a path absolute as the process sees it: /etc/kubernetes is on the drive
// of its working directory.
func Whole(p *machine.Process, path string) string {
	full, err := ntfs.Clean(ntfs.Join(p.Dir, path))
	if err != nil {
		return path
	}
	return full
}

// FolderOf is the folder of a path.
func FolderOf(path string) string {
	i := strings.LastIndexAny(path, `\/`)
	if i <= 2 {
		return path[:max(0, i+1)]
	}
	return path[:i]
}

// Say writes a line.
func Say(p *machine.Process, format string, args ...any) {
	fmt.Fprintf(p.Stdout, format+"\n", args...)
}

// Complain writes a line to standard error.
func Complain(p *machine.Process, format string, args ...any) {
	fmt.Fprintf(p.Stderr, format+"\n", args...)
}

// Minor is the minor number of a version such as v1.34.4, or -1.
func Minor(version string) int {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) < 2 {
		return -1
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		return -1
	}
	return n
}
