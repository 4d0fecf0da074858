package kubeadm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
	"kinit/modules/kubeadm"
)

func TestInitPreparesTheNodeBeforeKubeadmAndAgainAfterAReset(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "cp")
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		return moduletest.Reply{Changes: true}, call.Argv[0] == "restore-etcd"
	})
	prepared := func(t *kubeadm.InitTask) { t.Prepare = []string{"restore-etcd", "a b"} }
	h.FS.Put("/etc/kubernetes/kinit-kubeadm", "started\n", 0o600)
	h.FS.Put("/etc/kubernetes/manifests/etcd.yaml", "", 0o600)
	moduletest.Do(t, initTask(c, prepared), h)
	want := []string{
		"kubeadm reset --force", "restore-etcd 'a b'",
		"kubeadm init --skip-token-print --skip-certificate-key-print --config /etc/kubernetes/kinit.yaml",
	}
	if diff := cmp.Diff(want, h.Changes()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	wantSteps(t, h, initTask(c, prepared))
}

func TestInitThatCannotPrepareTheNodeDoesNotStartKubeadm(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "cp")
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		return moduletest.Reply{Code: 1, Stderr: "no snapshot"}, call.Argv[0] == "restore-etcd"
	})
	made := initTask(c, func(t *kubeadm.InitTask) { t.Prepare = []string{"restore-etcd"} })
	steps := wantSteps(t, h, made, "kubeadm init on fake")
	if err := steps[0].Do(t.Context(), h); err == nil || !strings.Contains(err.Error(), "prepare the node: ") || !strings.Contains(err.Error(), "no snapshot") {
		t.Errorf("%v", err)
	}
	for _, command := range h.Changes() {
		if strings.HasPrefix(command, "kubeadm init") {
			t.Error("kubeadm has run")
		}
	}
}
