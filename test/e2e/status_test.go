package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seen is a part of the JSON of a status.
type seen struct {
	AsDeclared bool `json:"as_declared"`
	ExitCode   int  `json:"exit_code"`
	Hosts      []struct {
		Name string `json:"name"`
		Node *struct {
			Ready bool `json:"ready"`
		} `json:"node"`
	} `json:"hosts"`
	Etcd []struct {
		Node   string   `json:"node"`
		State  string   `json:"state"`
		Leader bool     `json:"leader"`
		Peers  []string `json:"peers"`
	} `json:"etcd"`
	Services []struct {
		Name  string `json:"name"`
		State string `json:"state"`
	} `json:"services"`
	Certificates []certificate `json:"certificates"`
	Differences  []struct {
		Kind   string `json:"kind"`
		Name   string `json:"name"`
		Host   string `json:"host"`
		Repair string `json:"repair"`
	} `json:"differences"`
}

type certificate struct {
	Host     string `json:"host"`
	Path     string `json:"path"`
	NotAfter string `json:"not_after"`
}

func look(t *testing.T, k *kinit, spec []string, code int) (s seen) {
	t.Helper()
	r := k.call(t, slices.Concat([]string{"status"}, spec, []string{"--output", "json"})...)
	if err := json.Unmarshal([]byte(r.stdout), &s); err != nil || r.code != code || s.ExitCode != code {
		t.Fatalf("exit %d, want %d: %v\n%s%s", r.code, code, err, r.stdout, tail(r.stderr, 20))
	}
	return s
}

// status looks at a cluster of three controllers that is as declared, and again when a file of the
// services has another content.
func status(t *testing.T, k *kinit, spec []string) {
	s := look(t, k, spec, 0)
	if !s.AsDeclared || len(s.Differences) > 0 {
		t.Errorf("as declared: %t, with differences %v", s.AsDeclared, s.Differences)
	}
	var ready, members, services []string
	leaders := 0
	for _, h := range s.Hosts {
		if h.Node != nil && h.Node.Ready {
			ready = append(ready, h.Name)
		}
	}
	slices.Sort(ready)
	for _, m := range s.Etcd {
		members = append(members, m.Node+" "+m.State)
		if m.Leader {
			leaders++
		}
		if len(m.Peers) != 2 {
			t.Errorf("%s is connected to %v, want two others", m.Node, m.Peers)
		}
	}
	for _, c := range s.Services {
		// One that was recreated a moment ago has not been checked yet.
		services = append(services, c.Name+" "+strings.Replace(c.State, "starting", "healthy", 1))
	}
	for what, diff := range map[string]string{
		"nodes":    cmp.Diff(wideNodes, ready),
		"etcd":     cmp.Diff([]string{"k8s-podman-controller-01 healthy", "k8s-podman-controller-02 healthy", "k8s-podman-controller-03 healthy"}, members),
		"services": cmp.Diff([]string{"dns healthy", "haproxy healthy", "registry healthy", "web healthy"}, services),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if leaders != 1 {
		t.Errorf("etcd has %d leaders", leaders)
	}

	const file = "/var/lib/kinit/clusters/k8s-podman/services/web/nginx.conf"
	on(t, "nyctea", "cp -p "+file+" /root/nginx.conf; echo '# somebody was here' >>"+file)
	s = look(t, k, spec, 4)
	on(t, "nyctea", "cp -p /root/nginx.conf "+file+"; rm /root/nginx.conf")
	repair := "kinit run " + strings.ReplaceAll(strings.Join(spec, " "), "=ovn-routes", "=...") // values may be secret
	if len(s.Differences) != 1 || s.Differences[0].Name != `task.copy.service["nyctea"]["web/nginx.conf"]` || s.Differences[0].Host != "nyctea" || s.Differences[0].Repair != repair {
		t.Errorf("the differences are %+v", s.Differences)
	}
}

// renewed renews the certificates of a cluster with one controller, and looks whether they are other
// ones and the API server answers.
func renewed(t *testing.T, k *kinit) {
	list := func() map[string]string {
		r := k.must(t, slices.Concat([]string{"certs"}, narrow, []string{"--output", "json"})...)
		var s seen
		if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
			t.Fatal(err)
		}
		ends := map[string]string{}
		for _, c := range s.Certificates {
			ends[c.Host+" "+c.Path] = c.NotAfter
		}
		return ends
	}
	before := list()
	k.must(t, slices.Concat([]string{"certs"}, narrow, []string{"--renew", "--output", "json"})...)
	after := list()
	for name, again := range map[string]bool{
		"k8s-podman-controller-01 /etc/kubernetes/pki/apiserver.crt":   true,
		"k8s-podman-controller-01 /etc/kubernetes/pki/etcd/server.crt": true,
		"k8s-podman-controller-01 /etc/kubernetes/admin.conf":          true,
		"k8s-podman-controller-01 /etc/kubernetes/pki/ca.crt":          false,
		"nyctea /var/lib/kinit/clusters/k8s-podman/pki/admin.crt":      false,
		"tyto /var/lib/kinit/shared/overlay/chassis.crt":               false,
	} {
		if before[name] == "" || (before[name] != after[name]) != again {
			t.Errorf("%s ended %q, and ends %q now: renewed is %t, want %t", name, before[name], after[name], before[name] != after[name], again)
		}
	}
	newAPI(t, k, narrow).await(t, "k8s-podman-compute-01", "k8s-podman-controller-01")
	unchanged(t, k, slices.Concat([]string{"run"}, narrow))
}
