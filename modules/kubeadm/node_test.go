package kubeadm_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/modules/internal/pki"
	"kinit/modules/kubeadm"
)

// cluster is a TLS server that answers as an API server does, and what kubeadm
// writes on the nodes.
type cluster struct {
	ca, caKey string
	server    *httptest.Server
	ready     atomic.Bool
	nodes     atomic.Value             // of []string
	fails     func() bool              // kubeadm init or join, after it has done something; nil for never
	renews    func()                   // by kubeadm certs renew
	joins     func()                   // before kubeadm join does something; nil for nothing
	says      func(path string) string // what the server answers about nodes and pods; nil for nothing
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{}
	c.nodes.Store([]string(nil))
	key, err := pki.NewKey(pki.ECDSA)
	if err != nil {
		t.Fatal(err)
	}
	if c.caKey, err = pki.EncodeKey(key); err != nil {
		t.Fatal(err)
	}
	c.ca, err = pki.SelfSign(pki.Request{CommonName: "kubernetes", Validity: time.Hour, Now: time.Now()}, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, certKey := c.issue(t, pki.Request{CommonName: "kube-apiserver", Server: true, DNSNames: []string{"kubernetes", "api.lab"}})
	pair, err := tls.X509KeyPair([]byte(cert), []byte(certKey))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(c.ca))
	c.server = httptest.NewUnstartedServer(http.HandlerFunc(c.serve))
	c.server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: roots, ClientAuth: tls.VerifyClientCertIfGiven}
	c.server.StartTLS()
	t.Cleanup(c.server.Close)
	return c
}

func (c *cluster) issue(t *testing.T, r pki.Request) (cert, key string) {
	t.Helper()
	ca, err := pki.ParseCert(c.ca)
	if err != nil {
		t.Fatal(err)
	}
	caKey, err := pki.ParseKey(c.caKey)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := pki.NewKey(pki.ECDSA)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = pki.EncodeKey(signer); err != nil {
		t.Fatal(err)
	}
	r.Validity, r.Now = time.Hour, time.Now()
	if cert, err = pki.Issue(r, signer.Public(), ca, caKey); err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func (c *cluster) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/readyz" {
		if !c.ready.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return
	}
	user := ""
	if len(r.TLS.PeerCertificates) > 0 {
		user = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	for _, node := range c.nodes.Load().([]string) {
		if own := "/api/v1/nodes/" + node; user == "system:node:"+node && (r.URL.Path == own || r.URL.Path == "/api/v1/namespaces/kube-system/pods" && r.URL.Query().Get("fieldSelector") == "spec.nodeName="+node) {
			if c.says != nil {
				_, _ = io.WriteString(w, c.says(r.URL.Path))
			}
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

// host is a machine that reaches the cluster, with a kubeadm that does what
// kubeadm does to files.
func (c *cluster) host(t *testing.T, name string) *moduletest.FakeHost {
	t.Helper()
	h := moduletest.NewFakeHost(t, "k8s")
	h.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", c.server.Listener.Addr().String())
	}
	kubeconfig := func(user string) string {
		cert, key := c.issue(t, pki.Request{CommonName: user, Client: true})
		encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
		return fmt.Sprintf(`apiVersion: v1
clusters: [{cluster: {certificate-authority-data: %s, server: "https://api.lab:6443"}, name: k}]
users: [{name: u, user: {client-certificate-data: %s, client-key-data: %s}}]
`, encode(c.ca), encode(cert), encode(key))
	}
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		if call.Argv[0] != "kubeadm" {
			return moduletest.Reply{}, false
		}
		if call.Argv[1] != "reset" && c.fails != nil && c.fails() {
			return moduletest.Reply{Changes: true, Code: 1, Stderr: "timed out"}, true
		}
		switch call.Argv[1] {
		case "init":
			h.FS.Put("/etc/kubernetes/manifests/etcd.yaml", "", 0o600)
			h.FS.Put("/etc/kubernetes/admin.conf", kubeconfig("kubernetes-admin"), 0o600)
			c.ready.Store(true)
		case "join":
			if c.joins != nil {
				c.joins()
			}
			h.FS.Put("/etc/kubernetes/kubelet.conf", kubeconfig("system:node:"+name), 0o600)
			c.nodes.Store([]string{name})
		case "certs":
			c.renews()
		case "reset":
			_ = h.FS.Remove(t.Context(), "/var/lib/etcd")
			for _, path := range []string{"pki", "manifests", "admin.conf", "kubelet.conf"} {
				_ = h.FS.Remove(t.Context(), "/etc/kubernetes/"+path)
			}
		}
		return moduletest.Reply{Changes: true, Stdout: "[certs] Using the existing CA\nplain\n"}, true
	})
	return h
}

