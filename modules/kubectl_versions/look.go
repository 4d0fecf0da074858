package kubectlversions

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The rules of https://kubernetes.io/releases/version-skew-policy/ for Kubernetes 1.
const (
	mostMinors  = 1 // that a control plane goes up at once
	kubeletLags = 3 // minor versions that a kubelet may be older than the API server
)

// number is a version without what distributions append.
type number struct{ minor, patch int }

func (n number) String() string { return fmt.Sprintf("v1.%d.%d", n.minor, n.patch) }

func (n number) compare(m number) int {
	return cmp.Or(cmp.Compare(n.minor, m.minor), cmp.Compare(n.patch, m.patch))
}

var pattern = regexp.MustCompile(`^v1\.([0-9]{1,4})\.([0-9]{1,6})([-+].*)?$`)

// parse reads a version of Kubernetes 1.
func parse(text string) (number, bool) {
	parts := pattern.FindStringSubmatch(text)
	if parts == nil {
		return number{}, false
	}
	minor, _ := strconv.Atoi(parts[1])
	patch, _ := strconv.Atoi(parts[2])
	return number{minor, patch}, true
}

// node is what a node has.
type node struct {
	name    string
	kubelet number
	linux   bool
	drained bool   // for a while, by kubectl_drain
	away    string // why it is not Ready, empty if it is
}

// server is a component of the control plane that has the version of Kubernetes.
type server struct {
	node, name string
	number
}

// state is what the API server says.
type state struct {
	nodes   []node
	servers []server
}

// servers are the components with the version of Kubernetes in the tags of their images.
var servers = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// look reads what the templates print.
func look(nodes, pods string) (state, error) {
	var s state
	for line := range strings.Lines(nodes) {
		n, err := readNode(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		if err != nil {
			return s, err
		}
		s.nodes = append(s.nodes, n)
	}
	for line := range strings.Lines(pods) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 || !slices.Contains(servers, fields[1]) {
			continue
		}
		if is, ok := parse(fields[2][strings.LastIndex(fields[2], ":")+1:]); ok {
			s.servers = append(s.servers, server{fields[0], fields[1], is})
		}
	}
	return s, nil
}

// readNode reads name, version, system, "drained" or nothing, and if there is one the condition Ready with its message.
func readNode(fields []string) (node, error) {
	if len(fields) < 4 {
		return node{}, fmt.Errorf("kubectl says of a node only %q", fields)
	}
	n := node{name: fields[0], linux: fields[2] == "linux", drained: fields[3] != "", away: "it has never been Ready"}
	var ok bool
	if n.kubelet, ok = parse(fields[1]); !ok {
		return n, fmt.Errorf("the node %s says that it has the version %q, which is none of Kubernetes 1", n.name, fields[1])
	}
	if len(fields) == 6 {
		n.away = ""
		if fields[4] != "True" {
			message, err := strconv.Unquote(fields[5])
			if err != nil {
				message = fields[5]
			}
			n.away = fmt.Sprintf("Ready is %s: %s", fields[4], message)
		}
	}
	return n, nil
}

// due reports whether a node has something to do until all of it has the version.
func (s state) due(n node, want number) bool {
	return n.linux && (n.drained || n.kubelet != want || slices.ContainsFunc(s.servers, func(is server) bool {
		return is.node == n.name && is.number != want
	}))
}

func (s state) oldest() server {
	return slices.MinFunc(s.servers, func(a, b server) int {
		return cmp.Or(a.compare(b.number), strings.Compare(a.node+a.name, b.node+b.name))
	})
}

// check returns why the cluster cannot get the version.
func (s state) check(want number) error {
	for _, is := range s.servers {
		if want.compare(is.number) < 0 {
			return fmt.Errorf("%s of %s has %s, and a cluster does not go back to %s", is.name, is.node, is.number, want)
		}
	}
	if len(s.servers) > 0 {
		if from := s.oldest(); want.minor > from.minor+mostMinors {
			return fmt.Errorf("%s of %s has %s, and %s skips a minor version: go to v1.%d first", from.name, from.node, from.number, want, from.minor+1)
		}
	}
	for _, n := range s.nodes {
		switch {
		case want.compare(n.kubelet) < 0:
			return fmt.Errorf("the kubelet of %s has %s, and a cluster does not go back to %s", n.name, n.kubelet, want)
		case want.minor > n.kubelet.minor+kubeletLags:
			return fmt.Errorf("the kubelet of %s has %s, and may be at most %d minor versions older than %s: bring the node to a later version first", n.name, n.kubelet, kubeletLags, want)
		case s.due(n, want) && !n.drained && n.away != "":
			return fmt.Errorf("%s has %s and is to have %s, and does not answer (%s): repair or replace it first", n.name, n.kubelet, want, n.away)
		}
	}
	return nil
}

func (s state) outputs(want number) Outputs {
	o := Outputs{Due: []string{}, Nodes: map[string]string{}}
	for _, n := range s.nodes {
		o.Nodes[n.name] = n.kubelet.String()
		if s.due(n, want) {
			o.Due = append(o.Due, n.name)
		}
		o.Begun = o.Begun || n.linux && (n.drained || n.kubelet == want)
	}
	slices.Sort(o.Due)
	for _, is := range s.servers {
		o.Begun = o.Begun || is.number == want
	}
	o.Begun = o.Begun && len(o.Due) > 0
	if len(o.Due) > 0 && len(s.servers) > 0 {
		o.From = s.oldest().String()
	}
	return o
}
