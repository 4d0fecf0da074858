package topology

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/lists"
)

// Machine identifies the machine that answers under a name. Two machines are the same if both parts
// are equal and known: containers of one kernel share the boot, and copies of one image share the ID.
type Machine struct {
	ID   string // a machine-id, or the MachineGuid of Windows; empty if it has none
	Boot string // of the current boot; empty if it is not known
}

// recordedAs returns the machine-id that the record is to have for a name: the one that it answers
// with, or the recorded one if it does not answer. An id that several machines have identifies none
// of them, and is not recorded.
func (x Existing) recordedAs(name string) string {
	m := x.machines[name]
	if m.ID == "" {
		return x.known[name]
	}
	for other, o := range x.machines {
		if other != name && o.ID == m.ID {
			return ""
		}
	}
	return m.ID
}

// impostors reports names that lead to one machine, machines that are not the recorded ones, and
// machine-ids that several machines have.
// Of a machine that may rejoins, another one is expected.
func (x Existing) impostors(c Cluster, rejoins func(name string) bool) (diags diag.List) {
	byID := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(x.machines)) {
		id := x.machines[name].ID
		if id == "" {
			continue
		}
		byID[id] = append(byID[id], name)
		if x.exchanged(name) && !rejoins(name) {
			diags = append(diags, x.different(c, name))
		}
		if was := x.renamed(name); was != "" {
			diags = append(diags, x.underAnotherName(c, name, was))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		diags = append(diags, x.sharing(c, id, byID[id])...)
	}
	return diags
}

// exchanged reports whether a machine has answered that is not the recorded one of that name.
func (x Existing) exchanged(name string) bool {
	known, id := x.known[name], x.machines[name].ID
	return known != "" && id != "" && known != id
}

// Meet adds a machine that is a node, and no hypervisor of the run.
func (x Existing) Meet(name string, m Machine) { x.machines[name] = m }

// rejoins reports whether the node of a machine joins again, even if the machine was replaced: by
// itself, or because its cluster is restored.
func (in Input) rejoins(name string) bool {
	return in.Existing.node(name).Name != "" && (slices.Contains(in.Leave.Nodes, name) || in.Restore.ID != "")
}

// sharing reports what is wrong with names whose machines have the same machine-id.
func (x Existing) sharing(c Cluster, id string, names []string) (diags diag.List) {
	byBoot := map[string][]string{}
	var apart []string // a name for each machine
	for _, name := range names {
		boot := x.machines[name].Boot
		if boot == "" || len(byBoot[boot]) == 0 {
			apart = append(apart, name)
		}
		byBoot[boot] = append(byBoot[boot], name)
	}
	delete(byBoot, "")
	for _, boot := range slices.Sorted(maps.Keys(byBoot)) {
		if same := byBoot[boot]; len(same) > 1 {
			diags = append(diags, x.twice(c, id, same))
		}
	}
	if len(apart) > 1 {
		diags = append(diags, diag.Diagnostic{Warning: true, Summary: "Machine-id not unique", Subject: &c.Range,
			Detail: fmt.Sprintf("The machines %s have the same machine-id, %s, as copies of one disk image do. kinit cannot tell whether such a machine was exchanged. Give all but one a machine-id of their own: remove /etc/machine-id and /var/lib/dbus/machine-id, run systemd-machine-id-setup and restart the machine; on Windows, run sysprep /generalize.",
				both(apart), id)})
	}
	return diags
}

// twice is the error for several names of one machine.
func (x Existing) twice(c Cluster, id string, names []string) diag.Diagnostic {
	advice := "Keep one of the names, in --hosts and in the pools"
	kept := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !x.recorded(name) })
	var placed []string // names under which the cluster has something; several, if a run recorded them while the host was down
	for name := range x.Contents() {
		if slices.Contains(kept, name) {
			placed = append(placed, name)
		}
	}
	if len(placed) > 0 {
		slices.SortFunc(placed, func(a, b string) int { return x.rank(a) - x.rank(b) })
		kept = placed[:1]
	}
	if len(kept) == 1 {
		rest := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == kept[0] })
		advice = fmt.Sprintf("The cluster knows it as %s: leave out %s, in --hosts and in the pools", kept[0], both(rest))
		if len(placed) > 1 {
			advice += fmt.Sprintf(", and give --lost %s, as the record has nodes there too", strings.Join(rest, ","))
		}
	}
	return diag.Diagnostic{Summary: "Same machine twice", Subject: &c.Range, Cause: ErrExisting,
		Detail: fmt.Sprintf("The names %s lead to the same machine: the machine-id, %s, and the boot are the same. Nothing was changed. %s. If they are containers with a copied /etc/machine-id, give each one its own.", both(names), id, advice)}
}

