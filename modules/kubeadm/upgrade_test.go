package kubeadm_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/kubeadm"
	"kinit/test/executable"
	"kinit/test/kube"
)

// rolling is a node whose kubelet and control plane get another version by what the task does.
type rolling struct {
	*moduletest.FakeHost
	kubelet, plane string // versions that run
	manifest       string // the version in the manifest, empty on a compute node
	unready        string // "kubelet" or "plane", while that is not ready
	written        string // kubeadm's configuration
	fails          string // the first word of a command that fails
}

// joined makes a node that has joined with v1.34.4, and has the programs of v1.34.5 in /next.
func joined(t *testing.T, controller bool) *rolling {
	t.Helper()
	c := newCluster(t)
	r := &rolling{FakeHost: c.host(t, "n1"), kubelet: "v1.34.4"}
	moduletest.Do(t, joinTask(nil), r.FakeHost)
	for _, name := range []string{"kubeadm", "kubelet", "kubectl"} {
		r.FS.Put("/next/"+name, "v1.34.5", 0o755)
	}
	if controller {
		r.plane = "v1.34.4"
		r.write("v1.34.4")
	}
	c.says = r.says
	r.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		if words := strings.Join(call.Argv, " "); r.fails != "" && strings.HasPrefix(words, r.fails) {
			return moduletest.Reply{Changes: true, Code: 1, Stderr: "it is too late"}, true
		}
		switch {
		case call.Argv[0] == "/next/kubeadm" && call.Argv[1] == "upgrade":
			text, err := module.ReadFile(t.Context(), r.FS, "/etc/kubernetes/kinit-upgrade.yaml")
			if err != nil {
				t.Error(err)
			}
			r.written = string(text)
			if controller {
				r.write("v1.34.5")
				r.plane = "v1.34.5"
			}
		case call.Argv[0] == "systemctl":
			r.kubelet = "v1.34.5"
		case call.Argv[0] != "/next/kubeadm" && (len(call.Argv) < 4 || call.Argv[3] != "upgrade"):
			return moduletest.Reply{}, false
		}
		return moduletest.Reply{Changes: true}, true
	})
	return r
}

// write makes the manifest of the API server.
func (r *rolling) write(version string) {
	r.manifest = version
	r.FS.Put("/etc/kubernetes/manifests/kube-apiserver.yaml", "spec: {containers: [{name: kube-apiserver, image: \"registry/kube-apiserver:"+version+"\"}]}", 0o600)
}

func (r *rolling) says(path string) string {
	if strings.HasSuffix(path, "/pods") {
		return fmt.Sprintf(`{"items": [{"spec": {"containers": [{"name": "kube-apiserver", "image": "registry/kube-apiserver:%s"}]},
			"status": {"containerStatuses": [{"name": "kube-apiserver", "ready": %t}]}}]}`, r.plane, r.unready != "plane")
	}
	ready := map[bool]string{true: "True", false: "False"}[r.unready != "kubelet"]
	return fmt.Sprintf(`{"status": {"nodeInfo": {"kubeletVersion": %q}, "conditions": [{"type": "Ready", "status": %q}]}}`, r.kubelet, ready)
}

func upgradeTask(change func(*kubeadm.UpgradeTask)) *kubeadm.UpgradeTask {
	return moduletest.Make(kubeadm.UpgradeKind(), func(made *kubeadm.UpgradeTask) {
		made.Version, made.Programs, made.Wait = "v1.34.5", "/next", "2s"
	}, change)
}

// first makes the task that of the first controller.
func first(t *kubeadm.UpgradeTask) {
	t.First, t.Config, t.Patches, t.IgnorePreflight = true, "/etc/kubernetes/kinit-init.yaml", "/etc/kubernetes/patches", []string{"SystemVerification"}
}

