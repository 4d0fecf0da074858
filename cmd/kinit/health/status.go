package health

import (
	"slices"
	"time"

	"kinit/engine"
)

// The states of services and members of etcd.
const (
	Healthy   = "healthy"
	Unhealthy = "unhealthy"
	Starting  = "starting"
	Running   = "running" // without a health check
	Silent    = "silent"  // it does not answer
	Absent    = "absent"  // it is not there
	Unknown   = "unknown" // its host does not answer
)

// controllerPool is the pool with the control plane.
const controllerPool = "controller"

// Status is the state of a spec, as `kinit status --output json` prints it.
type Status struct {
	Kind         string        `json:"kind"` // status
	Spec         string        `json:"spec"`
	Cluster      string        `json:"cluster,omitempty"`
	Time         time.Time     `json:"time"`
	AsDeclared   bool          `json:"as_declared"` // nothing differs
	ExitCode     int           `json:"exit_code"`
	Version      string        `json:"version,omitempty"` // of Kubernetes, as declared
	Hosts        []Host        `json:"hosts"`
	Etcd         []Member      `json:"etcd,omitempty"`
	Components   []Component   `json:"components,omitempty"`
	Services     []Service     `json:"services,omitempty"`
	Databases    []Database    `json:"databases,omitempty"` // of OVN
	Certificates []Certificate `json:"certificates,omitempty"`
	Stages       []Stage       `json:"stages"`
	Differences  []Difference  `json:"differences"`

	apiError string
	apiHost  string // on which the API server was asked
}

// Host is a hypervisor, a node or another host of the spec.
type Host struct {
	Name    string `json:"name"`
	Answers bool   `json:"answers"`
	Message string `json:"message"`        // why it does not answer, or its state
	Node    *Node  `json:"node,omitempty"` // if it is a node of the cluster
}

// Node is a node as it is declared, and as the API server sees it.
type Node struct {
	Pool          string `json:"pool"`
	Hypervisor    string `json:"hypervisor,omitempty"`
	Address       string `json:"address"`
	Known         bool   `json:"known"` // the API server has it
	Ready         bool   `json:"ready"`
	Reason        string `json:"reason,omitempty"` // why it is not Ready
	Unschedulable bool   `json:"unschedulable"`
	Version       string `json:"version,omitempty"` // of its kubelet
	Runtime       string `json:"runtime,omitempty"`
	System        string `json:"system,omitempty"`
}

// Member is a member of etcd, as it sees itself.
type Member struct {
	Node    string   `json:"node"`
	State   string   `json:"state"` // healthy, unhealthy, silent or unknown
	ID      string   `json:"id,omitempty"`
	Version string   `json:"version,omitempty"`
	Leader  bool     `json:"leader"`
	Learner bool     `json:"learner"`
	Bytes   int64    `json:"bytes,omitempty"` // size of its database
	Peers   []string `json:"peers,omitempty"` // ids of the members that it is connected to
}

// Component is a container of the control plane.
type Component struct {
	Pod   string `json:"pod"`
	Node  string `json:"node"`
	Image string `json:"image"`
	Ready bool   `json:"ready"`
}

// Service is a service of the cluster.
type Service struct {
	Name       string `json:"name"`
	Hypervisor string `json:"hypervisor"`
	State      string `json:"state"` // healthy, unhealthy, starting, absent, unknown, or podman's word
	Image      string `json:"image,omitempty"`
}

// Database is a hypervisor's member of the clusters that are OVN's databases.
type Database struct {
	Hypervisor string `json:"hypervisor"`
	State      string `json:"state"` // healthy: it has a leader; unhealthy: it has none; absent: the hypervisor has no member
}

// Certificate is a certificate in a file of a host.
type Certificate struct {
	Host      string    `json:"host"`
	Path      string    `json:"path"`
	Subject   string    `json:"subject"`
	Authority bool      `json:"authority"` // it signs others
	NotBefore time.Time `json:"not_before"`
	NotAfter  time.Time `json:"not_after"`
	DaysLeft  int       `json:"days_left"`
	Ended     bool      `json:"ended"`
	RenewedBy string    `json:"renewed_by"` // kinit run, kinit certs --renew, kubelet or not renewed
}

