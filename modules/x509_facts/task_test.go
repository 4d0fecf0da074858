package x509facts

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/certfile"
	"kinit/modules/internal/pki"
)

// pair returns a certificate and its key, made at a time and for some days.
func pair(t *testing.T, name string, made time.Time, days int) (cert, key string) {
	t.Helper()
	signer, err := pki.NewKey("ecdsa")
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.EncodeKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	r := pki.Request{CommonName: name, Organizations: []string{"lab"}, Validity: time.Duration(days) * 24 * time.Hour, Now: made}
	if cert, err = pki.SelfSign(r, signer); err != nil {
		t.Fatal(err)
	}
	return cert, text
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return &Task{Paths: []string{h.Path("*.crt")}} }, Host: h, NoSteps: true})
}

func TestCertificatesOfPEMFilesAndKubeconfigsAreReadAndKeysStay(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	made := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	web, webKey := pair(t, "web", made, 10)
	admin, adminKey := pair(t, "admin", made, 365)
	write(t, h.Path("a b.pem"), web+webKey)
	write(t, h.Path("admin.conf"), "users:\n- user:\n    client-certificate-data: "+base64.StdEncoding.EncodeToString([]byte(admin))+
		"\n    client-key-data: "+base64.StdEncoding.EncodeToString([]byte(adminKey))+"\n")
	task := &Task{Paths: []string{h.Path("*.pem"), h.Path("none.crt"), h.Path("admin.conf")}}
	got, err := task.Outputs(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	want := Outputs{Certificates: []Certificate{
		{Path: h.Path("a b.pem"), Subject: "CN=web,O=lab", Issuer: "CN=web,O=lab", Authority: true, NotBefore: "2025-03-01T11:00:00Z", NotAfter: "2025-03-11T12:00:00Z"},
		{Path: h.Path("admin.conf"), Subject: "CN=admin,O=lab", Issuer: "CN=admin,O=lab", Authority: true, NotBefore: "2025-03-01T11:00:00Z", NotAfter: "2026-03-01T12:00:00Z"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out, err := h.Run(t.Context(), certfile.Command(task.Paths...))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{webKey, adminKey, base64.StdEncoding.EncodeToString([]byte(adminKey))} {
		if body := strings.Split(key, "\n")[min(1, strings.Count(key, "\n"))]; strings.Contains(out.Stdout, body) {
			t.Errorf("the key is printed: %s", body)
		}
	}
}

func TestWhatIsNoCertificateIsAnErrorThatNamesTheFile(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	for content, want := range map[string]string{
		"-----BEGIN CERTIFICATE-----\nMIIB\n":                            "has no end",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n": "cannot be read",
		"    client-certificate-data: MIIB\n":                            "cannot be read",
		"    client-certificate-data: MIB\n":                             "is not in base64",
	} {
		write(t, h.Path("x"), content)
		_, err := (&Task{Paths: []string{h.Path("x")}}).Outputs(t.Context(), h)
		if err == nil || !strings.Contains(err.Error(), h.Path("x")) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", content, err, want)
		}
	}
}

// A file can be cut off within a certificate, before its key or before another file.
func TestKeyBehindACertificateWithoutAnEndStays(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	made := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	web, key := pair(t, "web", made, 10)
	cut := web[:strings.Index(web, "-----END")]
	write(t, h.Path("a"), cut+key)
	write(t, h.Path("b"), cut)
	write(t, h.Path("c"), web)
	for _, first := range []string{"a", "b"} {
		paths := []string{h.Path(first), h.Path("c")}
		_, err := (&Task{Paths: paths}).Outputs(t.Context(), h)
		if want := "the certificate in " + h.Path(first) + " has no end"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		out, err := h.Run(t.Context(), certfile.Command(paths...))
		if body := strings.Split(key, "\n")[1]; err != nil || strings.Contains(out.Stdout, body) {
			t.Errorf("%v, or the key is printed: %s", err, out.Stdout)
		}
	}
}

func TestPathsAreAbsolute(t *testing.T) {
	t.Parallel()
	moduletest.Refused(t, &Task{Paths: []string{"pki/ca.crt"}}, `paths has "pki/ca.crt", expected an absolute path`)
}