// did lists what was done since the node has joined, without the texts of scripts.
func (r *rolling) did() (all []string) {
	for _, call := range r.Calls() {
		switch line := strings.Join(call.Argv, " "); {
		case strings.HasPrefix(line, "kubeadm join"):
		case call.Argv[0] == "sh" && len(call.Argv) > 3 && call.Argv[3] == "upgrade":
			all = append(all, strings.Join(call.Argv[3:], " "))
		case strings.HasPrefix(line, "/next/kubeadm"), call.Argv[0] == "systemctl":
			all = append(all, line)
		}
	}
	return all
}

func TestTheFirstControllerIsUpgradedWithTheConfigurationOfTheCluster(t *testing.T) {
	t.Parallel()
	r := joined(t, true)
	name := r.Name()
	wantSteps(t, r.FakeHost, upgradeTask(first), "upgrade "+name+" from v1.34.4 to v1.34.5")
	moduletest.Do(t, upgradeTask(first), r.FakeHost)
	want := []string{
		"/next/kubeadm init phase upload-config kubeadm --config /etc/kubernetes/kinit-init.yaml",
		"/next/kubeadm upgrade apply --yes --config /etc/kubernetes/kinit-upgrade.yaml",
		"upgrade /next /usr/bin", "systemctl restart kubelet.service",
	}
	if diff := cmp.Diff(want, r.did()); diff != "" {
		t.Errorf("done (-want +got):\n%s", diff)
	}
	for _, part := range []string{"kubernetesVersion: v1.34.5", "directory: /etc/kubernetes/patches", "- SystemVerification", "upgradeManifests: 5m0s", "allowExperimentalUpgrades: false"} {
		if !strings.Contains(r.written, part) {
			t.Errorf("kubeadm's configuration does not have %q:\n%s", part, r.written)
		}
	}
	for _, path := range []string{"/etc/kubernetes/kinit-upgrade.yaml", "/next/kubeadm", "/next/kubelet", "/next/kubectl"} {
		if _, err := r.FS.Stat(t.Context(), path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	wantSteps(t, r.FakeHost, upgradeTask(first))
}

func TestAComputeNodeIsUpgraded(t *testing.T) {
	t.Parallel()
	r := joined(t, false)
	moduletest.Do(t, upgradeTask(nil), r.FakeHost)
	want := []string{"/next/kubeadm upgrade node --config /etc/kubernetes/kinit-upgrade.yaml", "upgrade /next /usr/bin", "systemctl restart kubelet.service"}
	if diff := cmp.Diff(want, r.did()); diff != "" {
		t.Errorf("done (-want +got):\n%s", diff)
	}
	wantSteps(t, r.FakeHost, upgradeTask(nil))
}

func TestAnUpgradeThatFailsIsDoneAgain(t *testing.T) {
	t.Parallel()
	for fails, want := range map[string]string{
		"/next/kubeadm upgrade node": "kubeadm upgrade: ",
		"systemctl":                  "start the kubelet of NODE again: ",
	} {
		r := joined(t, true)
		r.fails = fails
		steps := moduletest.Steps(t, upgradeTask(nil), r.FakeHost)
		err := steps[0].Do(t.Context(), r.FakeHost)
		if want := strings.ReplaceAll(want, "NODE", r.Name()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one that begins with %q", err, want)
		}
		r.fails = ""
		moduletest.Do(t, upgradeTask(nil), r.FakeHost)
		wantSteps(t, r.FakeHost, upgradeTask(nil))
	}
}

func TestTheKubeletOfAControllerWaitsForItsControlPlane(t *testing.T) {
	t.Parallel()
	r := joined(t, true)
	r.unready = "plane"
	steps := moduletest.Steps(t, upgradeTask(nil), r.FakeHost)
	err := steps[0].Do(t.Context(), r.FakeHost)
	if want := "wait for the control plane of " + r.Name() + ": kube-apiserver is not ready: not so after 2s"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want one that begins with %q", err, want)
	}
	if r.kubelet != "v1.34.4" {
		t.Error("the kubelet has started again")
	}
}

func TestANodeThatIsNotReadyWithItsVersionIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := joined(t, false)
	r.kubelet, r.unready = "v1.34.5", "kubelet"
	steps := wantSteps(t, r.FakeHost, upgradeTask(nil), "wait for "+r.Name()+" to be Ready with v1.34.5")
	err := steps[0].Do(t.Context(), r.FakeHost)
	want := "wait for " + r.Name() + " to be Ready with v1.34.5: it has v1.34.5, and Ready is false: not so after 2s"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want one that begins with %q", err, want)
	}
	r.unready = ""
	wantSteps(t, r.FakeHost, upgradeTask(nil))
}

