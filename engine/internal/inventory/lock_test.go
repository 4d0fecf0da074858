package inventory

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/secret"
)

// pair is a certificate that signs itself, and its key, in PEM.
func pair(t *testing.T) (certificate, key string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

func TestALockBlockSaysWhereTheTeamKeepsItsLocks(t *testing.T) {
	t.Parallel()
	certificate, key := pair(t)
	src := folder(t, map[string]string{"ca.pem": certificate, "etcd.pem": certificate, "etcd.key": key, "etcd.password": "hunter22\n",
		"hosts.hcl": "host \"h1\" {}", "team.hcl": `
lock {
  etcd {
    endpoints   = ["https://etcd1.example.com:2379", "https://[2001:db8::2]:2379"]
    ca          = file("ca.pem")
    certificate = file("etcd.pem")
    key         = file("etcd.key")
    user        = "team"
    password    = trimspace(file("etcd.password"))
    prefix      = "/ops/locks"
  }
}`})
	inv, diags := Load(t.Context(), src, []string{"hosts.hcl", "team.hcl"})
	if len(diags) > 0 || inv.Lock == nil {
		t.Fatalf("lock %v: %v", inv.Lock, diags)
	}
	want := Etcd{Endpoints: []string{"https://etcd1.example.com:2379", "https://[2001:db8::2]:2379"}, CA: certificate,
		Certificate: certificate, Key: secret.Value(key), User: "team", Password: "hunter22", Prefix: "/ops/locks"}
	if diff := cmp.Diff(want, inv.Lock.Etcd); diff != "" {
		t.Error(diff)
	}
	if secrets := inv.Secrets(); !slices.Contains(secrets, key) || !slices.Contains(secrets, "hunter22") {
		t.Error("the key or the password is no secret")
	}
}

func TestALockNeedsEndpointsOnly(t *testing.T) {
	t.Parallel()
	inv, _ := load(t, `lock { 
  etcd { endpoints = ["http://10.0.0.1:2379"] }
}`)
	if diff := cmp.Diff(Etcd{Endpoints: []string{"http://10.0.0.1:2379"}, Prefix: "/kinit/locks"}, inv.Lock.Etcd); diff != "" {
		t.Error(diff)
	}
	if inv, _ := load(t, `host "h1" {}`); inv.Lock != nil {
		t.Errorf("a lock without a block: %+v", inv.Lock)
	}
}

func TestAKeyInAnInventoryThatCannotBeReadIsSecret(t *testing.T) {
	t.Parallel()
	_, key := pair(t)
	src := folder(t, map[string]string{"i.hcl": fmt.Sprintf("lock {\n  etcd {\n    key = <<EOF\n%sEOF\n", key)})
	inv, diags := Load(t.Context(), src, []string{"i.hcl"})
	if !diags.HasErrors() || !slices.ContainsFunc(inv.Secrets(), func(s string) bool { return s+"\n" == key }) {
		t.Errorf("problems %v, but the key is no secret", diags)
	}
}

func TestAPasswordInAnEndpointIsRefusedAndSecret(t *testing.T) {
	t.Parallel()
	src := folder(t, map[string]string{"i.hcl": "lock {\n  etcd { endpoints = [\"https://team:hunter22@e1:2379\"] }\n}\n"})
	inv, diags := Load(t.Context(), src, []string{"i.hcl"})
	if !diags.HasErrors() || !slices.Contains(inv.Secrets(), "hunter22") {
		t.Errorf("problems %v, secrets %q", diags, inv.Secrets())
	}
}
