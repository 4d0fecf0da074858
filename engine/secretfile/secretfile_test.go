package secretfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/secret"
)

// keys makes a key in a file.
func keys(t *testing.T) *Keys {
	t.Helper()
	text, public, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "age.key")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := ReadKeys(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Public(); len(got) != 1 || got[0] != public {
		t.Fatalf("public keys %v, want %s", got, public)
	}
	return read
}

func TestEveryOwnerOfAKeyDecryptsWhatIsEncryptedForIt(t *testing.T) {
	t.Parallel()
	alice, bob := keys(t), keys(t)
	for _, value := range []secret.Value{"hunter22", "", "zwei\nZeilen ä\n", secret.Value(strings.Repeat("x", 100_000))} {
		text, err := Encrypt(value, append(alice.Public(), bob.Public()...)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []*Keys{alice, bob} {
			got, err := k.Decrypt(text)
			if err != nil || got != value {
				t.Errorf("%d bytes: got %d bytes, %v", len(value), len(got), err)
			}
		}
	}
}

func TestIndentationDoesNotCount(t *testing.T) {
	t.Parallel()
	k := keys(t)
	text, err := Encrypt("hunter22", k.Public()...)
	if err != nil {
		t.Fatal(err)
	}
	indented := "\n    " + strings.ReplaceAll(text, "\n", " \r\n    ")
	if got, err := k.Decrypt(indented); err != nil || got.Reveal() != "hunter22" {
		t.Errorf("got %q, %v", got.Reveal(), err)
	}
}

func TestTheProgramAgeReadsTheKeysAndTexts(t *testing.T) {
	t.Parallel()
	// Written by age 1.3 for the key below; both are of this test alone.
	const key = "AGE-SECRET-KEY-1KXY7QWW55XQ53CZ4VQ925FE5QFPCKG8RHC7AYYYVMEJ5ZF0Q65HS42C6E2"
	file := filepath.Join(t.TempDir(), "age.key")
	if err := os.WriteFile(file, []byte("# a comment\n\n"+key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := ReadKeys(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/hello.age")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := k.Decrypt(string(text)); err != nil || got.Reveal() != "hello\n" {
		t.Errorf("got %q, %v", got.Reveal(), err)
	}
}

func TestDecryptTellsWhyItCannot(t *testing.T) {
	t.Parallel()
	mine, theirs := keys(t), keys(t)
	text, err := Encrypt("hunter22", theirs.Public()...)
	if err != nil {
		t.Fatal(err)
	}
	own, err := Encrypt("hunter22", mine.Public()...)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		text string
		is   error
		want string
	}{
		"a plain text":    {"hunter22", ErrNotEncrypted, `not an encrypted value: the text does not start with "-----BEGIN AGE ENCRYPTED FILE-----"`},
		"others' text":    {text, ErrNoKey, "encrypted for other keys, not for " + mine.Public()[0] + " (" + mine.file + ")"},
		"half of a text":  {own[:len(own)/2], nil, ""},
		"a changed text":  {strings.Replace(own, own[60:64], "AAAA", 1), nil, ""},
		"an empty frame":  {"-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----\n", nil, ""},
		"a changed frame": {strings.Replace(own, "END AGE", "END AGED", 1), nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, err := mine.Decrypt(test.text)
			if err == nil || value != "" {
				t.Fatalf("decrypted to %d bytes, want an error", len(value))
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v is not %v", err, test.is)
			}
			if test.want != "" && err.Error() != test.want {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

func TestEncryptTellsWhatIsNoPublicKey(t *testing.T) {
	t.Parallel()
	private, _, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	private = strings.TrimSpace(private[strings.LastIndex(private, "AGE-"):])
	for key, want := range map[string]string{
		"":       `"" is no public key such as age1…`,
		"age1xy": `"age1xy" is no public key such as age1…`,
		private:  "that is a private key; give the public key, which starts with age1",
	} {
		if _, err := Encrypt("hunter22", key); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Encrypt("hunter22"); err == nil || err.Error() != "give at least one public key to encrypt for" {
		t.Errorf("without a key: %v", err)
	}
}

func TestReadKeysTellsWhatIsWrongWithoutTheKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadKeys(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	half := filepath.Join(dir, "half")
	if err := os.WriteFile(half, []byte("AGE-SECRET-KEY-1HALF\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ReadKeys(half)
	want := half + " has no valid private keys: expected a line AGE-SECRET-KEY-… a key, as kinit or age-keygen writes it"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestKeysDoNotPrintThemselves(t *testing.T) {
	t.Parallel()
	k := keys(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		if text := fmt.Sprintf(verb, k); strings.Contains(strings.ToUpper(text), "AGE-SECRET-KEY") {
			t.Errorf("%s prints a private key", verb)
		}
	}
}

func TestFileIsTheEnvironmentsOrTheUsers(t *testing.T) {
	t.Parallel()
	for want, environ := range map[string][]string{
		"/home/u/.config/kinit/age.key": {"HOME=/x", "KINIT_AGE_KEY_FILE="},
		"/run/key":                      {"KINIT_AGE_KEY_FILE=/old", "KINIT_AGE_KEY_FILE=/run/key"},
	} {
		if got := File(environ, "/home/u"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