func TestProgramsThatAreMissingAreNamedBeforeAnythingChanges(t *testing.T) {
	t.Parallel()
	r := joined(t, false)
	if err := r.FS.Remove(t.Context(), "/next/kubelet"); err != nil {
		t.Fatal(err)
	}
	steps := moduletest.Steps(t, upgradeTask(nil), r.FakeHost)
	if err := steps[0].Do(t.Context(), r.FakeHost); err == nil || err.Error() != "programs: there is no kubelet in /next" {
		t.Errorf("error %v", err)
	}
	if did := r.did(); len(did) > 0 {
		t.Errorf("done: %v", did)
	}
}

func TestARealKubeadmReadsTheConfigurationOfAnUpgrade(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*kubeadm.UpgradeTask){
		"apply": first,
		"node": func(t *kubeadm.UpgradeTask) {
			t.Patches, t.Timeouts = "/etc/kubernetes/patches", map[string]string{"upgradeManifests": "20m"}
		},
		"of a distribution": func(t *kubeadm.UpgradeTask) { first(t); t.Version = "v1.34.5-eks-1-34-18" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := joined(t, true)
			moduletest.Do(t, upgradeTask(change), r.FakeHost)
			file := filepath.Join(t.TempDir(), "upgrade.yaml")
			if err := os.WriteFile(file, []byte(r.written), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), kube.Program(t, "kubeadm"), "config", "validate", "--config", file).CombinedOutput()
			if err != nil || strings.Contains(string(out), "unknown field") {
				t.Errorf("%v: %s\n%s", err, out, r.written)
			}
		})
	}
}

func TestProgramsComeInOnePieceAndTheirChecksumsFollow(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	put := func(path, text string) {
		executable.Write(t, path, text)
	}
	for _, name := range []string{"kubeadm", "kubelet", "kubectl"} {
		put(filepath.Join(from, name), "new "+name)
		put(filepath.Join(from, name+".kinit-sum"), "sum of "+name)
	}
	put(filepath.Join(to, "kubernetes"), "all old ones")
	put(filepath.Join(to, "kubelet"), "old")
	put(filepath.Join(to, "kubelet.kinit-sum"), "sum of old")
	if err := os.Symlink("kubernetes", filepath.Join(to, "kubeadm")); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("upgrade.sh")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a run that was interrupted does it again
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", string(script), "upgrade", from, to).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	has := map[string]string{}
	entries, err := os.ReadDir(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(to, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		has[e.Name()] = string(text)
	}
	want := map[string]string{
		"kubeadm": "new kubeadm", "kubelet": "new kubelet", "kubectl": "new kubectl",
		"kubelet.kinit-sum": "sum of kubelet", "kubernetes": "all old ones",
	}
	if diff := cmp.Diff(want, has); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestUpgradeTaskRefusesWrongArguments(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*kubeadm.UpgradeTask){
		`version is "1.35", expected one such as "v1.34.4"`:                      func(t *kubeadm.UpgradeTask) { t.Version = "1.35" },
		`config is for the first controller, expected first = true with it`:      func(t *kubeadm.UpgradeTask) { t.Config = "/etc/kubernetes/init.yaml" },
		`patches is "patches", expected an absolute path`:                        func(t *kubeadm.UpgradeTask) { t.Patches = "patches" },
		`timeouts has upgradeManifests = "5", expected a duration such as "10m"`: func(t *kubeadm.UpgradeTask) { t.Timeouts = map[string]string{"upgradeManifests": "5"} },
		`wait is "soon", expected a duration such as "5m"`:                       func(t *kubeadm.UpgradeTask) { t.Wait = "soon" },
	} {
		moduletest.Refused(t, upgradeTask(change), want)
	}
}
