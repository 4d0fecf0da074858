package x509cert_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/x509_ca"
	"kinit/modules/x509_certificate"
)

func authority(t *testing.T, h module.Host, dir string) {
	t.Helper()
	made := x509ca.Kind().New().(*x509ca.Task)
	made.Key, made.Cert, made.CN = dir+"/ca.key", dir+"/ca.crt", "lab CA"
	moduletest.Do(t, made, h)
}

func task(dir string, change func(*x509cert.Task)) module.Task {
	return moduletest.Make(x509cert.Kind(), func(made *x509cert.Task) {
		made.Key, made.Cert, made.CN = dir+"/web.key", dir+"/web.crt", "registry"
		made.CACert, made.CAKey = dir+"/ca.crt", dir+"/ca.key"
		made.DNSNames, made.IPAddresses = []string{"registry.lab", "localhost"}, []string{"10.0.0.253", "127.0.0.1"}
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "k8s"} {
		h := moduletest.LocalHost(t, owner)
		authority(t, h, h.Dir)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(h.Dir, nil) },
			Absent: func() module.Task { return task(h.Dir, func(t *x509cert.Task) { t.State = "absent" }) },
		})
	}
}

func TestServerWithTheCertificateIsTrustedByItsNames(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	authority(t, h, h.Dir)
	moduletest.Do(t, task(h.Dir, func(t *x509cert.Task) { t.Usages = []string{"server", "client"} }), h)
	pair, err := tls.LoadX509KeyPair(h.Path("web.crt"), h.Path("web.key"))
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(h.Path("ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.TLS.PeerCertificates[0].Subject)
	}))
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert,
	}
	server.StartTLS()
	defer server.Close()
	for _, name := range []string{"registry.lab", "127.0.0.1"} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
			RootCAs: roots, ServerName: name, Certificates: []tls.Certificate{pair},
		}}}
		reply, err := client.Get(server.URL)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		reply.Body.Close()
	}
	out, err := exec.Command("openssl", "verify", "-x509_strict", "-CAfile", h.Path("ca.crt"),
		"-purpose", "sslserver", "-verify_ip", "10.0.0.253", h.Path("web.crt")).CombinedOutput()
	if err != nil {
		t.Errorf("openssl verify: %s", out)
	}
}

func TestReissueKeepsTheKeyAndSaysWhy(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	authority(t, h, h.Dir)
	moduletest.Do(t, task(h.Dir, nil), h)
	key, err := os.ReadFile(h.Path("web.key"))
	if err != nil {
		t.Fatal(err)
	}
	changes := []struct {
		want   string
		change func(*x509cert.Task)
	}{
		{"the names or addresses are others", func(t *x509cert.Task) { t.DNSNames = []string{"other"} }},
		{"the names or addresses are others", func(t *x509cert.Task) { t.IPAddresses = nil }},
		{"the usages are others", func(t *x509cert.Task) { t.Usages = []string{"client"} }},
		{"the subject is another", func(t *x509cert.Task) { t.Organizations = []string{"system:masters"} }},
		{"the chain is another", func(t *x509cert.Task) { t.Chain = true }},
	}
	for _, c := range changes {
		made := task(h.Dir, c.change)
		steps, err := made.Plan(t.Context(), h)
		want := fmt.Sprintf("[issue certificate %s: %s]", h.Path("web.crt"), c.want)
		if err != nil || fmt.Sprint(steps) != want {
			t.Errorf("steps %v, %v, want %s", steps, err, want)
		}
		moduletest.Do(t, made, h)
		if left, err := made.Plan(t.Context(), h); err != nil || len(left) > 0 {
			t.Errorf("%s: planned again: %v, %v", c.want, left, err)
		}
		moduletest.Do(t, task(h.Dir, nil), h)
	}
	if now, err := os.ReadFile(h.Path("web.key")); err != nil || string(now) != string(key) {
		t.Errorf("the key has changed, %v", err)
	}
}

