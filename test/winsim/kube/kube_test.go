package kube_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kinit/test/winsim/kube"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/machinetest"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// windows is a simulated machine with the programs of Kubernetes on it.
type windows struct {
	*machine.Machine
	t *testing.T
}

// containerdTOML is the runtime's configuration as a playbook writes it.
const containerdTOML = `version = 3
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ['C:\opt\cni\bin']
  conf_dir = 'C:\etc\cni\net.d'
`

// boot returns a machine with the feature Containers, rebooted, and the programs.
func boot(t *testing.T) *windows {
	t.Helper()
	r, ok := machine.FindRelease("2k22")
	if !ok {
		t.Fatal("no release 2k22")
	}
	programs := kube.Programs()
	programs["svchost"] = func(ctx context.Context, p *machine.Process) uint32 {
		p.Service.Running()
		<-ctx.Done()
		return 0
	}
	m, err := machine.New(machine.Options{Folder: t.TempDir(), Release: r, Name: "K8S-Compute-02", Programs: programs, Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	machinetest.Run(t, m)
	w := &windows{Machine: m, t: t}
	w.prepare()
	return w
}

func (w *windows) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// put writes a file with the folders above it.
func (w *windows) put(path, content string) {
	w.t.Helper()
	w.must(w.Files.Mkdir(path[:strings.LastIndexByte(path, '\\')]))
	w.must(w.Files.WriteFile(path, []byte(content)))
}

func (w *windows) prepare() {
	w.t.Helper()
	for path, version := range map[string]string{
		`C:\k\kubeadm.exe`: "v1.34.4", `C:\k\kubelet.exe`: "v1.34.4", `C:\k\kube-proxy.exe`: "v1.34.4", `C:\k\flanneld.exe`: "v0.26.7",
		`C:\Program Files\containerd\containerd.exe`: "2.1.4", `C:\opt\cni\bin\flannel.exe`: "v1.6.2", `C:\opt\cni\bin\win-overlay.exe`: "v1.6.2",
	} {
		name := strings.TrimSuffix(path[strings.LastIndexByte(path, '\\')+1:], ".exe")
		w.put(path, string(machine.Stand(name, version)))
	}
	w.put(`C:\Program Files\containerd\config.toml`, containerdTOML)
	change, err := w.Features.Install([]string{"Containers"}, false, false)
	w.must(err)
	w.must(w.Apply(change))
	w.must(w.Reboot(w.t.Context()))
}

// run runs a program to its end and returns its code and all it wrote.
func (w *windows) run(program string, args ...string) (uint32, string) {
	w.t.Helper()
	var out strings.Builder
	env := w.Environment("S-1-5-18")
	env.Set("Path", env.Get("Path")+`;C:\k`)
	p, err := w.Launch(w.t.Context(), machine.Start{Program: program, Args: args, Stdout: &out, Stderr: &out, Env: env})
	w.must(err)
	return p.Wait(), out.String()
}

// kubeletImage is the command line of the kubelet's service.
const kubeletImage = `C:\k\kubelet.exe --windows-service --cert-dir=C:\var\lib\kubelet\pki --config=/var/lib/kubelet/config.yaml ` +
	`--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf --hostname-override=k8s-compute-02 --register-with-taints=os=windows:NoSchedule`

func (w *windows) runtime() {
	w.t.Helper()
	code, out := w.run(`C:\Program Files\containerd\containerd.exe`, "--register-service")
	if code != 0 {
		w.t.Fatalf("register containerd: %d %s", code, out)
	}
	w.must(w.Services.Start(w.t.Context(), "containerd"))
}

func (w *windows) kubelet() {
	w.t.Helper()
	w.must(w.Services.Create(scm.Config{Name: "kubelet", DisplayName: "kubelet", Image: kubeletImage, Start: scm.Auto, DependsOn: []string{"containerd"},
		Failure: scm.Failure{Actions: []scm.Action{{Type: scm.Restart, Delay: 1e8}}}}))
}

// joinConfig is the configuration that kinit writes for a worker.
func joinConfig(c *cluster) string {
	return fmt.Sprintf(`apiVersion: kubeadm.k8s.io/v1beta4
discovery:
  bootstrapToken:
    apiServerEndpoint: %s
    caCertHashes:
      - %s
    token: %s
kind: JoinConfiguration
nodeRegistration:
  criSocket: npipe:////./pipe/containerd-containerd
  name: k8s-compute-02
`, c.api, c.caHash, token)
}

func TestJoinRefusesWhatKubeadmRefuses(t *testing.T) {
	c, w := newCluster(t), boot(t)
	w.put(`C:\k\join.yaml`, joinConfig(c))
	code, out := w.run(`C:\k\kubeadm.exe`, "join", "--config", `C:\k\join.yaml`)
	if code != 2 || !strings.Contains(out, "[ERROR CRI]: container runtime is not running") || !strings.Contains(out, "kubelet service does not exist") {
		t.Errorf("without a runtime: code %d, %s", code, out)
	}
	w.runtime()
	w.kubelet()
	for _, one := range []struct {
		what   string
		change []string // pairs of a text and what takes its place
		want   string
	}{
		{"another authority", []string{c.caHash, "sha256:" + strings.Repeat("0", 64)}, "cluster CA found in cluster-info ConfigMap is invalid: none of the public keys \"" + c.caHash + "\" are pinned"},
		{"a token that the cluster does not sign in time", []string{"token: abcdef", "token: aaaaaa", "kind: Join", "timeouts: {discovery: 1s}\nkind: Join"}, "could not find a JWS signature in the cluster-info ConfigMap for token ID \"aaaaaa\""},
		{"a token with another secret", []string{"abcdef.0123", "abcdef.9999"}, "failed to verify JWS signature of received cluster info object"},
	} {
		w.put(`C:\k\join.yaml`, strings.NewReplacer(one.change...).Replace(joinConfig(c)))
		if code, out := w.run(`C:\k\kubeadm.exe`, "join", "--config", `C:\k\join.yaml`); code != 1 || !strings.Contains(out, one.want) {
			t.Errorf("%s: code %d, %s", one.what, code, out)
		}
	}
	if n := c.node("k8s-compute-02"); len(n.Status.NodeInfo) > 0 {
		t.Errorf("a node was registered: %+v", n)
	}
}

func TestANodeJoinsIsReadyWithItsNetworkAndSurvivesAReboot(t *testing.T) {
	c, w := newCluster(t), boot(t)
	w.runtime()
	w.kubelet()
	if err := w.Services.Start(t.Context(), "kubelet"); !errors.Is(err, winerr.ServiceTimeout) {
		t.Errorf("a kubelet without configuration: %v, want %v", err, winerr.ServiceTimeout)
	}
	w.put(`C:\k\join.yaml`, joinConfig(c))
	code, out := w.run(`C:\k\kubeadm.exe`, "join", "--config", `C:\k\join.yaml`)
	if code != 0 || !strings.Contains(out, "This node has joined the cluster:") {
		t.Fatalf("join: code %d, %s", code, out)
	}
	flags, err := w.Files.ReadFile(`C:\var\lib\kubelet\kubeadm-flags.env`)
	if want := "KUBELET_KUBEADM_ARGS=\"--pod-infra-container-image=registry.k8s.io/pause:3.10.1\"\n"; err != nil || string(flags) != want {
		t.Errorf("flags %q %v, want %q", flags, err, want)
	}
	if _, err := w.Files.Stat(`C:\etc\kubernetes\bootstrap-kubelet.conf`); !errors.Is(err, winerr.FileNotFound) {
		t.Errorf("the bootstrap token is still on the disk: %v", err)
	}
	c.await("the node says why it is not ready", func() bool {
		status, message := c.node("k8s-compute-02").condition("Ready")
		return status == "False" && strings.Contains(message, "cni plugin not initialized")
	})
	checkNode(t, c.node("k8s-compute-02"))

	flannel(w, c)
	w.put(`C:\etc\cni\net.d\10-flannel.conf`, `{"name": "flannel.4096", "cniVersion": "0.3.0", "type": "flannel", "delegate": {"type": "win-overlay", "endpointMacPrefix": "0E-2A"}}`)
	c.await("the node says that no pod could start", func() bool {
		_, message := c.node("k8s-compute-02").condition("Ready")
		return strings.Contains(message, "failed to find HNSEndpoint")
	})
	w.put(`C:\etc\cni\net.d\10-flannel.conf`, `{"name": "flannel.4096", "cniVersion": "0.3.0", "type": "flannel", "delegate": {"type": "win-overlay", "apiVersion": 2, "endpointMacPrefix": "0E-2A"}}`)
	c.await("the node is ready", func() bool { s, _ := c.node("k8s-compute-02").condition("Ready"); return s == "True" })

	// The network that flannel made goes with the reboot; everything comes back by itself.
	w.must(w.Reboot(t.Context()))
	c.await("flannel has made its network again", func() bool { _, ok := w.Network.Network("flannel.4096"); return ok })
	c.await("the kubelet runs again", func() bool { s, err := w.Services.Status("kubelet"); return err == nil && s.State == scm.Running })
	c.await("the cluster knows of the second boot", func() bool { return c.node("k8s-compute-02").Status.NodeInfo["bootID"] == fmt.Sprint(w.Boots()) })
	proxy(w, c)
}

// checkNode compares what the kubelet says of the node.
func checkNode(t *testing.T, n nodeView) {
	t.Helper()
	labels := map[string]string{
		"kubernetes.io/os": "windows", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": "k8s-compute-02",
		"beta.kubernetes.io/os": "windows", "beta.kubernetes.io/arch": "amd64", "node.kubernetes.io/windows-build": "10.0.20348",
	}
	if !maps.Equal(n.Metadata.Labels, labels) {
		t.Errorf("labels %v, want %v", n.Metadata.Labels, labels)
	}
	for name, want := range map[string]string{
		"osImage": "Windows Server 2022 Datacenter (simulated by kinit)", "operatingSystem": "windows", "kubeletVersion": "v1.34.4",
		"containerRuntimeVersion": "containerd://2.1.4", "kernelVersion": "10.0.20348.587", "architecture": "amd64",
	} {
		if got := n.Status.NodeInfo[name]; got != want {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
	if !slices.ContainsFunc(n.Spec.Taints, func(x struct{ Key, Value, Effect string }) bool {
		return x.Key == "os" && x.Value == "windows" && x.Effect == "NoSchedule"
	}) {
		t.Errorf("taints %+v, want os=windows:NoSchedule among them", n.Spec.Taints)
	}
	want := []struct{ Type, Address string }{{"InternalIP", "192.0.2.10"}, {"Hostname", "k8s-compute-02"}}
	if !slices.Equal(n.Status.Addresses, want) {
		t.Errorf("addresses %+v, want %+v", n.Status.Addresses, want)
	}
}

// flannel runs flanneld as a task at every boot, with the login of an administrator.
func flannel(w *windows, c *cluster) {
	w.t.Helper()
	w.put(`C:\k\admin.conf`, adminConfig(w.t, c))
	w.put(`C:\k\net-conf.json`, `{"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 1, "Port": 4789}}`)
	env := w.Environment("S-1-5-18")
	env.Set("NODE_NAME", "k8s-compute-02")
	args := []string{"--kube-subnet-mgr", "--kubeconfig-file=/k/admin.conf", "--net-config-path=/k/net-conf.json", "--iface=192.0.2.10", "--ip-masq"}
	var out strings.Builder
	p, err := w.Launch(w.t.Context(), machine.Start{Program: `C:\k\flanneld.exe`, Args: args, Env: env, Stderr: &out})
	w.must(err)
	if code := p.Wait(); code != 1 || !strings.Contains(out.String(), "VNI [1] must be greater than or equal to 4096 on Windows") {
		w.t.Errorf("a small VNI: code %d, %s", code, out.String())
	}
	w.put(`C:\k\net-conf.json`, `{"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}}`)
	w.must(w.Registry.Set(`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`, registry.Text("NODE_NAME", "k8s-compute-02")))
	w.must(w.AddTask(machine.Task{Path: `\`, Name: "flanneld", User: "S-1-5-18", Actions: []machine.TaskAction{{Execute: `C:\k\flanneld.exe`, Arguments: strings.Join(args, " ")}},
		Triggers: []machine.TaskTrigger{{Kind: "Boot"}}}, false))
	w.must(w.RunTask(`\`, "flanneld"))
	c.await("flannel announces the node", func() bool {
		return c.node("k8s-compute-02").Metadata.Annotations["flannel.alpha.coreos.com/kube-subnet-manager"] == "true"
	})
	n := c.node("k8s-compute-02")
	for name, want := range map[string]string{"backend-type": `^vxlan$`, "public-ip": `^192\.0\.2\.10$`, "backend-data": `^\{"VNI":4096,"VtepMAC":"00:15:5d(:[0-9a-f]{2}){3}"\}$`} {
		if got := n.Metadata.Annotations["flannel.alpha.coreos.com/"+name]; !regexp.MustCompile(want).MatchString(got) {
			w.t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	made, ok := w.Network.Network("flannel.4096")
	if !ok || made.Type != "Overlay" || made.VSID != 4096 || made.Subnet.String() != n.Spec.PodCIDR {
		w.t.Errorf("network %+v, want the overlay 4096 of %s", made, n.Spec.PodCIDR)
	}
	c.await("the CNI plugin has its file", func() bool {
		text, err := w.Files.ReadFile(`C:\run\flannel\subnet.env`)
		return err == nil && strings.Contains(string(text), "FLANNEL_MTU=1450\n")
	})
}

// proxy runs kube-proxy as a service.
func proxy(w *windows, c *cluster) {
	w.t.Helper()
	made, _ := w.Network.Network("flannel.4096")
	vip := made.Gateway.Next().String()
	image := `C:\k\kube-proxy.exe --windows-service --kubeconfig=C:\k\admin.conf --proxy-mode=kernelspace --enable-dsr --network-name=flannel.4096 --hostname-override=k8s-compute-02`
	w.must(w.Services.Create(scm.Config{Name: "kube-proxy", Image: image, Start: scm.Manual}))
	w.must(w.Services.Start(w.t.Context(), "kube-proxy"))
	c.await("kube-proxy refuses to work without a source VIP", func() bool {
		s, err := w.Services.Status("kube-proxy")
		return err == nil && s.State == scm.Stopped && s.Exit == winerr.ProcessAborted
	})
	w.must(w.Services.Change("kube-proxy", func(c *scm.Config) { c.Image += " --source-vip=" + vip }))
	w.must(w.Services.Start(w.t.Context(), "kube-proxy"))
	c.await("kube-proxy is well", func() bool { _, ok := w.Bound(machine.TCP(10256)); return ok })
	if all := w.Network.Endpoints(); len(all) != 1 || all[0].Address.String() != vip {
		w.t.Errorf("endpoints %+v, want the source VIP %s", all, vip)
	}
}

// adminConfig is the administrator's login with its certificates in it.
func adminConfig(t *testing.T, c *cluster) string {
	t.Helper()
	out, err := c.kubectl("config", "view", "--flatten", "--output", "json")
	if err != nil || !json.Valid([]byte(out)) {
		t.Fatalf("%s %v", out, err)
	}
	return out
}
