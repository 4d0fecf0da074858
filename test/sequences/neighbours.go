package sequences

import (
	"fmt"
	"slices"
	"strings"
)

// clusters are those of the sequences' specs, and the second one that a refusal proposes.
var clusters = []string{"shop", "store", "shop-2"}

// neighbours looks for lines in shared files of a cluster that the command was not about.
func (w *world) neighbours(c Command, h *Host, now map[string]entry) *Violation {
	for _, cluster := range clusters {
		lines := linesOf(cluster, now)
		before, known := w.lines[h.Name+"/"+cluster]
		w.lines[h.Name+"/"+cluster] = lines
		about := c.Cluster() == cluster || c.With != nil && c.With.Cluster() == cluster
		if known && !about && lines != before {
			return &Violation{Rule: "foreign", Text: fmt.Sprintf("a command on the cluster %s changes the lines of the cluster %s on %s: %q are %q", c.Cluster(), cluster, h.Name, before, lines)}
		}
	}
	return nil
}

// cleaned looks for lines in shared files of a cluster that was cleaned up.
func (w *world) cleaned(c Command, r Result) *Violation {
	if c.StopAfter != "cleanup" || r.Code != 0 || c.Limit != "" || c.Fault != "" || c.With != nil || c.Verb != "run" {
		return nil
	}
	for _, name := range c.Hosts {
		h := w.host(name)
		if lines := w.lines[h.Name+"/"+c.Cluster()]; lines != "" && h.Up {
			return &Violation{Rule: "left", Text: fmt.Sprintf("clean-up leaves lines of the cluster %s on %s: %q", c.Cluster(), h.Name, lines)}
		}
	}
	return nil
}

// linesOf returns what a cluster has in shared files.
func linesOf(cluster string, now map[string]entry) string {
	var all strings.Builder
	for _, path := range shared[:2] { // accounts are handed over to the other cluster, as it may use them
		for line := range strings.Lines(now[path].content) {
			words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,:\n", r) })
			if slices.ContainsFunc(words, func(word string) bool { return word == cluster || word == cluster+"-services" }) {
				all.WriteString(line)
			}
		}
	}
	return all.String()
}