// rank is a hypervisor's place in the record; the first one keeps the cluster's keys.
func (x Existing) rank(name string) int {
	return slices.IndexFunc(x.record.Hypervisors, func(p Place) bool { return p.Name == name })
}

// different is the error for a machine that is not the recorded one.
func (x Existing) different(c Cluster, name string) diag.Diagnostic {
	at := ""
	if x.at[name] != "" {
		at = " at " + x.at[name]
	}
	text := fmt.Sprintf("The machine that answers as %s%s has the machine-id %s, and the cluster %q has recorded %s. Nothing was changed. ", name, at, x.machines[name].ID, c.Name, x.known[name])
	if other := x.knownAs(x.machines[name].ID); other != "" {
		text += fmt.Sprintf("That is the machine which the record has as %s: correct the address and port of %s in the inventory.", other, name)
		return diag.Diagnostic{Summary: "Different machine", Subject: &c.Range, Cause: ErrExisting, Detail: text}
	}
	if other := x.answersAs(x.known[name], name); other != "" {
		text += fmt.Sprintf("The recorded machine answers as %s: correct the addresses and ports of %s and %s in the inventory.", other, name, other)
		return diag.Diagnostic{Summary: "Different machine", Subject: &c.Range, Cause: ErrExisting, Detail: text}
	}
	if twins := x.twins[name]; len(twins) > 0 {
		text += fmt.Sprintf("The inventory has %s at the same address and port: correct those of %s. ", both(twins), name)
	} else {
		text += fmt.Sprintf("The address or port of %s in the inventory may lead to another machine: correct it then. ", name)
	}
	switch {
	case x.records[name] != nil:
		return diag.Diagnostic{Summary: "Different machine", Subject: &c.Range, Cause: ErrExisting,
			Detail: text + "This machine has the record of the cluster, so it was not reinstalled: if its machine-id was changed, write the recorded one back into /etc/machine-id."}
	case x.node(name).Name != "":
		text += fmt.Sprintf("Only if %s was reinstalled, use 'kinit replace SPEC %s': its node leaves the cluster and joins again.", name, name)
	default:
		text += fmt.Sprintf("Only if %s was reinstalled, give --lost %s: its nodes are recreated on other hosts, and later runs without --lost use it as a new hypervisor.", name, name)
	}
	return diag.Diagnostic{Summary: "Different machine", Subject: &c.Range, Cause: ErrExisting, Detail: text}
}

// answersAs returns the other name under which a machine answers, or "".
func (x Existing) answersAs(id, name string) string {
	for _, other := range slices.Sorted(maps.Keys(x.machines)) {
		if other != name && x.machines[other].ID == id {
			return other
		}
	}
	return ""
}

// renamed returns the name under which the record has the machine that answers as another one and
// still has the record, or "". If the recorded name answers too, the two are compared directly.
func (x Existing) renamed(name string) string {
	was := x.knownAs(x.machines[name].ID)
	if _, answers := x.machines[was]; was == name || answers || x.records[name] == nil || x.known[name] != "" {
		return ""
	}
	return was
}

// underAnotherName is the error for a machine that the record has under another name. What it has
// would be given up as that of a host that is missing.
func (x Existing) underAnotherName(c Cluster, name, was string) diag.Diagnostic {
	return diag.Diagnostic{Summary: "Machine has another name", Subject: &c.Range, Cause: ErrExisting,
		Detail: fmt.Sprintf("The machine that answers as %s is the one that the cluster %q knows as %s: it has the recorded machine-id, %s, and the record of the cluster. Nothing was changed. Name it %s in the inventory and in --hosts.",
			name, c.Name, was, x.machines[name].ID, was)}
}

