package kube_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"kinit/engine/need"
	programs "kinit/test/kube"
)

// token is what nodes join with.
const token = "abcdef.0123456789abcdef"

// patience is how long the cluster gets for one thing on a slow machine.
const patience = 3 * time.Minute

// cluster is a real control plane for one test: etcd, an API server and the controller
// manager, set up by kubeadm's own phases.
type cluster struct {
	t      *testing.T
	folder string
	api    string // the API server's address
	caHash string
}

// newCluster starts a control plane. Its programs are in the folder that the variable
// KINIT_KUBERNETES_BIN names: etcd, and those of Kubernetes.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	bin := os.Getenv("KINIT_KUBERNETES_BIN")
	if bin == "" {
		need.Missing(t, "kubernetes", "KINIT_KUBERNETES_BIN is not set")
	}
	c := &cluster{t: t, folder: t.TempDir()}
	programs.Link(t, bin, c.folder, "kube-apiserver", "kube-controller-manager", "kubectl", "kubeadm")
	c.certificates()
	etcd, peer, port := strconv.Itoa(need.Port(t)), strconv.Itoa(need.Port(t)), strconv.Itoa(need.Port(t))
	c.api = "127.0.0.1:" + port
	c.write("admin.conf", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": [{"name": "c", "cluster": {"server": "https://%s", "certificate-authority": %q}}],
		"users": [{"name": "u", "user": {"client-certificate": %q, "client-key": %q}}],
		"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}`, c.api, c.path("ca.crt"), c.path("admin.crt"), c.path("admin.key")))
	c.start(bin+"/etcd", "--data-dir", c.path("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", "http://127.0.0.1:"+etcd, "--advertise-client-urls", "http://127.0.0.1:"+etcd,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "default=http://127.0.0.1:"+peer)
	c.start(c.path("kube-apiserver"), "--etcd-servers", "http://127.0.0.1:"+etcd, "--secure-port", port, "--bind-address", "127.0.0.1",
		"--tls-cert-file", c.path("api.crt"), "--tls-private-key-file", c.path("api.key"), "--client-ca-file", c.path("ca.crt"),
		"--authorization-mode", "Node,RBAC", "--enable-admission-plugins", "NodeRestriction", "--enable-bootstrap-token-auth",
		"--service-account-issuer", "https://lab", "--service-account-key-file", c.path("admin.key"), "--service-account-signing-key-file", c.path("admin.key"),
		"--service-cluster-ip-range", "10.96.0.0/24")
	c.await("the API server answers", func() bool { _, err := c.kubectl("get", "namespace", "kube-system"); return err == nil })
	c.start(c.path("kube-controller-manager"), "--kubeconfig", c.path("admin.conf"), "--leader-elect=false", "--secure-port", "0",
		"--cluster-signing-cert-file", c.path("ca.crt"), "--cluster-signing-key-file", c.path("ca.key"), "--root-ca-file", c.path("ca.crt"),
		"--allocate-node-cidrs", "--cluster-cidr", "10.244.0.0/16", "--service-account-private-key-file", c.path("admin.key"),
		"--controllers", "*,bootstrap-signer-controller")
	c.setUp()
	return c
}

func (c *cluster) path(name string) string { return filepath.Join(c.folder, name) }

func (c *cluster) write(name, content string) {
	c.t.Helper()
	if err := os.WriteFile(c.path(name), []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// setUp does what "kubeadm init" does for joining nodes, by its own phases.
func (c *cluster) setUp() {
	c.t.Helper()
	c.write("init.yaml", fmt.Sprintf(`apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
bootstrapTokens: [{token: %s, ttl: 24h}]
nodeRegistration: {name: first, criSocket: "unix:///run/containerd/containerd.sock"}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.34.4
controlPlaneEndpoint: %s
networking: {podSubnet: 10.244.0.0/16}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
`, token, c.api))
	for _, phase := range [][]string{{"upload-config", "kubeadm"}, {"upload-config", "kubelet"}, {"bootstrap-token"}} {
		args := append(append([]string{"init", "phase"}, phase...), "--config", c.path("init.yaml"), "--kubeconfig", c.path("admin.conf"))
		if out, err := exec.Command(c.path("kubeadm"), args...).CombinedOutput(); err != nil {
			c.t.Fatalf("kubeadm %s: %s", strings.Join(args, " "), out)
		}
	}
	c.await("the cluster is signed with the token", func() bool {
		out, err := c.kubectl("--namespace", "kube-public", "get", "configmap", "cluster-info", "--output", "jsonpath={.data.jws-kubeconfig-abcdef}")
		return err == nil && out != ""
	})
}

// certificates makes the authority and what it signs.
func (c *cluster) certificates() {
	c.t.Helper()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubernetes"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	caKey := c.certificate("ca", ca, ca, nil)
	sum := sha256.Sum256(c.publicKey(caKey))
	c.caHash = "sha256:" + hex.EncodeToString(sum[:])
	for i, one := range []struct {
		name    string
		subject pkix.Name
		usage   x509.ExtKeyUsage
	}{
		{"api", pkix.Name{CommonName: "kube-apiserver"}, x509.ExtKeyUsageServerAuth},
		{"admin", pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}}, x509.ExtKeyUsageClientAuth},
	} {
		c.certificate(one.name, &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 2)), Subject: one.subject, ExtKeyUsage: []x509.ExtKeyUsage{one.usage},
			KeyUsage: x509.KeyUsageDigitalSignature, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		}, ca, caKey)
	}
}

