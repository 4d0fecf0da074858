package topology

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// services is a cluster with a number of service pods.
func services(count int, more string) string {
	return fmt.Sprintf(`cluster "c" {
	  pod "services" {
	    count = %d
	    %s
	  }
	  pool "a" { count = 1 }
	}`, count, more)
}

// replicas is one line for each pod: name, address, hypervisor; then the address of all of them, and
// the hypervisors that lose theirs.
func replicas(topo *Topology) []string {
	var lines []string
	for _, p := range topo.Pods {
		for _, each := range append([]Pod{p}, p.Replicas...) {
			lines = append(lines, fmt.Sprintf("%s %s %s", each.Name, each.IP, each.Hypervisor))
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("all %s %s", p.Address, strings.Join(p.Leaving, " "))))
	}
	return lines
}

func TestReplicasOfAPodAreOnHypervisorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	one, two := recorded(t, services(1, ""), "h1", "h2", "h3"), recorded(t, services(2, ""), "h1", "h2", "h3")
	shrunk, diags := expandOver(t, services(1, ""), Input{Hosts: hosts("h1", "h2", "h3"), Existing: Merge(on(two, "h1", "h2", "h3"), nil)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	single := parsed(t, shrunk.Record)
	three := recorded(t, services(3, ""), "h1", "h2", "h3")
	grown, diags := expandOver(t, services(2, ""), Input{Hosts: hosts("h1", "h2", "h3"), Existing: Merge(on(one, "h1", "h2", "h3"), nil)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	tests := map[string]struct {
		text   string
		record *Record
		hosts  string
		gone   []string
		want   []string
	}{
		"one": {services(1, ""), nil, "h1 h2", nil, []string{"c-pod-01 10.0.0.253 h1", "all 10.0.0.253"}},
		"two: the address of all is the one that one has": {services(2, ""), nil, "h1 h2", nil,
			[]string{"c-pod-01 10.0.0.252 h1", "c-pod-01-02 10.0.0.251 h2", "all 10.0.0.253"}},
		"two, one of them on a named hypervisor": {services(2, `hypervisor = "h2"`), nil, "h1 h2 h3", nil,
			[]string{"c-pod-01 10.0.0.252 h2", "c-pod-01-02 10.0.0.251 h3", "all 10.0.0.253"}},
		"one becomes two: the address stays the one that others know": {services(2, ""), one, "h1 h2 h3", nil,
			[]string{"c-pod-01 10.0.0.249 h1", "c-pod-01-02 10.0.0.248 h2", "all 10.0.0.253"}},
		"two stay": {services(2, ""), parsed(t, grown.Record), "h3 h2 h1", nil,
			[]string{"c-pod-01 10.0.0.249 h1", "c-pod-01-02 10.0.0.248 h2", "all 10.0.0.253"}},
		"one of the two is on the named hypervisor already": {services(2, `hypervisor = "h2"`), two, "h1 h2 h3", nil,
			[]string{"c-pod-01 10.0.0.252 h1", "c-pod-01-02 10.0.0.251 h2", "all 10.0.0.253"}},
		"two become one: the addresses stay apart": {services(1, ""), two, "h1 h2 h3", nil, []string{"c-pod-01 10.0.0.252 h1", "all 10.0.0.253 h2"}},
		"one that was two stays":                   {services(1, ""), single, "h1 h2 h3", nil, []string{"c-pod-01 10.0.0.252 h1", "all 10.0.0.253"}},
		"two become one, and two again": {services(2, ""), single, "h1 h2 h3", nil,
			[]string{"c-pod-01 10.0.0.252 h1", "c-pod-01-02 10.0.0.251 h2", "all 10.0.0.253"}},
		"three become two": {services(2, ""), three, "h1 h2 h3", nil,
			[]string{"c-pod-01 10.0.0.252 h1", "c-pod-01-02 10.0.0.251 h2", "all 10.0.0.253 h3"}},
		"a hypervisor is gone: another one takes its place": {services(2, ""), two, "h2 h3", []string{"h1"},
			[]string{"c-pod-01 10.0.0.252 h3", "c-pod-01-02 10.0.0.251 h2", "all 10.0.0.253"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var existing Existing
			if test.record != nil {
				existing = Merge(on(test.record, strings.Fields(test.hosts)...), test.gone)
			}
			topo, diags := expandOver(t, test.text, Input{Hosts: hosts(strings.Fields(test.hosts)...), Existing: existing})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, replicas(topo)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestARecordWithoutReplicasIsWhatItWas(t *testing.T) {
	t.Parallel()
	record := mustExpand(t, services(1, ""), "h1").Record
	if strings.Contains(record, `"address"`) {
		t.Errorf("the record of a cluster with one pod has another form:\n%s", record)
	}
}

func TestMoreReplicasThanHypervisorsAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		services(3, ""): `spec.hcl:3,14-15: Too few hypervisors: The pod "services" has count = 3, each on a hypervisor of its own, and the run has 2 hosts: h1, h2. Name more hosts with --hosts, or give it a lower count.`,
		services(0, ""): `spec.hcl:3,14-15: Invalid number: The argument "count" is at least 1; it is 0.`,
	} {
		_, diags := expand(t, text, "h1", "h2")
		if got := diags.Err(); got == nil || got.Error() != want {
			t.Errorf("got  %v\nwant %s", got, want)
		}
	}
}
