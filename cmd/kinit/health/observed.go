// Package health turns what the engine has read of a cluster into what `kinit status` and
// `kinit certs` show: its hosts, nodes, etcd, services and certificates, and what is not as it
// should be.
package health

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The outputs of playbooks that are shown. A playbook may have any of them.
const (
	placesOutput       = "health_places"
	servicesOutput     = "health_services"
	nodesOutput        = "health_nodes"
	etcdOutput         = "health_etcd"
	databasesOutput    = "health_databases"
	ownCertificates    = "health_certificates"
	nodesCertificates  = "health_node_certificates"
	renewedByRun       = "kinit run"
	renewedByCerts     = "kinit certs --renew"
	renewedByKubelet   = "kubelet"
	notRenewed         = "not renewed"
	kubeletClientFile  = "kubelet-client-current.pem"
	kubeletServingFile = "/kubelet.crt"
)

// Outputs are the names of all outputs that a status reads.
func Outputs() []string {
	return append(CertificateOutputs(), servicesOutput, nodesOutput, etcdOutput, databasesOutput)
}

// CertificateOutputs are the names of the outputs that list certificates.
func CertificateOutputs() []string {
	return []string{placesOutput, ownCertificates, nodesCertificates}
}

// places is where the parts of a cluster are declared to be.
type places struct {
	Cluster     string            `json:"cluster"`
	Hypervisors []string          `json:"hypervisors"`
	Services    []string          `json:"services"`   // their hypervisors
	Containers  map[string]string `json:"containers"` // of services, by service
	Nodes       []struct {
		Name       string `json:"name"`
		Pool       string `json:"pool"`
		Hypervisor string `json:"hypervisor"`
		Address    string `json:"address"`
	} `json:"nodes"`
}

// control is what the API server says.
type control struct {
	Version string     `json:"version"` // as the spec declares it
	Lines   [][]string `json:"lines"`
}

// read decodes an output. One that the playbook does not have leaves to as it is.
func read(observed map[string]string, name string, to any) error {
	text := observed[name]
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		return fmt.Errorf("read the output %q of the playbook: %w", name, err)
	}
	return nil
}

// Certificates returns the certificates of all hosts, those that end first at the beginning.
func Certificates(observed map[string]string, now time.Time) ([]Certificate, error) {
	all := []Certificate{}
	for _, output := range []string{ownCertificates, nodesCertificates} {
		var byHost map[string][]Certificate // without what differs from look to look
		if err := read(observed, output, &byHost); err != nil {
			return nil, err
		}
		for host, list := range byHost {
			for _, c := range list {
				c.Host, c.DaysLeft, c.Ended = host, int(c.NotAfter.Sub(now).Hours())/24, !now.Before(c.NotAfter)
				c.RenewedBy = renewedBy(output, c)
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b Certificate) int {
		return cmp.Or(a.NotAfter.Compare(b.NotAfter), strings.Compare(a.Host+" "+a.Path, b.Host+" "+b.Path))
	})
	return all, nil
}

// Matters reports whether clients verify the certificate. They do not verify the serving certificate
// of a kubelet, which it creates by itself.
func (c Certificate) Matters() bool { return !strings.HasSuffix(c.Path, kubeletServingFile) }

func renewedBy(output string, c Certificate) string {
	switch {
	case c.Authority || strings.HasSuffix(c.Path, kubeletServingFile):
		return notRenewed
	case output == ownCertificates:
		return renewedByRun
	case strings.HasSuffix(c.Path, kubeletClientFile):
		return renewedByKubelet
	}
	return renewedByCerts
}

// services returns the services on each hypervisor in the order of their names.
func services(observed map[string]string, p places) ([]Service, error) {
	var found map[string][][]string // name, status and image, as podman lists them
	if err := read(observed, servicesOutput, &found); err != nil {
		return nil, err
	}
	all := []Service{}
	for _, hypervisor := range p.Services {
		for _, name := range slices.Sorted(maps.Keys(p.Containers)) {
			s := Service{Name: name, Hypervisor: hypervisor, State: Unknown}
			if list, read := found[hypervisor]; read {
				s.State = Absent
				for _, c := range list {
					if len(c) == 3 && c[0] == p.Containers[name] {
						s.State, s.Image = state(c[1]), c[2]
					}
				}
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// said returns what the API server said on the first hypervisor of services that it answered, or else
// what was said on any.
func said(on map[string]control, p places) (best control, host string) {
	for _, hypervisor := range p.Services {
		api, read := on[hypervisor]
		if !read {
			continue
		}
		if host == "" {
			best, host = api, hypervisor
		}
		if len(api.Lines) > 0 && !slices.ContainsFunc(api.Lines, func(line []string) bool { return len(line) > 0 && line[0] == "error" }) {
			return api, hypervisor
		}
	}
	return best, host
}

// state is the health of a container that is up, or else its state: "Up 4 minutes ago (healthy)" is
// healthy, and "Exited (0) 3 seconds ago" exited.
func state(status string) string {
	word, rest, _ := strings.Cut(status, " ")
	if word != "Up" {
		return strings.ToLower(word)
	}
	for _, health := range []string{Unhealthy, Healthy, Starting} {
		if strings.Contains(rest, "("+health+")") {
			return health
		}
	}
	return Running
}

// databases returns the state of OVN's databases on each hypervisor, by its name. There is none of databases that are on
// one hypervisor alone: if that one is away, tasks say so.
func databases(observed map[string]string) ([]Database, error) {
	var found map[string]struct {
		Northbound string `json:"northbound"` // the id of the server in the file; empty without one
		Southbound string `json:"southbound"`
		Led        bool   `json:"led"`
	}
	if err := read(observed, databasesOutput, &found); err != nil {
		return nil, err
	}
	var all []Database
	for _, host := range slices.Sorted(maps.Keys(found)) {
		d := Database{Hypervisor: host, State: Healthy}
		switch on := found[host]; {
		case on.Northbound == "" || on.Southbound == "":
			d.State = Absent
		case !on.Led:
			d.State = Unhealthy
		}
		all = append(all, d)
	}
	return all, nil
}

func members(observed map[string]string, p places) ([]Member, error) {
	if observed[etcdOutput] == "" {
		return nil, nil
	}
	var found map[string]map[string]string
	if err := read(observed, etcdOutput, &found); err != nil {
		return nil, err
	}
	var all []Member
	for _, n := range p.Nodes {
		if n.Pool != controllerPool {
			continue
		}
		m, read := found[n.Name]
		all = append(all, member(n.Name, m, read))
	}
	return all, nil
}

func member(node string, said map[string]string, read bool) Member {
	m := Member{Node: node, ID: said["id"], Version: said["version"], Leader: said["leader"] == "1", Learner: said["learner"] == "1"}
	if size, err := strconv.ParseFloat(said["bytes"], 64); err == nil {
		m.Bytes = int64(size)
	}
	for key, value := range said {
		if id, is := strings.CutPrefix(key, "peer-"); is && value != "0" {
			m.Peers = append(m.Peers, id)
		}
	}
	slices.Sort(m.Peers)
	switch {
	case !read:
		m.State = Unknown
	case said["health"] == "true":
		m.State = Healthy
	case said["health"] == "":
		m.State = Silent
	default:
		m.State = Unhealthy
	}
	return m
}