func (c *cluster) publicKey(key *ecdsa.PrivateKey) []byte {
	c.t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		c.t.Fatal(err)
	}
	return der
}

// certificate writes a key and its certificate; without a signer's key it signs itself.
func (c *cluster) certificate(name string, template, parent *x509.Certificate, signer *ecdsa.PrivateKey) *ecdsa.PrivateKey {
	c.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		c.t.Fatal(err)
	}
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		c.t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(name+".crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	c.write(name+".key", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})))
	return key
}

// start runs a program until the test ends. What it wrote is shown when the test fails.
func (c *cluster) start(program string, args ...string) {
	c.t.Helper()
	log, err := os.Create(c.path(filepath.Base(program) + ".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && c.t.Failed() {
			c.t.Logf("%s: … %s", filepath.Base(program), text[max(0, len(text)-2000):])
		}
	})
}

// kubectl asks the cluster as its administrator.
func (c *cluster) kubectl(args ...string) (string, error) {
	cmd := exec.Command(c.path("kubectl"), append([]string{"--kubeconfig", c.path("admin.conf")}, args...)...)
	out, err := cmd.Output()
	return string(out), err
}

// await waits until a question is answered with yes.
func (c *cluster) await(what string, ask func() bool) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for !ask() {
		if time.Now().After(deadline) {
			c.t.Fatalf("after %v it is not so: %s", patience, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// nodeView is what these tests look at of a Node.
type nodeView struct {
	Metadata struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		PodCIDR string `json:"podCIDR"`
		Taints  []struct{ Key, Value, Effect string }
	} `json:"spec"`
	Status struct {
		Conditions []struct{ Type, Status, Reason, Message string }
		Addresses  []struct{ Type, Address string }
		NodeInfo   map[string]any `json:"nodeInfo"`
	} `json:"status"`
}

// node reads a Node; it is empty where there is none.
func (c *cluster) node(name string) nodeView {
	var n nodeView
	if out, err := c.kubectl("get", "node", name, "--output", "json"); err == nil {
		if err := json.Unmarshal([]byte(out), &n); err != nil {
			c.t.Fatal(err)
		}
	}
	return n
}

// condition is the status and the message of one of a Node's conditions.
func (n nodeView) condition(kind string) (status, message string) {
	for _, one := range n.Status.Conditions {
		if one.Type == kind {
			return one.Status, one.Message
		}
	}
	return "", ""
}