// Returned reports hosts that are given as lost and answer. One that answers with another machine-id
// than the recorded one, and has nothing of the cluster, was reinstalled: what it had is lost. Without an identity in the record,
// a host that has the record or a node of the cluster is the one that was there; a second name of a
// recorded machine may be given up if no node exists under it.
func (x Existing) Returned(c Cluster, answers []Answer) (diags diag.List) {
	for _, a := range answers {
		if a.Silent {
			continue
		}
		if a.Foreign {
			a.Record, a.Nodes = nil, nil
		}
		known := x.known[a.Host]
		if known == "" && a.Record != nil {
			known = find(a.Record.Hypervisors, a.Host).Machine
		}
		compared := known != "" && a.Machine.ID != ""
		if other := x.other(a); compared && known != a.Machine.ID && other != "" {
			diags = append(diags, diag.Diagnostic{Summary: "Host is not lost", Subject: &c.Range, Host: a.Host, Cause: ErrExisting,
				Detail: fmt.Sprintf("--lost names %s, and the machine that answers as %s at %s is %s. Nothing was changed. Correct the address and port of %s in the inventory. If %s does not come back, give --lost when its name leads to no other machine.", a.Host, a.Host, a.At, other, a.Host, a.Host)})
			continue
		}
		why := "it has the machine-id that is recorded"
		switch {
		case compared && known != a.Machine.ID && a.Record == nil && len(a.Nodes) == 0:
			continue // it was reinstalled
		case compared && known != a.Machine.ID:
			diags = append(diags, x.keepsItsNodes(c, a, known))
			continue
		case !compared && x.isSecondName(a):
			continue
		case !compared && a.Record != nil:
			why = "it has the record of the cluster"
		case !compared && len(a.Nodes) > 0:
			why = "it has nodes of the cluster: " + strings.Join(slices.Sorted(maps.Keys(a.Nodes)), ", ")
		case !compared:
			continue
		}
		diags = append(diags, diag.Diagnostic{Summary: "Host is not lost", Subject: &c.Range, Host: a.Host, Cause: ErrExisting,
			Detail: fmt.Sprintf("--lost names %s, but that host answers, and %s. Its nodes would run twice. Nothing was changed. To take its nodes away, use 'kinit evacuate SPEC %s'. To give the host up, switch it off, and then give --lost %s.", a.Host, why, a.Host, a.Host)})
	}
	return diags
}

// keepsItsNodes is the error for a host that has another machine-id than the recorded one, and still has what the
// cluster has there: it was not reinstalled.
func (x Existing) keepsItsNodes(c Cluster, a Answer, known string) diag.Diagnostic {
	has := "the record of the cluster"
	if len(a.Nodes) > 0 {
		has = "nodes of the cluster: " + strings.Join(slices.Sorted(maps.Keys(a.Nodes)), ", ")
	}
	return diag.Diagnostic{Summary: "Host is not lost", Subject: &c.Range, Host: a.Host, Cause: ErrExisting,
		Detail: fmt.Sprintf("--lost names %s. That host answers with the machine-id %s, and the cluster %q has recorded %s; but it was not reinstalled, since it has %s. Its nodes would run twice. Nothing was changed. To keep them, write the recorded machine-id back into /etc/machine-id, and leave --lost out. To give the host up with its data, switch it off, and then give --lost %s.",
			a.Host, a.Machine.ID, c.Name, known, has, a.Host)}
}

// other returns the other name by which the record or the inventory has the machine that answers, or "".
func (x Existing) other(a Answer) string {
	if other := x.knownAs(a.Machine.ID); other != "" && other != a.Host {
		return other + " of the cluster"
	}
	if len(a.Twins) > 0 {
		return both(a.Twins) + " by the inventory, which has the same address and port for it"
	}
	return ""
}

// isSecondName reports whether the machine that answers is recorded under another name, and has no node
// that is recorded under this one: a run that has both names while the machine is down records both.
func (x Existing) isSecondName(a Answer) bool {
	for node := range a.Nodes {
		if x.node(node).Hypervisor == a.Host {
			return false
		}
	}
	other := x.knownAs(a.Machine.ID)
	return other != "" && other != a.Host
}

// knownAs returns the only name that the record has for a machine-id, or "".
func (x Existing) knownAs(id string) string {
	found := ""
	for name, known := range x.known {
		if known == id && id != "" {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// recorded reports whether the record has a hypervisor or a machine of that name.
func (x Existing) recorded(name string) bool {
	return x.hypervisor(name).Name != "" || x.node(name).Name != ""
}

// identified returns the machine-ids of a record by the names of machines.
func (r Record) identified() map[string]string {
	known := map[string]string{}
	for _, p := range slices.Concat(r.Lost, r.Hypervisors, r.Nodes) {
		if p.Machine != "" {
			known[p.Name] = p.Machine
		}
	}
	return known
}

// both joins names, in quotes, with commas and "and".
func both(names []string) string {
	return lists.And(lists.Map(names, strconv.Quote))
}
