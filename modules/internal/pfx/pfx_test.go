package pfx_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/modules/internal/pfx"
	"kinit/modules/internal/pki"
)

// pair is a key of a type and a certificate for it.
func pair(t *testing.T, kind string) (cert string, key secret.Value) {
	t.Helper()
	signer, err := pki.NewKey(kind)
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.EncodeKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err = pki.SelfSign(pki.Request{CommonName: "win-01", Validity: time.Hour, Now: time.Now()}, signer)
	if err != nil {
		t.Fatal(err)
	}
	return cert, secret.Value(text)
}

func TestOpenSSLReadsKeyAndCertificateBack(t *testing.T) {
	t.Parallel()
	need.Programs(t, "openssl", "openssl")
	for _, kind := range []string{pki.RSA, pki.ECDSA} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cert, key := pair(t, kind)
			file, err := pfx.Encode(cert, key)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "winrm.pfx")
			if err := os.WriteFile(path, file.Content, 0o600); err != nil {
				t.Fatal(err)
			}
			for what, want := range map[string]string{"-nocerts": key.Reveal(), "-nokeys": cert} {
				if diff := cmp.Diff(want, open(t, path, file.Password, what)); diff != "" {
					t.Errorf("openssl pkcs12 %s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

// open returns the PEM block that OpenSSL finds, without the attributes it prints.
func open(t *testing.T, path string, password secret.Value, what string) string {
	t.Helper()
	cmd := exec.Command("openssl", "pkcs12", "-in", path, "-noenc", "-passin", "stdin", what)
	cmd.Stdin = strings.NewReader(password.Reveal() + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("openssl: %v", err)
	}
	text := string(out)
	return text[strings.Index(text, "-----BEGIN"):]
}

func TestTheSamePairGivesTheSameBytesAndAnotherOneOthers(t *testing.T) {
	t.Parallel()
	cert, key := pair(t, pki.RSA)
	one, err := pfx.Encode(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	again, err := pfx.Encode(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Content, again.Content) || one.Password != again.Password {
		t.Error("the same pair gave another file")
	}
	other, err := pfx.Encode(pair(t, pki.RSA))
	if err != nil {
		t.Fatal(err)
	}
	if other.Password == one.Password {
		t.Error("two keys share a password")
	}
}

func TestCertificateOfAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	cert, _ := pair(t, pki.ECDSA)
	_, key := pair(t, pki.ECDSA)
	if _, err := pfx.Encode(cert, key); err == nil || err.Error() != "the certificate is for another key" {
		t.Errorf("got %v", err)
	}
}
