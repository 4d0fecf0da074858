package health

import (
	"fmt"
	"slices"
	"strings"

	"kinit/cmd/kinit/view"
	"kinit/engine/lists"
)

// shown is how many differences fit on one screen beside the rest.
const shown = 8

// Lines returns a status as text that fits on one screen of 100 columns and 30 lines for a small cluster.
func (s Status) Lines() []string {
	var lines []string
	if s.Cluster != "" {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("Cluster %s  %s  %s", safe(s.Cluster), safe(s.Version), s.verdict())))
	}
	lines = append(lines, s.hosts()...)
	lines = append(lines, s.parts()...)
	return append(lines, s.differing()...)
}

func (s Status) verdict() string {
	if s.AsDeclared {
		return "as declared"
	}
	return fmt.Sprintf("%d not as declared", len(s.Differences))
}

// hosts is a table of the hosts, with what nodes are.
func (s Status) hosts() []string {
	if len(s.Hosts) == 0 {
		return nil
	}
	etcd := map[string]string{}
	for _, m := range s.Etcd {
		etcd[m.Node] = m.text()
	}
	rows := [][]string{{"HOST", "STATUS"}}
	clustered := slices.ContainsFunc(s.Hosts, func(h Host) bool { return h.Node != nil })
	if clustered {
		rows[0] = append(rows[0], "POOL", "ON", "NODE", "VERSION", "ETCD")
	}
	for _, h := range s.Hosts {
		row := []string{h.Name, cut(h.Message, 40)}
		if n := h.Node; n != nil {
			row = append(row, n.Pool, n.Hypervisor, n.state(), n.Version, etcd[h.Name])
		}
		rows = append(rows, row)
	}
	return table(rows)
}

func (n Node) state() string {
	switch {
	case !n.Known:
		return "-"
	case !n.Ready:
		return "NotReady"
	case n.Unschedulable:
		return "cordoned"
	}
	return "Ready"
}

func (m Member) text() string {
	text := m.State
	if m.Leader {
		text += ", leader"
	}
	if m.Version != "" {
		text += ", " + m.Version
	}
	if m.Bytes > 0 {
		text += fmt.Sprintf(", %d MiB", (m.Bytes+1<<20-1)>>20)
	}
	return text
}

// parts is a line each for services, the control plane, runtimes, certificates and tasks.
func (s Status) parts() []string {
	var lines []string
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, fmt.Sprintf("%-13s %s", name, safe(text)))
		}
	}
	var services []string
	for i, c := range s.Services {
		services = append(services, c.Name+" "+c.State)
		if i+1 == len(s.Services) || s.Services[i+1].Hypervisor != c.Hypervisor {
			add("services", strings.Join(services, ", ")+" on "+c.Hypervisor)
			services = nil
		}
	}
	databases := lists.Map(s.Databases, func(d Database) string { return d.Hypervisor + " " + d.State })
	add("OVN", strings.Join(databases, ", "))
	add("control plane", s.components())
	add("nodes run", s.runtimes())
	add("certificates", s.ends())
	inPlace, toDo, failed := 0, 0, 0
	for _, stage := range s.Stages {
		inPlace, toDo, failed = inPlace+stage.InPlace, toDo+stage.ToDo, failed+stage.Failed
	}
	if len(s.Stages) > 0 {
		add("tasks", fmt.Sprintf("%d in place, %d to do, %d failed", inPlace, toDo, failed))
	}
	if len(lines) > 0 {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// components counts the containers of the control plane by image.
func (s Status) components() string {
	ready := 0
	var images []string
	for _, c := range s.Components {
		if c.Ready {
			ready++
		}
		if name := c.Image[strings.LastIndex(c.Image, "/")+1:]; !slices.Contains(images, name) {
			images = append(images, name)
		}
	}
	if len(s.Components) == 0 {
		return ""
	}
	slices.Sort(images)
	return fmt.Sprintf("%d of %d ready: %s", ready, len(s.Components), cut(strings.Join(images, ", "), 130))
}

func (s Status) runtimes() string {
	var all []string
	for _, h := range s.Hosts {
		if h.Node != nil && h.Node.Known {
			if text := h.Node.Runtime + " on " + h.Node.System; !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return strings.Join(all, "; ")
}

// ends says which certificate ends first, without those that renew themselves.
func (s Status) ends() string {
	for _, c := range s.Certificates {
		if c.Matters() && (c.RenewedBy != renewedByKubelet || c.Ended) {
			return fmt.Sprintf("%d, the first ends in %d days: %s on %s", len(s.Certificates), c.DaysLeft, c.Path, c.Host)
		}
	}
	return ""
}

// differing lists what differs, and the commands that repair it.
func (s Status) differing() []string {
	if len(s.Differences) == 0 {
		return nil
	}
	lines := []string{"", "NOT AS DECLARED"}
	var repairs []string
	for i, d := range s.Differences {
		if d.Repair != "" && !slices.Contains(repairs, d.Repair) {
			repairs = append(repairs, d.Repair)
		}
		if i >= shown {
			continue
		}
		at := ""
		if d.Host != "" && d.Host != d.Name {
			at = " on " + d.Host
		}
		more := ""
		if n := len(d.Detail); n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		what := d.Kind + " " + d.Name
		if d.Kind == "task" {
			what = d.Name // such as task.copy.motd
		}
		lines = append(lines, cut(safe(fmt.Sprintf("  %s%s: %s", what, at, d.Detail[0])), 96)+more)
	}
	if more := len(s.Differences) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more: --output json lists all", more))
	}
	if len(repairs) == 0 {
		return lines
	}
	lines = append(lines, "", "REPAIR")
	for _, command := range repairs[:min(len(repairs), 3)] {
		lines = append(lines, "  "+command)
	}
	return lines
}

// CertificateLines returns certificates as a table.
func CertificateLines(list []Certificate) []string {
	rows := [][]string{{"HOST", "FILE", "SUBJECT", "ENDS", "DAYS", "RENEWED BY"}}
	for _, c := range list {
		days := fmt.Sprint(c.DaysLeft)
		if c.Ended {
			days = "ended"
		}
		rows = append(rows, []string{c.Host, c.Path, c.Subject, c.NotAfter.UTC().Format("2006-01-02"), days, c.RenewedBy})
	}
	return table(rows)
}

// table aligns columns of texts that hosts sent.
func table(rows [][]string) []string {
	return view.Table(lists.Map(rows, func(row []string) []string { return lists.Map(row, safe) }))
}

// safe makes one line of a text that hosts sent, which cannot move the cursor or change colours.
func safe(text string) string { return strings.ReplaceAll(view.Clean(text), "\n", " ") }

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}
