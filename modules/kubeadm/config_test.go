package kubeadm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/modules/kubeadm"
	"kinit/test/golden"
	"kinit/test/kube"
)

const token, certificateKey = "abcdef.0123456789abcdef", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// cases are arguments as a playbook has them, by the golden file's name.
var cases = map[string]string{
	"init-least": `
		path = "/etc/kubernetes/kinit.yaml"
		kind = "init"`,
	"init-lab": `
		path                   = "/etc/kubernetes/kinit.yaml"
		kind                   = "init"
		node_name              = "k8s-controller-01"
		advertise_address      = "10.0.0.1"
		control_plane_endpoint = "api.k8s.kinit.local:6443"
		kubernetes_version     = "v1.34.4"
		cluster_name           = "k8s"
		token                  = "` + token + `"
		token_ttl              = "0s"
		certificate_key        = "` + certificateKey + `"
		image_repository       = "registry.k8s.kinit.local:5000"
		pod_subnet             = "10.244.0.0/16"
		service_subnet         = "10.96.0.0/12"
		dns_domain             = "cluster.local"
		cert_sans              = ["api.k8s.kinit.local", "10.0.0.253"]
		cri_socket             = "unix:///run/containerd/containerd.sock"
		taints                 = []
		timeouts               = { controlPlaneComponentHealthCheck = "15m", kubernetesAPICall = "5m" }
		extra_args = {
			controller_manager = { leader-elect = "false", v = "2" }
			etcd               = { heartbeat-interval = "1000" }
			kubelet            = { node-ip = "10.0.0.1" }
		}
		kubelet          = { cgroupDriver = "systemd", maxPods = 50, failSwapOn = false, containerLogMaxSize = "10Mi", registryBurst = 20000000 }
		kube_proxy       = { mode = "nftables", conntrack = { maxPerCore = 0 } }
		patches          = "/etc/kubernetes/patches"
		skip_phases      = ["addon/coredns"]
		ignore_preflight = ["NumCPU", "Mem"]
		merge            = { ClusterConfiguration = { featureGates = { ControlPlaneKubeletLocalMode = true }, networking = { dnsDomain = "lab.local" } } }`,
	"join-login": `
path           = "/etc/kubernetes/kinit.yaml"
kind           = "join"
discovery_file = "/etc/kubernetes/kinit-login.conf"
`,
	"join-worker": `
		path                   = "/etc/kubernetes/kinit.yaml"
		kind                   = "join"
		node_name              = "k8s-compute-01"
		control_plane_endpoint = "api.k8s.kinit.local:6443"
		token                  = "` + token + `"
		ca_cert_hash           = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		taints                 = ["dedicated=lab:NoSchedule", "slow:PreferNoSchedule"]`,
	"join-controller": `
		path                   = "/etc/kubernetes/kinit.yaml"
		kind                   = "join"
		control_plane          = true
		advertise_address      = "10.0.0.2"
		control_plane_endpoint = "api.k8s.kinit.local:6443"
		token                  = "` + token + `"
		certificate_key        = "` + certificateKey + `"
		ca_cert_hash           = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		timeouts               = { tlsBootstrap = "10m", discovery = "10m" }`,
}

// config decodes arguments as a playbook does.
func config(t *testing.T, text string) *kubeadm.ConfigTask {
	t.Helper()
	made := moduletest.Decode(t, kubeadm.ConfigKind(), text).(*kubeadm.ConfigTask)
	if err := module.Check(made); err != nil {
		t.Fatal(err)
	}
	return made
}

// render applies the task and returns the file it wrote.
func render(t *testing.T, text string) string {
	t.Helper()
	h := moduletest.NewFakeHost(t, "k8s")
	made := config(t, text)
	moduletest.Do(t, made, h)
	written, _ := h.FS.Text(made.Path)
	return written
}

func TestConfigGolden(t *testing.T) {
	t.Parallel()
	for name, text := range cases {
		golden.Check(t, filepath.Join("testdata", name+".yaml"), render(t, text))
	}
}

func TestKubeadmAcceptsTheConfigurations(t *testing.T) {
	t.Parallel()
	kubeadm := kube.Program(t, "kubeadm")
	login := filepath.Join(t.TempDir(), "login.conf") // kubeadm asks whether it is there
	if err := os.WriteFile(login, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range cases {
		file := filepath.Join(t.TempDir(), name+".yaml")
		rendered := strings.ReplaceAll(render(t, text), "/etc/kubernetes/kinit-login.conf", login)
		if err := os.WriteFile(file, []byte(rendered), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(kubeadm, "config", "validate", "--config", file).CombinedOutput()
		if err != nil || strings.Contains(strings.ToLower(string(out)), "unknown field") {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

func TestConfigContract(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	moduletest.Run(t, moduletest.Case{
		Host: h,
		New:  func() module.Task { return config(t, cases["init-lab"]) },
		Absent: func() module.Task {
			made := config(t, cases["init-lab"])
			made.State = "absent"
			return made
		},
		Secrets: []secret.Value{token, certificateKey},
	})
}

func TestChangedConfigShowsADiffWithoutSecrets(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	moduletest.Do(t, config(t, cases["join-worker"]), h)
	other := config(t, strings.ReplaceAll(cases["join-worker"], token, "fedcba.fedcba9876543210"))
	other.NodeName = "k8s-compute-02"
	steps, err := other.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	text := steps[0].String()
	for _, part := range []string{"-  name: k8s-compute-01\n", "+  name: k8s-compute-02\n", "    token: ***\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("the step has no %q:\n%s", part, text)
		}
	}
	for _, part := range []string{token, "fedcba"} {
		if strings.Contains(text, part) {
			t.Errorf("the step shows %q:\n%s", part, text)
		}
	}
	info, err := h.FS.Stat(t.Context(), "/etc/kubernetes/kinit.yaml")
	if err != nil || info.Mode.Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode, err)
	}
}

func TestConfigValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*kubeadm.ConfigTask){
		`kind is "reset", want one of init, join`:                                    func(t *kubeadm.ConfigTask) { t.Kind = "reset" },
		`token and discovery_file are empty, expected what to join with`:             func(t *kubeadm.ConfigTask) { t.Token = "" },
		`expected discovery_file, or else token and ca_cert_hash, and not both`:      func(t *kubeadm.ConfigTask) { t.DiscoveryFile = "/etc/kubernetes/login.conf" },
		`discovery_file is "login.conf", expected an absolute path`:                  func(t *kubeadm.ConfigTask) { t.DiscoveryFile = "login.conf" },
		`control_plane_endpoint is empty, expected the API server to join at`:        func(t *kubeadm.ConfigTask) { t.ControlPlaneEndpoint = "" },
		`ca_cert_hash is "e3b0", expected "sha256:" and a hash, as x509_ca gives it`: func(t *kubeadm.ConfigTask) { t.CACertHash = "e3b0" },
		`timeouts has discovery = "long", expected a duration such as "10m"`: func(t *kubeadm.ConfigTask) {
			t.Timeouts = map[string]string{"discovery": "long"}
		},
		`extra_args has "proxy", expected one of apiserver, controller_manager, scheduler, etcd, kubelet`: func(t *kubeadm.ConfigTask) {
			t.ExtraArgs = map[string]map[string]string{"proxy": {}}
		},
		`taints has "slow", expected key=value:Effect or key:Effect with NoSchedule, PreferNoSchedule or NoExecute`: func(t *kubeadm.ConfigTask) {
			t.Taints = []string{"slow"}
		},
	} {
		made := config(t, cases["join-worker"])
		change(made)
		moduletest.Refused(t, made, want)
	}
}
