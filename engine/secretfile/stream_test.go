package secretfile

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// sealed encrypts a text.
func sealed(t *testing.T, to Readers, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := to.Encrypt(&out)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFilesAreDecryptedByKeysAndByPassphrases(t *testing.T) {
	t.Parallel()
	mine := keys(t)
	phrase, err := Passphrase("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("etcd", 100_000)
	for _, c := range []struct {
		to   Readers
		with *Keys
	}{{Readers{Public: mine.Public()}, mine}, {Readers{Passphrase: "correct horse"}, phrase}} {
		file := sealed(t, c.to, text)
		if bytes.Contains(file, []byte("etcdetcd")) {
			t.Error("the file has a part of the text")
		}
		plain, err := c.with.Reader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(plain); err != nil || string(got) != text {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

func TestWhoCannotReadAFileLearnsWhy(t *testing.T) {
	t.Parallel()
	mine, theirs := keys(t), keys(t)
	wrong, err := Passphrase("wrong")
	if err != nil {
		t.Fatal(err)
	}
	forKeys, forPhrase := sealed(t, Readers{Public: theirs.Public()}, "x"), sealed(t, Readers{Passphrase: "right"}, "x")
	for want, c := range map[string]struct {
		keys *Keys
		file []byte
	}{
		"encrypted for other keys, not for " + mine.Public()[0] + " (" + mine.file + ")": {mine, forKeys},
		"encrypted for other keys: it is encrypted with a passphrase":                    {mine, forPhrase},
		"encrypted for other keys: it is for keys, or has another passphrase":            {wrong, forKeys},
	} {
		if _, err := c.keys.Reader(bytes.NewReader(c.file)); !errors.Is(err, ErrNoKey) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := wrong.Reader(bytes.NewReader(forPhrase)); !errors.Is(err, ErrNoKey) {
		t.Errorf("a wrong passphrase: %v", err)
	}
	if _, err := mine.Reader(strings.NewReader("PK\x03\x04")); !errors.Is(err, ErrNotEncrypted) {
		t.Errorf("a file of another kind: %v", err)
	}
}

func TestFileWithoutReadersIsRefused(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Readers{
		"give at least one public key to encrypt for": {},
		"give public keys or a passphrase, not both":  {Public: []string{"age1"}, Passphrase: "x"},
		`"age1xy" is no public key such as age1…`:     {Public: []string{"age1xy"}},
	} {
		if err := r.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if w, err := r.Encrypt(io.Discard); w != nil || err == nil {
			t.Errorf("%v encrypts without readers", r.Public)
		}
	}
}