func initTask(c *cluster, change func(*kubeadm.InitTask)) *kubeadm.InitTask {
	return moduletest.Make(kubeadm.InitKind(), func(made *kubeadm.InitTask) {
		made.Config, made.Wait = "/etc/kubernetes/kinit.yaml", "2s"
		made.PKI = map[string]secret.Value{"ca.crt": secret.Value(c.ca), "ca.key": secret.Value(c.caKey)}
	}, change)
}

func joinTask(change func(*kubeadm.JoinTask)) *kubeadm.JoinTask {
	return moduletest.Make(kubeadm.JoinKind(), func(made *kubeadm.JoinTask) {
		made.Config, made.Wait = "/etc/kubernetes/kinit.yaml", "2s"
	}, change)
}

func wantSteps(t *testing.T, h module.Host, made module.Task, want ...string) []module.Step {
	t.Helper()
	steps := moduletest.Steps(t, made, h)
	var texts []string
	for _, s := range steps {
		texts = append(texts, s.String())
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Fatalf("steps (-want +got):\n%s", diff)
	}
	return steps
}

func TestInitContract(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	moduletest.Run(t, moduletest.Case{
		Host: c.host(t, "cp"), New: func() module.Task { return initTask(c, nil) },
		Absent:  func() module.Task { return initTask(c, func(t *kubeadm.InitTask) { t.State = "absent" }) },
		Secrets: []secret.Value{secret.Value(c.caKey)},
	})
}

func TestInitUsesTheGivenAuthorityAndTellsItsPhase(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "cp")
	made := initTask(c, func(t *kubeadm.InitTask) {
		t.UploadCerts, t.SkipPhases, t.IgnorePreflight = true, []string{"addon"}, []string{"Mem", "NumCPU"}
	})
	moduletest.Do(t, made, h)
	want := []string{"kubeadm init --skip-token-print --skip-certificate-key-print --upload-certs " +
		"--config /etc/kubernetes/kinit.yaml --ignore-preflight-errors Mem,NumCPU --skip-phases addon"}
	if diff := cmp.Diff(want, h.Changes()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if text, _ := h.FS.Text("/etc/kubernetes/pki/ca.key"); text != c.caKey {
		t.Error("the CA's key is not the given one")
	}
	if info, err := h.FS.Stat(t.Context(), "/etc/kubernetes/pki/ca.key"); err != nil || info.Mode.Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode, err)
	}
	if got := h.Reports()[0].Text; got != "certs: using the existing CA" {
		t.Errorf("progress %q", got)
	}
	values := moduletest.Outputs(t, made, h)
	ca, err := pki.ParseCert(c.ca)
	if err != nil || values["ca_cert_hash"].AsString() != pki.SPKIHash(ca) || values["ca_cert"].AsString() != c.ca {
		t.Errorf("outputs %v, %v", values, err)
	}
	conf, _ := h.FS.Text("/etc/kubernetes/admin.conf")
	if shown := h.Redact(conf); values["kubeconfig"].AsString() != conf || !strings.Contains(shown, "client-key-data: ***}") {
		t.Errorf("the key is not masked: %s", shown)
	}
}

func TestInitThatWasInterruptedEarlyIsResetAndRunAgain(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "cp")
	h.FS.Put("/etc/kubernetes/kinit-kubeadm", "started\n", 0o600)
	h.FS.Put("/etc/kubernetes/manifests/etcd.yaml", "", 0o600)
	made := initTask(c, func(t *kubeadm.InitTask) { t.CRISocket = "unix:///run/c.sock" })
	wantSteps(t, h, made, "reset the interrupted kubeadm init on fake and run it again")
	moduletest.Do(t, made, h)
	want := []string{
		"kubeadm reset --force --cri-socket unix:///run/c.sock",
		"kubeadm init --skip-token-print --skip-certificate-key-print --config /etc/kubernetes/kinit.yaml",
	}
	if diff := cmp.Diff(want, h.Changes()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if text, _ := h.FS.Text("/etc/kubernetes/pki/ca.crt"); text != c.ca {
		t.Error("the CA was not written again after the reset")
	}
	wantSteps(t, h, made)
}

