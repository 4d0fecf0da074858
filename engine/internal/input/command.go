package input

import (
	"maps"
	"slices"
	"strings"

	"kinit/engine/shell"
)

// Command returns the command of a run with the same inputs and one more option. A long one has several lines.
func Command(i Inputs, option string) string {
	words := []string{"kinit run " + shell.POSIX(i.Spec)}
	add := func(flag string, values ...string) {
		for _, value := range values {
			words = append(words, flag+" "+shell.POSIX(value))
		}
	}
	pair := func(flag, name, value string) {
		words = append(words, flag+" "+shell.POSIX(name)+"="+shell.POSIX(value))
	}
	if len(i.Hosts) > 0 {
		add("--hosts", strings.Join(i.Hosts, ","))
	}
	if !slices.ContainsFunc(i.Inventories, func(file string) bool { return slices.Contains(i.Reserved, file) }) {
		add("-i", i.Inventories...)
	}
	if i.Restore.ID == "" { // a restore has variables of its own
		for _, name := range slices.Sorted(maps.Keys(i.Vars)) {
			pair("--var", name, i.Vars[name])
		}
	}
	add("--var-file", i.VarFiles...)
	for _, setting := range i.Set {
		if name, value, _ := strings.Cut(setting, "="); name != "cluster.name" || option == "--recreate" {
			pair("--set", name, value)
		}
	}
	if i.StopAfter != "" {
		add("--stop-after", i.StopAfter)
	}
	return folded(append(words, option))
}

// commandWidth is how many columns a command may take in an error before it is folded.
const commandWidth = 76

// folded joins the words of a command, in lines that a shell takes as one.
func folded(words []string) string {
	const indent = "    "
	lines := []string{indent + words[0]}
	for _, word := range words[1:] {
		last := &lines[len(lines)-1]
		if len(*last)+1+len(word)+len(` \`) > commandWidth {
			*last += ` \`
			lines = append(lines, indent+indent+word)
			continue
		}
		*last += " " + word
	}
	return strings.Join(lines, "\n")
}
