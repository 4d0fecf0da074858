package kubectlversions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNodesWithAnotherVersionAreDue(t *testing.T) {
	t.Parallel()
	plane := func(versions ...string) string {
		var b strings.Builder
		for i, version := range versions {
			b.WriteString("c" + string(rune('1'+i)) + "\tkube-apiserver\tregistry:5000/kube-apiserver:" + version + "\n")
		}
		return b.String()
	}
	const ready = "\tTrue\t\"ok\"\n"
	for name, test := range map[string]struct {
		want, nodes, pods string
		due               []string
		from              string
		begun             bool
	}{
		"none": {"v1.34.4", "c1\tv1.34.4\tlinux\t" + ready, plane("v1.34.4"), []string{}, "", false},
		"all, and none has begun": {"v1.34.5", "c1\tv1.34.4\tlinux\t" + ready + "w1\tv1.34.4\tlinux\t" + ready, plane("v1.34.4"),
			[]string{"c1", "w1"}, "v1.34.4", false},
		"the others, when the first has it": {"v1.35.0", "c1\tv1.35.0\tlinux\t" + ready + "c2\tv1.34.4\tlinux\t" + ready + "w1\tv1.34.4\tlinux\t" + ready, plane("v1.35.0", "v1.34.4"),
			[]string{"c2", "w1"}, "v1.34.4", true},
		"one that has it and is still drained": {"v1.34.5", "c1\tv1.34.5\tlinux\tdrained" + ready, plane("v1.34.5"), []string{"c1"}, "v1.34.5", true},
		"a controller whose static pods have it and whose kubelet has not": {"v1.34.5", "c1\tv1.34.4\tlinux\tdrained" + ready, plane("v1.34.5"),
			[]string{"c1"}, "v1.34.5", true},
		"no node with Windows":                  {"v1.34.5", "c1\tv1.34.5\tlinux\t" + ready + "win\tv1.34.4\twindows\t" + ready, plane("v1.34.5"), []string{}, "", false},
		"what a distribution appends is passed": {"v1.34.4", "c1\tv1.34.4-eks-0a1b2c\tlinux\t" + ready, plane("v1.34.4-eks-1-34-17"), []string{}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := look(test.nodes, test.pods)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := parse(test.want)
			if err := s.check(want); err != nil {
				t.Errorf("refused: %v", err)
			}
			o := s.outputs(want)
			if diff := cmp.Diff(test.due, o.Due); diff != "" || o.From != test.from || o.Begun != test.begun {
				t.Errorf("from %q, want %q; begun %v, want %v; due (-want +got):\n%s", o.From, test.from, o.Begun, test.begun, diff)
			}
		})
	}
}

func TestWaysToAVersionThatAreClosed(t *testing.T) {
	t.Parallel()
	const api = "c1\tkube-apiserver\tregistry:5000/kube-apiserver:v1.34.4\n"
	const node = "c1\tv1.34.4\tlinux\t\tTrue\t\"ok\"\n"
	for want, test := range map[string]struct{ version, nodes, pods string }{
		"kube-apiserver of c1 has v1.34.4, and a cluster does not go back to v1.34.3":                                                    {"v1.34.3", node, api},
		"kube-apiserver of c1 has v1.34.4, and a cluster does not go back to v1.33.9":                                                    {"v1.33.9", node, api},
		"kube-apiserver of c1 has v1.34.4, and v1.36.0 skips a minor version: go to v1.35 first":                                         {"v1.36.0", node, api},
		"the kubelet of w1 has v1.31.9, and may be at most 3 minor versions older than v1.35.0: bring the node to a later version first": {"v1.35.0", node + "w1\tv1.31.9\tlinux\t\tTrue\t\"ok\"\n", api},
		"the kubelet of w1 has v1.34.9, and a cluster does not go back to v1.34.5":                                                       {"v1.34.5", node + "w1\tv1.34.9\tlinux\t\tTrue\t\"ok\"\n", api},
		"w1 has v1.34.4 and is to have v1.34.5, and does not answer (Ready is Unknown: Kubelet \"w1\" is away.): repair or replace it first": {"v1.34.5",
			node + "w1\tv1.34.4\tlinux\t\tUnknown\t\"Kubelet \\\"w1\\\" is away.\"\n", api},
		"w1 has v1.34.4 and is to have v1.34.5, and does not answer (it has never been Ready): repair or replace it first": {"v1.34.5", node + "w1\tv1.34.4\tlinux\t\n", api},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s, err := look(test.nodes, test.pods)
			if err != nil {
				t.Fatal(err)
			}
			version, _ := parse(test.version)
			if err := s.check(version); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

func TestANodeThatIsAwayWhileItIsUpgradedGoesOn(t *testing.T) {
	t.Parallel()
	s, err := look("w1\tv1.34.4\tlinux\tdrained\tFalse\t\"its kubelet starts again\"\n", "")
	if err != nil {
		t.Fatal(err)
	}
	version, _ := parse("v1.34.5")
	if err := s.check(version); err != nil {
		t.Errorf("refused: %v", err)
	}
}

func TestAVersionThatIsNoneOfKubernetesIsAnError(t *testing.T) {
	t.Parallel()
	want := `the node n says that it has the version "2.0", which is none of Kubernetes 1`
	if _, err := look("n\t2.0\tlinux\t\n", ""); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
