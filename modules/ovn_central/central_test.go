package ovncentral

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

// pki makes a CA and a certificate that serves as the server's and as a client's.
func pki(t *testing.T, dir string) (ca, cert, key string) {
	t.Helper()
	caKey, template := newKey(t), &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caDER, err := x509.CreateCertificate(rand.Reader, template, template, &caKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	leafKey, leaf := newKey(t), &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "chassis"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, template, &leafKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "ca", "CERTIFICATE", caDER), write(t, dir, "cert", "CERTIFICATE", leafDER), write(t, dir, "key", "PRIVATE KEY", keyDER)
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func write(t *testing.T, dir, name, kind string, der []byte) string {
	path := filepath.Join(dir, name+".pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// central is a southbound database with certificates beside it, and a task for it.
type central struct {
	*ovntest.Servers
	port, ca, cert, key string
}

func start(t *testing.T) *central {
	c := &central{Servers: ovntest.Start(t, ovn.Southbound()), port: fmt.Sprint(need.Port(t))}
	c.ca, c.cert, c.key = pki(t, c.Dir)
	c.SB("--inactivity-probe=7000", "set-connection", "punix:"+c.Dir+"/theirs.sock")
	return c
}

func (c *central) host(owner string) *moduletest.FakeHost {
	h := c.Host(owner)
	for _, file := range []string{c.ca, c.cert, c.key} {
		h.FS.Put(file, "", 0o600)
	}
	h.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
	return h
}

func (c *central) task(set func(*Task)) *Task {
	return moduletest.Make(Kind(), func(t *Task) {
		t.SBListen, t.PrivateKey, t.Certificate, t.CACert = "pssl:"+c.port+":127.0.0.1", c.key, c.cert, c.ca
	}, set)
}

func TestCentralListensWithTLS(t *testing.T) {
	t.Parallel()
	c := start(t)
	h := c.host("c1")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task { return c.task(nil) }, Host: h,
		Snapshot: func() string { return strings.Join(c.rows(), "\n") },
	})
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pem, _ := os.ReadFile(c.ca)
	pool.AppendCertsFromPEM(pem)
	conn, err := tls.Dial("tcp", "127.0.0.1:"+c.port, &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool})
	if err != nil {
		t.Fatalf("a client with a certificate of the CA: %v", err)
	}
	conn.Close()
	if got := c.Output("ovsdb-client", "--private-key="+c.key, "--certificate="+c.cert, "--ca-cert="+c.ca, "list-dbs", "ssl:127.0.0.1:"+c.port); !strings.Contains(got, "OVN_Southbound") {
		t.Errorf("databases over TLS: %q", got)
	}
	want := []string{
		"pssl:" + c.port + ":127.0.0.1|60000||kinit-owner-c1=true",
		"punix:" + c.Dir + "/theirs.sock|7000||",
	}
	if got := c.rows(); !slices.Equal(got, want) {
		t.Errorf("connections %q, want %q", got, want)
	}
	for range 2 {
		moduletest.Do(t, c.task(func(t *Task) { t.State = "absent" }), h)
	}
	if got := c.rows(); !slices.Equal(got, want[1:]) {
		t.Errorf("connections left %q, want %q", got, want[1:])
	}
	if got := c.Rows(ovn.Southbound(), "SSL", "private_key"); len(got) > 0 {
		t.Errorf("TLS left: %q", got)
	}
}

func (c *central) rows() []string {
	return c.Rows(ovn.Southbound(), "Connection", "target,inactivity_probe,role,external_ids")
}

func TestListenerServesTwoClusters(t *testing.T) {
	t.Parallel()
	c := start(t)
	c1, c2 := c.host("c1"), c.host("c2")
	moduletest.Do(t, c.task(nil), c1)
	want := []string{"share TLS of the southbound database with cluster c1\nshare listener pssl:" + c.port + ":127.0.0.1 with cluster c1"}
	if got := moduletest.Texts(t, c.task(nil), c2); !slices.Equal(got, want) {
		t.Errorf("second cluster: %q, want %q", got, want)
	}
	moduletest.Do(t, c.task(nil), c2)
	moduletest.Do(t, c.task(func(t *Task) { t.State = "absent" }), c1)
	if left := moduletest.Texts(t, c.task(nil), c2); len(left) > 0 {
		t.Errorf("the second cluster after the first left: %q", left)
	}
	other := c.task(func(t *Task) { t.PrivateKey = c.cert })
	ovntest.Refused(t, c1, other, "TLS of the southbound database differs, and it is shared by cluster c2; give all the same arguments\n"+
		"change the files of TLS\n  private_key: "+c.key+" -> "+c.cert)
}

func TestListenerMoves(t *testing.T) {
	t.Parallel()
	c := start(t)
	h := c.host("c1")
	moduletest.Do(t, c.task(nil), h)
	next := fmt.Sprintf("pssl:%d:127.0.0.1", need.Port(t))
	moduletest.Do(t, c.task(func(t *Task) { t.SBListen, t.Probe = next, "0s" }), h)
	want := []string{next + "|0||kinit-owner-c1=true", "punix:" + c.Dir + "/theirs.sock|7000||"}
	if got := c.rows(); !slices.Equal(got, want) {
		t.Errorf("connections %q, want %q", got, want)
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	t.Parallel()
	c := start(t)
	before := c.rows()
	ovntest.Refused(t, c.host("c1"), c.task(func(t *Task) { t.CACert = "/no/ca.pem" }), "ca_cert: there is no file /no/ca.pem on fake")
	if after := c.rows(); !slices.Equal(after, before) {
		t.Errorf("connections %q, want %q", after, before)
	}
}

func TestPortThatDoesNotListenIsTold(t *testing.T) {
	t.Parallel()
	c := start(t)
	h := c.host("c1")
	h.Dialer = func(context.Context, string, string) (net.Conn, error) { return nil, os.ErrDeadlineExceeded }
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := c.task(nil).listens(ctx, h); err != context.DeadlineExceeded {
		t.Errorf("listens: %v, want the context's error", err)
	}
}

func TestAddressIsWhereTheHostReachesThePort(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"pssl:6642": "127.0.0.1:6642", "pssl:6642:192.0.2.1": "192.0.2.1:6642", "ptcp:6642:0.0.0.0": "127.0.0.1:6642",
		"pssl:6642:[::]": "127.0.0.1:6642", "pssl:6642:[2001:db8::1]": "[2001:db8::1]:6642",
	} {
		if got := (&Task{SBListen: listen}).address(); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	c := &central{port: "6642", ca: "ca", cert: "cert", key: "key"}
	for want, set := range map[string]func(*Task){
		`sb_listen is "6642", want "pssl:6642"`:                                                        func(t *Task) { t.SBListen = "6642" },
		`private_key, certificate or ca_cert is empty, want the paths of all three to listen with TLS`: func(t *Task) { t.Certificate = "" },
		`inactivity_probe is "60", want a duration such as "60s"`:                                      func(t *Task) { t.Probe = "60" },
		`state is "x", want one of present, absent`:                                                    func(t *Task) { t.State = "x" },
	} {
		moduletest.Refused(t, c.task(set), want)
	}
}
