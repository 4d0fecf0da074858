package health

import (
	"fmt"
	"slices"
	"strings"

	"kinit/engine"
	"kinit/engine/event"
)

// Repairs are the command lines that repair what differs.
type Repairs struct {
	Run   string                   // deploys the spec
	Renew string                   // renews the certificates of Kubernetes
	Lost  func(host string) string // deploys the spec without a host that does not come back
	Log   func(node string) string // shows the kubelet's log of a node
}

// SoonDays is how many days before its end a certificate that no run renews counts as a difference.
const SoonDays = 30

// judge lists what is not as it should be.
func judge(from engine.Status, s Status, p places, r Repairs) []Difference {
	var all []Difference
	all = append(all, silent(s, r)...)
	for _, d := range from.Differences {
		detail := []string{"it cannot be read: " + d.Message}
		switch {
		case d.Message != "":
		case d.Pending && len(d.Steps) == 0:
			detail = []string{"its changes are known only after other tasks"}
		case len(d.Steps) == 0:
			detail = []string{"it changes something, as its changed_when says"}
		default:
			detail = nil
			for _, step := range d.Steps {
				detail = append(detail, event.FirstLine(step))
			}
		}
		all = append(all, Difference{Broken: d.Message != "", Kind: "task", Name: d.Task, Host: d.Host, Detail: detail, Place: fmt.Sprintf("%s:%d", d.Range.Filename, d.Range.Start.Line), Repair: r.Run})
	}
	all = append(all, nodes(s, p, r)...)
	for _, m := range s.Etcd {
		if m.State == Unhealthy || m.State == Silent && s.member() {
			all = append(all, Difference{Broken: true, Kind: "etcd", Name: m.Node, Host: m.Node, Detail: []string{"the member of etcd is " + m.State}, Repair: r.Log(m.Node)})
		}
	}
	for _, d := range s.Databases {
		if d.State == Unhealthy { // one that is absent is a task's difference
			all = append(all, Difference{Broken: true, Kind: "databases", Name: "of OVN", Host: d.Hypervisor, Detail: []string{"the member on this hypervisor has no leader: more than half of the members have to answer"}, Repair: r.Run})
		}
	}
	for _, c := range s.Services {
		if !slices.Contains([]string{Healthy, Starting, Running, Absent, Unknown}, c.State) {
			all = append(all, Difference{Broken: true, Kind: "service", Name: c.Name, Host: c.Hypervisor, Detail: []string{"the service is " + c.State}, Repair: r.Run})
		}
	}
	return append(all, ending(s.Certificates, r)...)
}

// silent lists the hosts that do not answer. A hypervisor stands with its nodes.
func silent(s Status, r Repairs) (all []Difference) {
	is, behind := map[string]bool{}, map[string][]string{}
	for _, h := range s.Hosts {
		is[h.Name] = !h.Answers && h.Message != notThere
	}
	for _, h := range s.Hosts {
		if h.Node != nil && is[h.Node.Hypervisor] {
			behind[h.Node.Hypervisor] = append(behind[h.Node.Hypervisor], h.Name)
		}
	}
	for _, h := range s.Hosts {
		if !is[h.Name] || h.Node != nil && is[h.Node.Hypervisor] {
			continue
		}
		d := Difference{Broken: true, Kind: "host", Name: h.Name, Host: h.Name, Detail: []string{h.Message}, Repair: r.Run}
		if nodes := behind[h.Name]; len(nodes) > 0 {
			d.Detail = append(d.Detail, "on it are "+strings.Join(nodes, ", "))
			d.Repair = r.Lost(h.Name)
		}
		all = append(all, d)
	}
	return all
}

// notThere is the engine's message about a host that a run still makes.
const notThere = "not there yet"

// member reports whether any member of etcd answers: without one, there is no cluster yet or tasks
// say what is wrong.
func (s Status) member() bool {
	for _, m := range s.Etcd {
		if m.State == Healthy || m.State == Unhealthy {
			return true
		}
	}
	return s.apiError != ""
}

// nodes judges what the API server says of nodes and of the control plane.
func nodes(s Status, p places, r Repairs) (all []Difference) {
	if s.apiError != "" {
		return []Difference{{Broken: true, Kind: "api", Name: s.Cluster, Host: s.apiHost, Detail: []string{"the API server does not answer as it should: " + s.apiError}, Repair: r.Run}}
	}
	known := false
	for _, h := range s.Hosts {
		known = known || h.Node != nil && h.Node.Known
	}
	for _, h := range s.Hosts {
		if h.Node == nil || !known {
			continue
		}
		if detail := node(*h.Node, s.Version); len(detail) > 0 {
			all = append(all, Difference{Broken: h.Node.Known && !h.Node.Ready, Kind: "node", Name: h.Name, Host: h.Name, Detail: detail, Repair: repairNode(*h.Node, h.Name, r)})
		}
	}
	for _, c := range s.Components {
		if !c.Ready {
			all = append(all, Difference{Broken: true, Kind: "component", Name: c.Pod, Host: c.Node, Detail: []string{"it is not ready"}, Repair: r.Log(c.Node)})
		}
	}
	return all
}

func node(n Node, version string) (detail []string) {
	if !n.Known {
		return []string{"the cluster does not have it"}
	}
	if !n.Ready {
		detail = append(detail, "it is not Ready: "+n.Reason)
	}
	if n.Unschedulable {
		detail = append(detail, "it is cordoned: it takes no new pods")
	}
	if version != "" && n.Version != version && !strings.HasPrefix(n.Version, version+"-") && !strings.HasPrefix(n.Version, version+"+") {
		detail = append(detail, fmt.Sprintf("its kubelet has version %s, and %s is declared", n.Version, version))
	}
	return detail
}

func repairNode(n Node, name string, r Repairs) string {
	if n.Known && !n.Ready {
		return r.Log(name)
	}
	return r.Run
}

// ending lists the certificates that have ended, or end soon and are not renewed in time.
func ending(list []Certificate, r Repairs) (all []Difference) {
	for _, c := range list {
		if !c.Matters() || c.DaysLeft >= SoonDays && !c.Ended || c.RenewedBy == renewedByKubelet && !c.Ended {
			continue
		}
		text := fmt.Sprintf("it ends in %d days, on %s", c.DaysLeft, c.NotAfter.UTC().Format("2006-01-02"))
		if c.Ended {
			text = "it has ended on " + c.NotAfter.UTC().Format("2006-01-02")
		}
		d := Difference{Broken: true, Kind: "certificate", Name: c.Path, Host: c.Host, Detail: []string{text + ": " + c.Subject}, Repair: r.Run}
		if c.RenewedBy == renewedByCerts {
			d.Repair = r.Renew
		}
		all = append(all, d)
	}
	return all
}
