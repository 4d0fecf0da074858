package kube

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
)

// flagSet is what a program's command line may have: names of flags that take a value
// and of those that are switches.
type flagSet struct {
	values, switches []string
}

// flags are the flags of a command line: the last value of each, and its arguments.
type flags struct {
	set  map[string]string
	args []string
}

// parse reads a command line as Go programs do: --name=value, --name value, and one
// dash as good as two where single says so.
func (s flagSet) parse(args []string) (flags, error) {
	f := flags{set: map[string]string{}}
	for i := 0; i < len(args); i++ {
		text, isFlag := strings.CutPrefix(args[i], "-")
		text = strings.TrimPrefix(text, "-")
		if !isFlag || text == "" {
			f.args = append(f.args, args[i])
			continue
		}
		name, value, inline := strings.Cut(text, "=")
		switch {
		case slices.Contains(s.switches, name):
			if !inline {
				value = "true"
			}
			if _, err := strconv.ParseBool(value); err != nil {
				return f, fmt.Errorf("invalid argument %q for \"--%s\" flag: strconv.ParseBool: parsing %q: invalid syntax", value, name, value)
			}
		case !slices.Contains(s.values, name):
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

// get returns a flag's value or a default.
func (f flags) get(name, otherwise string) string {
	if value, ok := f.set[name]; ok {
		return value
	}
	return otherwise
}

// on tells whether a switch is on.
func (f flags) on(name string) bool {
	value, err := strconv.ParseBool(f.set[name])
	return err == nil && value
}

// has tells whether a flag is there.
func (f flags) has(name string) bool {
	_, ok := f.set[name]
	return ok
}

// whole makes a path absolute as the process sees it: /etc/kubernetes is on the drive
// of its working directory.
func whole(p *machine.Process, path string) string {
	full, err := ntfs.Clean(ntfs.Join(p.Dir, path))
	if err != nil {
		return path
	}
	return full
}

// folderOf is the folder of a path.
func folderOf(path string) string {
	i := strings.LastIndexAny(path, `\/`)
	if i <= 2 {
		return path[:max(0, i+1)]
	}
	return path[:i]
}

// say writes a line.
func say(p *machine.Process, format string, args ...any) {
	fmt.Fprintf(p.Stdout, format+"\n", args...)
}

// complain writes a line to standard error.
func complain(p *machine.Process, format string, args ...any) {
	fmt.Fprintf(p.Stderr, format+"\n", args...)
}