func TestCertificateNearItsEndIsRenewed(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	authority(t, h, h.Dir)
	moduletest.Do(t, task(h.Dir, func(t *x509cert.Task) { t.Days, t.RenewBefore = 2, "1h" }), h)
	steps, err := task(h.Dir, func(t *x509cert.Task) { t.Days, t.RenewBefore = 10, "72h" }).Plan(t.Context(), h)
	if err != nil || len(steps) != 1 || !strings.Contains(steps[0].String(), ": it ends ") {
		t.Errorf("steps %v, %v, want one that says when it ends", steps, err)
	}
}

func TestCertificateIsRenewedInTheLastThirdOfItsLife(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	authority(t, h, h.Dir)
	lasts := func(days int) module.Task { return task(h.Dir, func(t *x509cert.Task) { t.Days = days }) }
	moduletest.Do(t, lasts(100), h)
	for days, want := range map[int]int{290: 0, 310: 1} {
		if steps, err := lasts(days).Plan(t.Context(), h); err != nil || len(steps) != want {
			t.Errorf("with 100 of %d days left: steps %v, %v, want %d", days, steps, err, want)
		}
	}
}

func TestNewAuthorityReissues(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	authority(t, h, h.Dir)
	moduletest.Do(t, task(h.Dir, nil), h)
	for _, name := range []string{"ca.key", "ca.crt"} {
		if err := os.Remove(h.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	authority(t, h, h.Dir)
	made := task(h.Dir, nil)
	steps, err := made.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 || !strings.HasSuffix(steps[0].String(), "it is from another authority") {
		t.Fatalf("steps %v, %v", steps, err)
	}
	moduletest.Do(t, made, h)
	if out, err := exec.Command("openssl", "verify", "-CAfile", h.Path("ca.crt"), h.Path("web.crt")).CombinedOutput(); err != nil {
		t.Errorf("openssl verify: %s", out)
	}
}

func TestDryRunBeforeTheAuthorityExistsPlansToIssue(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	steps, err := task(h.Dir, nil).Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v, want one", steps, err)
	}
	err = steps[0].Do(t.Context(), h)
	want := "read the authority's key from " + h.Path("ca.key") + ": no private key in PEM form"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestForeignKeyIsUsedAndForeignCertificateKept(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	authority(t, h, h.Dir)
	out, err := exec.Command("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-out", h.Path("web.key")).CombinedOutput()
	if err != nil {
		t.Fatalf("openssl ecparam: %s", out)
	}
	moduletest.Do(t, task(h.Dir, nil), h)
	if _, err := tls.LoadX509KeyPair(h.Path("web.crt"), h.Path("web.key")); err != nil {
		t.Errorf("the certificate is not for the key that was there: %v", err)
	}
	if err := os.WriteFile(h.Path("theirs.crt"), []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = task(h.Dir, func(made *x509cert.Task) { made.Cert = h.Path("theirs.crt") }).Plan(t.Context(), h)
	want := h.Path("theirs.crt") + " exists and is not owned by cluster k8s: it cannot be read; " +
		"move key and certificate away, or use other paths"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*x509cert.Task){
		`ip_addresses: "10.0.0" is no IP address`:       func(t *x509cert.Task) { t.IPAddresses = []string{"10.0.0"} },
		`usages has "mail", want one of server, client`: func(t *x509cert.Task) { t.Usages = []string{"mail"} },
		`renew_before is "30d", expected a duration such as "720h"`: func(t *x509cert.Task) {
			t.RenewBefore = "30d"
		},
		`renew_before is 720h, expected less than the 7 days of days`: func(t *x509cert.Task) { t.Days, t.RenewBefore = 7, "720h" },
		`expected either ca_cert and ca_key (paths) or ca_cert_pem and ca_key_pem (values)`: func(t *x509cert.Task) {
			t.CAKey = ""
		},
	} {
		moduletest.Refused(t, task("/srv", change), want)
	}
}
