package kubeadm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
	"kinit/modules/kubeadm"
)

const written = `apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
patches:
    directory: /etc/kubernetes/patches
timeouts:
    controlPlaneComponentHealthCheck: 10m
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.34.4
`

const longer = `apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
patches:
    directory: /etc/kubernetes/patches
timeouts:
    controlPlaneComponentHealthCheck: 30m0s
    discovery: 15m0s
    etcdAPICall: 6m0s
    kubeletHealthCheck: 12m0s
    kubernetesAPICall: 3m0s
    tlsBootstrap: 15m0s
    upgradeManifests: 15m0s
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.34.4
`

// What kubeadm gets of a configuration, and what is there afterwards.
func TestKubeadmGetsLongerTimeoutsOnASlowHost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pace          float64
		config        string
		fails         bool
		argument, got string
	}{
		"an ordinary host":              {1, written, false, "/etc/kubernetes/kinit.yaml", written},
		"a slow one":                    {3, written, false, "/etc/kubernetes/kinit.yaml.slow", longer},
		"a slow one on which it fails":  {3, written, true, "/etc/kubernetes/kinit.yaml.slow", longer},
		"a configuration without these": {3, "kind: ClusterConfiguration\n", false, "/etc/kubernetes/kinit.yaml", "kind: ClusterConfiguration\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newCluster(t)
			h := k.host(t, "cp")
			h.FS.Put("/etc/kubernetes/kinit.yaml", c.config, 0o600)
			got := ""
			k.fails = func() bool {
				got, _ = h.FS.Text(c.argument)
				return c.fails
			}
			slow := moduletest.Slow(h, c.pace)
			made := initTask(k, nil)
			steps, err := made.Plan(t.Context(), slow)
			if err != nil || len(steps) != 1 {
				t.Fatalf("%v, %v", steps, err)
			}
			if err := steps[0].Do(t.Context(), slow); (err != nil) != c.fails {
				t.Fatal(err)
			}
			want := []string{"kubeadm init --skip-token-print --skip-certificate-key-print --config " + c.argument}
			if diff := cmp.Diff(want, h.Changes()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.got, got); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
			if _, there := h.FS.Text("/etc/kubernetes/kinit.yaml.slow"); there {
				t.Error("the copy is still there")
			}
			if text, _ := h.FS.Text("/etc/kubernetes/kinit.yaml"); text != c.config {
				t.Errorf("the configuration is now %s", text)
			}
			marks, err := h.Marks(t.Context())
			for _, m := range marks {
				if m.ID == "/etc/kubernetes/kinit.yaml.slow" {
					t.Errorf("marked: %v", m)
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestATimeoutThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	k := newCluster(t)
	h := k.host(t, "cp")
	h.FS.Put("/etc/kubernetes/kinit.yaml", "apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\ntimeouts: {discovery: soon}\n", 0o600)
	steps, err := joinTask(func(*kubeadm.JoinTask) {}).Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("%v, %v", steps, err)
	}
	err = steps[0].Do(t.Context(), moduletest.Slow(h, 2))
	want := `make the timeouts of /etc/kubernetes/kinit.yaml longer: discovery is soon: time: invalid duration "soon"`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