// begun makes what an init has left that was interrupted while it waited for the control
// plane.
func begun(h *moduletest.FakeHost, c *cluster) {
	h.FS.Put("/etc/kubernetes/kinit.yaml", configText, 0o600)
	h.FS.Put("/etc/kubernetes/admin.conf", "kind: Config\n", 0o600)
	h.FS.Put("/etc/kubernetes/pki/ca.crt", c.ca, 0o644)
	h.FS.Put("/etc/kubernetes/pki/ca.key", c.caKey, 0o600)
	h.FS.Put("/var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\n", 0o600)
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		h.FS.Put("/etc/kubernetes/manifests/"+name+".yaml", "kind: Pod\n", 0o600)
	}
}

// configText is the configuration that begun writes, and configHash its SHA-256.
const (
	configText = "kind: InitConfiguration\n"
	configHash = "8a91043965bfcf092c9dca2443b7e95ff6a90da24f985e769a9a7b234cd55fa5\n"
)

func TestInterruptedInitGoesOnWithThePhaseThatWaitsForTheControlPlane(t *testing.T) {
	t.Parallel()
	const (
		goesOn = "kubeadm init --skip-token-print --skip-certificate-key-print --config /etc/kubernetes/kinit.yaml " +
			"--skip-phases addon,preflight,certs,kubeconfig,etcd,control-plane,kubelet-start"
		init = "kubeadm init --skip-token-print --skip-certificate-key-print --config /etc/kubernetes/kinit.yaml --skip-phases addon"
	)
	type test struct {
		marker string
		change func(h *moduletest.FakeHost, c *cluster)
		step   string
		want   []string
	}
	resumes := func(test test) test {
		test.step, test.want = "go on with the interrupted kubeadm init on fake", []string{goesOn}
		return test
	}
	resets := func(test test) test {
		test.step = "reset the interrupted kubeadm init on fake and run it again"
		test.want = []string{"kubeadm reset --force", init}
		return test
	}
	for name, test := range map[string]test{
		"control plane is started": resumes(test{marker: "started " + configHash}),
		"gone on before, and the API server answers": resumes(test{
			marker: "resumed " + configHash, change: func(_ *moduletest.FakeHost, c *cluster) { c.ready.Store(true) },
		}),
		"gone on before, and the API server does not answer": resets(test{marker: "resumed " + configHash}),
		"another configuration": resets(test{
			marker: "started " + configHash, change: func(h *moduletest.FakeHost, _ *cluster) { h.FS.Put("/etc/kubernetes/kinit.yaml", "other", 0o600) },
		}),
		"another authority": resets(test{
			marker: "started " + configHash, change: func(h *moduletest.FakeHost, _ *cluster) { h.FS.Put("/etc/kubernetes/pki/ca.crt", "other", 0o600) },
		}),
		"kubelet is not configured": resets(test{
			marker: "started " + configHash, change: func(h *moduletest.FakeHost, _ *cluster) { _ = h.FS.Remove(t.Context(), "/var/lib/kubelet/config.yaml") },
		}),
		"a manifest is missing": resets(test{
			marker: "started " + configHash, change: func(h *moduletest.FakeHost, _ *cluster) {
				_ = h.FS.Remove(t.Context(), "/etc/kubernetes/manifests/kube-scheduler.yaml")
			},
		}),
		"marker of an earlier kinit": resets(test{marker: "started\n"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			h := c.host(t, "cp")
			begun(h, c)
			h.FS.Put("/etc/kubernetes/kinit-kubeadm", test.marker, 0o600)
			if test.change != nil {
				test.change(h, c)
			}
			made := initTask(c, func(t *kubeadm.InitTask) { t.SkipPhases = []string{"addon"} })
			wantSteps(t, h, made, test.step)
			moduletest.Do(t, made, h)
			if diff := cmp.Diff(test.want, h.Changes()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			if text, _ := h.FS.Text("/etc/kubernetes/pki/ca.crt"); text != c.ca {
				t.Error("the CA is not the given one")
			}
			wantSteps(t, h, made)
		})
	}
}

func TestInitThatFailsHasTheMarkerThatTellsTheNextOneHowFarItCame(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "cp")
	h.FS.Put("/etc/kubernetes/kinit.yaml", configText, 0o600)
	c.fails = func() bool {
		begun(h, c)
		return true
	}
	made := initTask(c, nil)
	steps := wantSteps(t, h, made, "kubeadm init on fake")
	if err := steps[0].Do(t.Context(), h); err == nil || !strings.Contains(err.Error(), "kubeadm init: ") {
		t.Fatalf("error %v, want that of kubeadm init", err)
	}
	if marker, _ := h.FS.Text("/etc/kubernetes/kinit-kubeadm"); marker != "started "+configHash {
		t.Errorf("marker %q, want %q", marker, "started "+configHash)
	}
	c.fails = nil
	wantSteps(t, h, made, "go on with the interrupted kubeadm init on fake")
	moduletest.Do(t, made, h)
	if marker, _ := h.FS.Text("/etc/kubernetes/kinit-kubeadm"); marker != "done\n" {
		t.Errorf("marker %q, want %q", marker, "done\n")
	}
}