// Stage is how many tasks of a stage are in place.
type Stage struct {
	Name    string `json:"name"`
	InPlace int    `json:"in_place"`
	ToDo    int    `json:"to_do"`
	Failed  int    `json:"failed"`
}

// Difference is something that is not as it should be.
type Difference struct {
	Kind   string   `json:"kind"`           // task, host, node, api, etcd, databases, service, certificate or component
	Name   string   `json:"name"`           // of the task, host, …
	Host   string   `json:"host,omitempty"` // where it is
	Detail []string `json:"detail"`
	Place  string   `json:"place,omitempty"` // of the task's block, as FILE:LINE
	Repair string   `json:"repair"`          // a command line; empty if a run would be refused
	Broken bool     `json:"-"`               // something does not work; otherwise a run has something to change
}

// Broken reports whether something does not work.
func (s Status) Broken() bool {
	return slices.ContainsFunc(s.Differences, func(d Difference) bool { return d.Broken })
}

// Of returns the status of what the engine has read.
func Of(s engine.Status, spec string, r Repairs, now time.Time) (Status, error) {
	out := Status{Kind: "status", Spec: spec, Time: now.UTC(), Hosts: []Host{}, Stages: []Stage{}, Differences: []Difference{}}
	var p places
	err := read(s.Observed, placesOutput, &p)
	if err != nil {
		return out, err
	}
	out.Cluster = p.Cluster
	if out.Services, err = services(s.Observed, p); err != nil {
		return out, err
	}
	if out.Databases, err = databases(s.Observed); err != nil {
		return out, err
	}
	if out.Etcd, err = members(s.Observed, p); err != nil {
		return out, err
	}
	if out.Certificates, err = Certificates(s.Observed, now); err != nil {
		return out, err
	}
	var api map[string]control
	if err := read(s.Observed, nodesOutput, &api); err != nil {
		return out, err
	}
	from, host := said(api, p)
	out.apiHost = host
	out.take(s, p, from)
	out.Differences = append(out.Differences, judge(s, out, p, r)...)
	out.AsDeclared = len(out.Differences) == 0
	return out, nil
}

// take adds hosts, nodes, components and stages.
func (s *Status) take(from engine.Status, p places, api control) {
	s.Version = api.Version
	for _, stage := range from.Stages {
		s.Stages = append(s.Stages, Stage{stage.Stage, stage.InPlace, stage.ToDo, stage.Failed})
	}
	seen := map[string]*Node{}
	for _, line := range api.Lines {
		switch {
		case len(line) == 0:
		case line[0] == "node" && len(line) >= 8:
			seen[line[1]] = &Node{
				Known: true, Version: line[2], Runtime: line[3], System: line[4], Unschedulable: line[5] == "unschedulable",
				Ready: line[6] == "True", Reason: line[7],
			}
		case line[0] == "error" && len(line) == 2:
			s.apiError = line[1]
		case line[0] == "pod" && len(line) >= 5:
			s.Components = append(s.Components, Component{Pod: line[1], Node: line[2], Image: line[3], Ready: line[4] == "true"})
		}
	}
	for _, h := range from.Hosts {
		host := Host{Name: h.Host, Answers: h.Answers, Message: h.Message}
		for _, n := range p.Nodes {
			if n.Name == h.Host {
				node := Node{}
				if is := seen[n.Name]; is != nil {
					node = *is
				}
				if node.Ready {
					node.Reason = ""
				}
				node.Pool, node.Hypervisor, node.Address = n.Pool, n.Hypervisor, n.Address
				host.Node = &node
			}
		}
		s.Hosts = append(s.Hosts, host)
	}
}

// CertificateList is what `kinit certs --output json` prints.
type CertificateList struct {
	Kind         string        `json:"kind"` // certificates
	Spec         string        `json:"spec"`
	Cluster      string        `json:"cluster,omitempty"`
	ExitCode     int           `json:"exit_code"`
	Certificates []Certificate `json:"certificates"`
}
