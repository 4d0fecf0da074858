package sshconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/shell"
)

// includeDepth is how deep includes may be nested, as in OpenSSH.
const includeDepth = 16

// Place is a line of a file.
type Place struct {
	File string
	Line int
}

func (p Place) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// parser collects the options of one host. It understands what ssh_config(5) describes, but for Match exec,
// KnownHostsCommand and CanonicalizeHostname, which are errors.
type parser struct {
	user     identity
	host     string // that Host lines are compared with
	original string // as it was given
	options  options
	known    map[string]keyword
	unknown  []string // patterns of IgnoreUnknown
	final    bool     // this is the second pass
	again    bool     // a line asks for a second pass
}

// identity is the user who runs kinit.
type identity struct {
	name, home string
	uid        int
	environ    func(name string) (string, bool)
}

// configFile is a file of the configuration. Relative names in it belong to a folder.
type configFile struct {
	path   string
	folder string // of relative includes
	needed bool   // the user has named it
}

// files reads all files. The first value of a keyword counts.
func (p *parser) files(all []configFile) error {
	for _, f := range all {
		active := true
		if err := p.file(f, 0, &active); err != nil {
			return err
		}
	}
	return nil
}

// file reads one file. active says whether the lines count, which Host and Match lines change.
func (p *parser) file(f configFile, depth int, active *bool) error {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) && !f.needed {
		return nil
	}
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if err := p.line(line, f, depth, active); err != nil {
			return fmt.Errorf("%s: %w", Place{f.path, number}, err)
		}
	}
	return nil
}

func (p *parser) line(line string, f configFile, depth int, active *bool) error {
	name, rest := splitKeyword(line)
	k, known := p.known[name]
	switch {
	case name == "":
		return nil
	case name == "match":
		holds, err := p.match(rest)
		*active = holds
		return err
	case known && k.kind == raw:
		if rest == "" {
			return fmt.Errorf("%s has no value", k.name)
		}
		return p.set(k, []string{rest}, *active)
	}
	args, err := words(rest)
	switch {
	case err != nil:
		return err
	case name == "host":
		if len(args) == 0 {
			return errors.New("a Host line has no pattern")
		}
		*active = anyMatches(p.host, args)
		return nil
	case name == "include":
		return p.include(args, f, depth, active)
	case !known:
		if anyMatches(name, p.unknown) {
			return nil
		}
		return fmt.Errorf("%q is no option of ssh_config(5)", name)
	case len(args) == 0:
		return fmt.Errorf("%s has no value", k.name)
	case k.kind != list && len(args) > 1:
		return fmt.Errorf("%s has one value, and %q is too much", k.name, args[1])
	}
	if name == "ignoreunknown" && *active && p.unknown == nil {
		p.unknown = strings.Split(lower(args[0]), ",")
	}
	return p.set(k, args, *active)
}

// needsClient is the error for what the parser cannot do alone. NewResolver says when it is alone.
func needsClient(what string) error {
	return fmt.Errorf("%s needs the program ssh, which kinit asks only if HOME is your account's home folder: install OpenSSH's client if it is missing, or set HOME to that folder", what)
}

// set checks a value, and keeps it if the line counts.
func (p *parser) set(k keyword, values []string, active bool) error {
	if err := check(k, values[0]); err != nil {
		return err
	}
	if !active {
		return nil
	}
	if k.use == clientOnly && !harmless(k, values[0]) {
		return needsClient(k.name)
	}
	p.options.add(k, values)
	return nil
}

// harmless reports whether a value switches an option off.
func harmless(k keyword, value string) bool {
	value = lower(value)
	return value == "no" || value == "none" || value == "false"
}

// include reads other files in the place of the line. They have the condition of the block around it, and their own
// Host and Match lines end with them.
func (p *parser) include(args []string, f configFile, depth int, active *bool) error {
	if len(args) == 0 {
		return errors.New("an Include line has no file")
	}
	if depth >= includeDepth {
		return errors.New("the files include each other too deeply")
	}
	for _, arg := range args {
		found, err := f.included(p.user, arg)
		if err != nil {
			return err
		}
		if !*active {
			continue
		}
		for _, file := range found {
			within := true
			if err := p.file(file, depth+1, &within); err != nil {
				return err
			}
		}
	}
	return nil
}

// included returns the files that an argument of Include names, by name.
func (f configFile) included(u identity, arg string) ([]configFile, error) {
	pattern := shell.ExpandHome(arg, u.home)
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(f.folder, pattern)
	}
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%q is no pattern of files", arg)
	}
	slices.Sort(names)
	return lists.Map(names, func(name string) configFile { return configFile{path: name, folder: f.folder} }), nil
}

// check reports a value that ssh would refuse.
func check(k keyword, value string) error {
	wrong := func(wanted string) error { return fmt.Errorf("%s is %s, and not %q", k.name, wanted, value) }
	number := func(least, most int) error {
		if n, err := strconv.Atoi(value); err != nil || n < least || n > most {
			return wrong(fmt.Sprintf("a number from %d to %d", least, most))
		}
		return nil
	}
	switch k.name {
	case "Port":
		return number(1, 65535)
	case "RequiredRSASize":
		return number(0, 1<<31-1)
	case "ServerAliveCountMax":
		return number(0, 1<<31-1)
	case "ConnectTimeout", "ServerAliveInterval":
		if _, err := seconds(value); err != nil && lower(value) != "none" {
			return wrong("a time")
		}
	case "AddressFamily":
		if !slices.Contains([]string{"any", "inet", "inet6"}, lower(value)) {
			return wrong("any, inet or inet6")
		}
	case "IdentitiesOnly":
		if !slices.Contains([]string{"yes", "no", "true", "false"}, lower(value)) {
			return wrong("yes or no")
		}
	case "ProxyJump":
		if _, err := ParseJumps(value); err != nil {
			return err
		}
	}
	return nil
}