func TestMadeClusterIsWaitedForAndNeverReset(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "cp")
	moduletest.Do(t, initTask(c, nil), h)
	c.ready.Store(false)
	made := initTask(c, func(t *kubeadm.InitTask) { t.Wait = "20ms" })
	steps := wantSteps(t, h, made, "wait for the API server of fake")
	err := steps[0].Do(t.Context(), h)
	want := "wait for the API server of fake: not so after 20ms"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	c.ready.Store(true)
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Error(err)
	}
	if got := h.Changes(); len(got) != 1 {
		t.Errorf("commands %v, want one init", got)
	}
}

func TestNodeOfSomebodyElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "cp")
	h.FS.Put("/etc/kubernetes/admin.conf", "theirs", 0o600)
	want := `fake is a Kubernetes node already and was not made by kinit: run "kubeadm reset" on it if nothing needs it`
	for _, made := range []module.Task{
		initTask(c, nil), initTask(c, func(t *kubeadm.InitTask) { t.State = "absent" }),
		joinTask(nil), joinTask(func(t *kubeadm.JoinTask) { t.State = "absent" }),
	} {
		if _, err := made.Plan(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestAnotherClustersServerIsAnError(t *testing.T) {
	t.Parallel()
	c, other := newCluster(t), newCluster(t)
	h := c.host(t, "cp")
	moduletest.Do(t, initTask(c, nil), h)
	h.Dialer = other.host(t, "cp").Dialer
	_, err := initTask(c, nil).Plan(t.Context(), h)
	if err == nil || !strings.HasPrefix(err.Error(), "the API server at https://127.0.0.1:6443 is not the cluster's: ") {
		t.Errorf("error %v", err)
	}
}

func TestJoinContract(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	moduletest.Run(t, moduletest.Case{
		Host: c.host(t, "worker"), New: func() module.Task { return joinTask(nil) },
		Absent: func() module.Task { return joinTask(func(t *kubeadm.JoinTask) { t.State = "absent" }) },
	})
}

// withLogin makes a task that joins with a certificate of the cluster's authority.
func withLogin(c *cluster) func(*kubeadm.JoinTask) {
	return func(t *kubeadm.JoinTask) {
		t.Login = &kubeadm.Login{
			File: "/etc/kubernetes/login.conf", Server: "https://api.lab:6443", CACert: c.ca, CAKey: secret.Value(c.caKey),
		}
	}
}

func TestJoinHasALoginOfItsOwnOnlyWhileKubeadmRuns(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "worker")
	var seen string
	c.joins = func() { seen, _ = h.FS.Text("/etc/kubernetes/login.conf") }
	made := joinTask(withLogin(c))
	moduletest.Do(t, made, h)
	wantSteps(t, h, made)
	if _, there := h.FS.Text("/etc/kubernetes/login.conf"); there {
		t.Error("the login is there after the join")
	}
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct {
			User struct {
				Cert string `yaml:"client-certificate-data"`
				Key  string `yaml:"client-key-data"`
			}
		}
	}
	if err := yaml.Unmarshal([]byte(seen), &config); err != nil || len(config.Users) != 1 {
		t.Fatalf("login %q, %v, want a kubeconfig with one user", seen, err)
	}
	pemText, _ := base64.StdEncoding.DecodeString(config.Users[0].User.Cert)
	cert, err := pki.ParseCert(string(pemText))
	if err != nil {
		t.Fatal(err)
	}
	ca, _ := pki.ParseCert(c.ca)
	if err := cert.CheckSignatureFrom(ca); err != nil {
		t.Errorf("the certificate is not the authority's: %v", err)
	}
	if got := cert.Subject.String(); got != "CN=system:bootstrap:fake,O=system:bootstrappers:kubeadm:default-node-token" {
		t.Errorf("subject %q", got)
	}
	if left := time.Until(cert.NotAfter); left > 2*time.Hour || left < time.Hour {
		t.Errorf("good for %v, want 1 h to 2 h", left)
	}
	if key := config.Users[0].User.Key; h.Redact(key) == key {
		t.Error("the key is not masked")
	}
	if got := config.Clusters[0].Cluster.Server; got != "https://api.lab:6443" {
		t.Errorf("server %q", got)
	}
}

