package vault

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/need"
	"kinit/engine/secret"
)

func identity(label string, password secret.Value, read *int) Identity {
	return Identity{Label: label, Password: func(context.Context) (secret.Value, error) {
		*read++
		if password == "" {
			return "", errors.New("cannot be read")
		}
		return password, nil
	}}
}

// encrypt encrypts by the real program.
func encrypt(t *testing.T, text, label, password string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"text": text, "password": password} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"encrypt", "--vault-password-file", "password", "text"}
	if label != "" {
		args = []string{"encrypt", "--vault-id", label + "@password", "--encrypt-vault-id", label, "text"}
	}
	cmd := exec.Command("ansible-vault", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	encrypted, err := os.ReadFile(filepath.Join(dir, "text"))
	if err != nil {
		t.Fatal(err)
	}
	return string(encrypted)
}

func TestTextsOfAnsibleVaultAreDecrypted(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ansible", "ansible-vault")
	old, labelled := encrypt(t, "a: b\n", "", "one"), encrypt(t, strings.Repeat("käse ", 1000), "prod", "two")
	if !strings.HasPrefix(old, "$ANSIBLE_VAULT;1.1;AES256\n") || !strings.HasPrefix(labelled, "$ANSIBLE_VAULT;1.2;AES256;prod\n") {
		t.Fatalf("%.40s, %.40s", old, labelled)
	}
	var first, second int
	keys := New([]Identity{identity("default", "one", &first), identity("prod", "two", &second)})
	for range 2 {
		for text, want := range map[string]string{old: "a: b\n", labelled: strings.Repeat("käse ", 1000)} {
			if got, err := keys.Decrypt(t.Context(), text); got != want || err != nil {
				t.Errorf("%.10q, %v", got, err)
			}
		}
	}
	if first != 1 || second > 1 {
		t.Errorf("the passwords were read %d and %d times, want once", first, second)
	}
	for want, keys := range map[string]*Keys{
		"no password was given":                   nil,
		"none of the passwords (prod) opens it":   New([]Identity{identity("prod", "wrong", &first)}),
		"the password of default: cannot be read": New([]Identity{identity("default", "", &first), identity("prod", "wrong", &first)}),
	} {
		if _, err := keys.Decrypt(t.Context(), labelled); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	damaged := map[string]string{
		"$ANSIBLE_VAULT;1.0;AES\n00":      "it has the format 1.0 with AES, and kinit decrypts 1.1 and 1.2 with AES256",
		"$ANSIBLE_VAULT;1.1;AES256\nxyz":  "it is damaged: it has other characters than hexadecimal digits",
		"$ANSIBLE_VAULT;1.1;AES256\n3030": "it is damaged: a part of it is missing",
		"text":                            "it does not begin with $ANSIBLE_VAULT;1.1;AES256",
	}
	for text, want := range damaged {
		if _, err := keys.Decrypt(t.Context(), text); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
