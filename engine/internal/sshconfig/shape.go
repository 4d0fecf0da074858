package sshconfig

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// shape says how a configuration treats hosts.
type shape int

const (
	absent     shape = iota // it has no line
	general                 // all hosts have the same options
	particular              // hosts may differ
)

// shape looks at the files of a configuration, once.
func (r *Resolver) shape(named string) (shape, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.shapes[named]; ok {
		return known, nil
	}
	if err := r.trusted(named); err != nil {
		return particular, err
	}
	found := absent
	for _, f := range r.filesFor(named) {
		one, err := r.shapeOf(f, 0)
		if err != nil {
			return particular, err
		}
		found = max(found, one)
	}
	r.shapes[named] = found
	return found, nil
}

func (r *Resolver) shapeOf(f configFile, depth int) (shape, error) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) && !f.needed {
		return absent, nil
	}
	if err != nil {
		return particular, err
	}
	found := absent
	for line := range strings.Lines(string(text)) {
		name, rest := splitKeyword(line)
		args, err := words(rest)
		if name == "include" && err == nil {
			one, err := r.shapeOfIncluded(args, f, depth)
			if err != nil {
				return particular, err
			}
			found = max(found, one)
			continue
		}
		if name != "" {
			found = max(found, shapeOfLine(name, rest, args))
		}
	}
	return found, nil
}

func (r *Resolver) shapeOfIncluded(args []string, f configFile, depth int) (shape, error) {
	if depth >= includeDepth {
		return particular, nil // reading it gives the error
	}
	found := absent
	for _, arg := range args {
		files, _ := f.included(r.user, arg) // reading it gives the error
		for _, file := range files {
			one, err := r.shapeOf(file, depth+1)
			if err != nil {
				return particular, err
			}
			found = max(found, one)
		}
	}
	return found, nil
}

// unexpanded are keywords whose tokens ssh -G leaves as they are.
var unexpanded = []string{"identityfile", "certificatefile", "identityagent", "proxyjump", "proxycommand", "controlpath", "localcommand", "remotecommand"}

func shapeOfLine(name, rest string, args []string) shape {
	switch {
	case name == "host" && slices.Equal(args, []string{"*"}):
		return general
	case name == "match" && (slices.Equal(args, []string{"all"}) || slices.Equal(args, []string{"final", "all"})):
		return general
	case name == "host" || name == "match" || strings.HasPrefix(name, "canonical"):
		return particular
	case strings.Contains(rest, "%") && !slices.Contains(unexpanded, name):
		return particular
	}
	return general
}

func tokensIn(options []string) bool {
	return slices.ContainsFunc(options, func(option string) bool { return strings.Contains(option, "%") })
}