func TestLoginOfAFailedJoinIsRemoved(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "worker")
	made := joinTask(withLogin(c))
	c.fails = func() bool { return true }
	steps := wantSteps(t, h, made, "kubeadm join on fake")
	if err := steps[0].Do(t.Context(), h); err == nil {
		t.Error("no error, want that of kubeadm")
	}
	if _, there := h.FS.Text("/etc/kubernetes/login.conf"); there {
		t.Error("the login is there after the join")
	}
	c.fails = nil
	moduletest.Do(t, made, h)
	h.FS.Put("/etc/kubernetes/login.conf", "of a run that was killed", 0o600)
	wantSteps(t, h, made, "remove the login /etc/kubernetes/login.conf that an interrupted join has left")
	moduletest.Do(t, made, h)
	wantSteps(t, h, made)
}

// kubeadm may fail when it has written files that it does not accept the next time.
func TestAFailedJoinIsResetBeforeTheNextOne(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "worker")
	made := joinTask(nil)
	c.fails = func() bool { return true }
	if err := wantSteps(t, h, made, "kubeadm join on fake")[0].Do(t.Context(), h); err == nil {
		t.Error("no error, want that of kubeadm")
	}
	c.fails = nil
	moduletest.Do(t, made, h)
	wantSteps(t, h, made)
	const join = "kubeadm join --config /etc/kubernetes/kinit.yaml"
	if diff := cmp.Diff([]string{join, "kubeadm reset --force", join}, h.Changes()); diff != "" {
		t.Error(diff)
	}
}

func TestWorkerThatTheClusterForgotRegistersAgainAndIsNotReset(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "worker")
	made := joinTask(nil)
	moduletest.Do(t, made, h)
	values, err := module.Outputs(t.Context(), made, h)
	if err != nil || values["node"].AsString() != "worker" {
		t.Errorf("node %v, %v, want worker", values["node"], err)
	}
	wantSteps(t, h, made)
	c.nodes.Store([]string{"another"})
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		if call.Argv[0] != "systemctl" {
			return moduletest.Reply{}, false
		}
		c.nodes.Store([]string{"another", "worker"})
		return moduletest.Reply{Changes: true}, true
	})
	wantSteps(t, h, made, "restart the kubelet of fake, which the cluster does not know any more, so that it registers again")
	moduletest.Do(t, made, h)
	wantSteps(t, h, made)
	want := []string{"kubeadm join --config /etc/kubernetes/kinit.yaml", "systemctl restart kubelet.service"}
	if diff := cmp.Diff(want, h.Changes()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

const etcdFile = "/var/lib/etcd/member/snap/db"

func TestRepairNeverDeletesDataOfEtcdThatKinitDidNotLeaveUnfinished(t *testing.T) {
	t.Parallel()
	const (
		foreign = "fake has data of etcd in /var/lib/etcd that kinit did not write, and kubeadm would delete it: move it away, or remove it if nothing needs it"
		lost    = "fake has data of etcd in /var/lib/etcd, but its files in /etc/kubernetes are missing: bring them back from a backup. " +
			"If another controller has the cluster's data, recreate the node with kinit replace"
		runs = "the cluster does not know fake any more, but etcd runs there, and a reset would delete its data in /var/lib/etcd: " +
			"to register the node again, run \"systemctl restart kubelet\" on it; to recreate it, use kinit replace"
	)
	for name, test := range map[string]struct {
		make   func(c *cluster) module.Task
		change func(h *moduletest.FakeHost, c *cluster)
		want   string
	}{
		"init beside data of another etcd": {change: func(*moduletest.FakeHost, *cluster) {}, want: foreign},
		"join beside data of another etcd": {make: func(*cluster) module.Task { return joinTask(nil) }, change: func(*moduletest.FakeHost, *cluster) {}, want: foreign},
		"finished init whose files are gone": {change: func(h *moduletest.FakeHost, _ *cluster) {
			h.FS.Put("/etc/kubernetes/kinit-kubeadm", "done\n", 0o600)
		}, want: lost},
		"finished join whose files are gone": {make: func(*cluster) module.Task { return joinTask(nil) }, change: func(h *moduletest.FakeHost, _ *cluster) {
			h.FS.Put("/etc/kubernetes/kinit-kubeadm", "done\n", 0o600)
		}, want: lost},
		"member of etcd that is no node any more": {make: func(*cluster) module.Task { return joinTask(nil) }, change: func(h *moduletest.FakeHost, c *cluster) {
			moduletest.Do(t, joinTask(nil), h)
			h.FS.Put(etcdFile, "data", 0o600)
			c.nodes.Store([]string{"another"})
		}, want: runs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			h := c.host(t, "worker")
			if test.want != runs {
				h.FS.Put(etcdFile, "data", 0o600)
			}
			test.change(h, c)
			made := module.Task(initTask(c, nil))
			if test.make != nil {
				made = test.make(c)
			}
			before := len(h.Changes())
			for range 2 {
				if _, err := made.Plan(t.Context(), h); err == nil || err.Error() != test.want {
					t.Errorf("error %v, want %s", err, test.want)
				}
			}
			if got := h.Changes()[before:]; len(got) > 0 {
				t.Errorf("commands %v, want none", got)
			}
			if text, _ := h.FS.Text(etcdFile); text != "data" {
				t.Error("the data is gone")
			}
		})
	}
}

