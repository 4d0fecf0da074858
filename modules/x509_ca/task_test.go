package x509ca_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/pki"
	"kinit/modules/x509_ca"
)

// task returns the module's task with the arguments of a small authority.
func task(dir string, change func(*x509ca.Task)) module.Task {
	return moduletest.Make(x509ca.Kind(), func(made *x509ca.Task) {
		made.Key, made.Cert = dir+"/pki/ca.key", dir+"/pki/ca.crt"
		made.CN, made.Org = "lab CA", "kinit"
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "k8s"} {
		h := moduletest.LocalHost(t, owner)
		moduletest.Run(t, moduletest.Case{
			Host: h,
			New:  func() module.Task { return task(h.Dir, nil) },
			Absent: func() module.Task {
				return task(h.Dir, func(t *x509ca.Task) { t.State = "absent" })
			},
		})
	}
}

func TestOpensslAcceptsTheAuthority(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"ecdsa": "id-ecPublicKey", "rsa": "(2048 bit)"} {
		h := moduletest.LocalHost(t, "")
		moduletest.Do(t, task(h.Dir, func(t *x509ca.Task) { t.Type = kind }), h)
		cert := h.Path("pki", "ca.crt")
		if out, err := exec.Command("openssl", "verify", "-x509_strict", "-CAfile", cert, cert).CombinedOutput(); err != nil {
			t.Errorf("%s: openssl verify: %s", kind, out)
		}
		out, err := exec.Command("openssl", "x509", "-in", cert, "-noout", "-text").CombinedOutput()
		if err != nil {
			t.Fatalf("openssl x509: %s", out)
		}
		for _, part := range []string{"Subject: O = kinit, CN = lab CA", "CA:TRUE", want} {
			if !strings.Contains(string(out), part) {
				t.Errorf("%s: openssl does not show %q in:\n%s", kind, part, out)
			}
		}
		info, err := os.Stat(h.Path("pki", "ca.key"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: key mode %v, %v, want 0600", kind, info.Mode(), err)
		}
	}
}

func TestLostCertificateIsSignedAgainWithTheSameKey(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	made := task(h.Dir, nil)
	moduletest.Do(t, made, h)
	before := moduletest.Outputs(t, made, h)
	if err := os.Remove(h.Path("pki", "ca.crt")); err != nil {
		t.Fatal(err)
	}
	moduletest.Do(t, made, h)
	after := moduletest.Outputs(t, made, h)
	if before["spki_hash"] != after["spki_hash"] || before["key_pem"] != after["key_pem"] {
		t.Error("the key has changed")
	}
	if before["cert_pem"] == after["cert_pem"] {
		t.Error("the certificate was not made again")
	}
}

func TestSpkiHashIsWhatKubeadmPins(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	made := task(h.Dir, nil)
	moduletest.Do(t, made, h)
	// The recipe of the documentation of kubeadm join.
	script := `openssl x509 -pubkey -in "$1" | openssl pkey -pubin -outform der | openssl dgst -sha256 -hex | sed 's/^.* //'`
	out, err := exec.Command("sh", "-c", script, "sh", h.Path("pki", "ca.crt")).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "sha256:" + strings.TrimSpace(string(out))
	if got := moduletest.Outputs(t, made, h)["spki_hash"].AsString(); got != want {
		t.Errorf("spki_hash %s, want %s", got, want)
	}
}

func TestOutputsMakeTheKeyASecret(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	made := task(h.Dir, nil)
	moduletest.Do(t, made, h)
	key := moduletest.Outputs(t, made, h)["key_pem"].AsString()
	if got := h.Redact("key: " + key); got != "key: ***" {
		t.Errorf("redacted %q, want %q", got, "key: ***")
	}
}

func TestForeignFilesAreKept(t *testing.T) {
	t.Parallel()
	key, err := pki.NewKey("ecdsa")
	if err != nil {
		t.Fatal(err)
	}
	pem, err := pki.EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/srv/pki/ca.key", pem, 0o600)
	h.FS.Put("/srv/pki/ca.crt", "somebody's", 0o644)
	_, err = task("/srv", nil).Plan(t.Context(), h)
	want := "/srv/pki/ca.key exists and is not owned by cluster k8s: " +
		"the certificate cannot be read; move key and certificate away, or use other paths"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if text, _ := h.FS.Text("/srv/pki/ca.key"); text != pem {
		t.Error("the foreign key has changed")
	}
	absent := task("/srv", func(t *x509ca.Task) { t.State = "absent" })
	if _, err := absent.Plan(t.Context(), h); err == nil {
		t.Error("absent would remove foreign files")
	}
}

func TestPlanSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	moduletest.Do(t, task(h.Dir, nil), h)
	for want, change := range map[string]func(*x509ca.Task){
		"the subject is another":     func(t *x509ca.Task) { t.CN = "other" },
		"the key is not of type rsa": func(t *x509ca.Task) { t.Type = "rsa" },
		"the key is missing":         func(t *x509ca.Task) { t.Key += ".gone" },
		"the certificate is missing": func(t *x509ca.Task) { t.Cert += ".gone" },
	} {
		steps, err := task(h.Dir, change).Plan(t.Context(), h)
		if err != nil || len(steps) != 1 {
			t.Fatalf("%s: %v, %v", want, steps, err)
		}
		if got := steps[0].String(); !strings.HasSuffix(got, ": "+want) {
			t.Errorf("step %q, want it to end in %q", got, want)
		}
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*x509ca.Task){
		`key is "ca.key", expected an absolute path`:         func(t *x509ca.Task) { t.Key = "ca.key" },
		`cn is empty, expected the name of the authority`:    func(t *x509ca.Task) { t.CN = "" },
		`days is 0, expected at least 1`:                     func(t *x509ca.Task) { t.Days = 0 },
		`type is "dsa", want one of ecdsa, rsa`:              func(t *x509ca.Task) { t.Type = "dsa" },
		`state is "gone", want one of present, absent`:       func(t *x509ca.Task) { t.State = "gone" },
		`key and cert are the same path, expected two files`: func(t *x509ca.Task) { t.Cert = t.Key },
		`cert is "", expected an absolute path`:              func(t *x509ca.Task) { t.Cert = "" },
	} {
		moduletest.Refused(t, task("/srv", change), want)
	}
}
