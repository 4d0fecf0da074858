package sshconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names are the patterns of the lines of a configuration that are about hosts, line by line.
type Names [][]string

// NamesIn returns the names that ~/.ssh/config of a home folder, and the files that it includes, have something to say
// about: those of Host lines, and of Match lines by host or originalhost, without patterns that every name matches. Files
// that cannot be read are skipped.
func NamesIn(home string) Names {
	own := filepath.Join(home, ".ssh")
	return mentioned(identity{home: home}, configFile{path: filepath.Join(own, "config"), folder: own}, 0)
}

// Mention reports whether a line is about a name.
func (n Names) Mention(name string) bool {
	return slices.ContainsFunc(n, func(patterns []string) bool {
		return anyMatches(name, patterns) || anyMatches(lower(name), patterns)
	})
}

// Plain lists the names without the patterns.
func (n Names) Plain() []string {
	return slices.DeleteFunc(slices.Concat(n...), func(name string) bool { return strings.ContainsAny(name, "*?!") })
}

// mentioned collects the patterns of each line that is about hosts, without those that every name matches.
func mentioned(u identity, f configFile, depth int) (lists Names) {
	text, err := os.ReadFile(f.path)
	if err != nil || depth > includeDepth {
		return nil
	}
	add := func(patterns []string) {
		lists = append(lists, slices.DeleteFunc(patterns, func(p string) bool { return strings.Trim(p, "*?") == "" }))
	}
	for line := range strings.Lines(string(text)) {
		name, rest := splitKeyword(line)
		args, _ := words(rest)
		switch name {
		case "host":
			add(args)
		case "match":
			all, _ := criteria(rest)
			for _, c := range all {
				if !c.negated && (c.name == "host" || c.name == "originalhost") {
					add(strings.Split(lower(c.value), ","))
				}
			}
		case "include":
			for _, arg := range args {
				files, _ := f.included(u, arg) // connecting gives the error
				for _, file := range files {
					lists = append(lists, mentioned(u, file, depth+1)...)
				}
			}
		}
	}
	return lists
}