func TestRepairAfterAKillMayDeleteDataOfEtcd(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(h *moduletest.FakeHost, c *cluster) module.Task{
		"init that was killed": func(h *moduletest.FakeHost, c *cluster) module.Task {
			h.FS.Put("/etc/kubernetes/kinit-kubeadm", "started\n", 0o600)
			h.FS.Put("/etc/kubernetes/manifests/etcd.yaml", "", 0o600)
			return initTask(c, nil)
		},
		"join that was killed": func(h *moduletest.FakeHost, c *cluster) module.Task {
			h.FS.Put("/etc/kubernetes/kinit-kubeadm", "started\n", 0o600)
			return joinTask(nil)
		},
		"init that restores the data itself": func(h *moduletest.FakeHost, c *cluster) module.Task {
			h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
				return moduletest.Reply{Changes: true}, call.Argv[0] == "restore"
			})
			return initTask(c, func(t *kubeadm.InitTask) { t.Prepare = []string{"restore"} })
		},
		"node whose member has left etcd": func(h *moduletest.FakeHost, c *cluster) module.Task {
			moduletest.Do(t, joinTask(nil), h)
			c.nodes.Store([]string{"another"})
			dial := h.Dialer
			h.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == "127.0.0.1:2379" {
					return nil, errors.New("connection refused")
				}
				return dial(ctx, network, address)
			}
			return joinTask(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			h := c.host(t, "worker")
			made := change(h, c)
			h.FS.Put(etcdFile, "data", 0o600)
			moduletest.Do(t, made, h)
			wantSteps(t, h, made)
		})
	}
}

func TestServerThatDoesNotAnswerIsNoReasonToJoinAgain(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.host(t, "worker")
	moduletest.Do(t, joinTask(nil), h)
	c.server.Close()
	_, err := joinTask(nil).Plan(t.Context(), h)
	want := "the API server at https://api.lab:6443 does not answer"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestNodeValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*kubeadm.InitTask){
		`config is "k.yaml", expected an absolute path`: func(t *kubeadm.InitTask) { t.Config = "k.yaml" },
		`pki has "../ca.crt", expected a path below /etc/kubernetes/pki such as "etcd/ca.crt"`: func(t *kubeadm.InitTask) {
			t.PKI = map[string]secret.Value{"../ca.crt": "x"}
		},
		`pki has nothing for "ca.crt", expected its content`: func(t *kubeadm.InitTask) { t.PKI = map[string]secret.Value{"ca.crt": ""} },
		`wait is "long", expected a duration such as "5m"`:   func(t *kubeadm.InitTask) { t.Wait = "long" },
		`port is 0, expected a port`:                         func(t *kubeadm.InitTask) { t.Port = 0 },
	} {
		moduletest.Refused(t, initTask(&cluster{ca: "a", caKey: "b"}, change), want)
	}
}
