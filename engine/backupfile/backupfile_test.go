package backupfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

// pair makes keys, and those who own them.
func pair(t *testing.T) (*secretfile.Keys, secretfile.Readers) {
	t.Helper()
	text, public, err := secretfile.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := secretfile.ParseKeys("age.key", secret.Value(text))
	if err != nil {
		t.Fatal(err)
	}
	return keys, secretfile.Readers{Public: []string{public}}
}

var about = Manifest{ID: "1f", Owner: "k8s", Instance: "2e", Made: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC), About: map[string]string{"kubernetes": "v1.34.4"}}

// zeros is a part of a size, without being in memory.
func zeros(size int64) io.Reader { return io.LimitReader(zero{}, size) }

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

const large = 96 << 20

// written writes a backup with two small parts and a large one.
func written(t *testing.T, to secretfile.Readers) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k8s.backup")
	err := Write(file, false, to, func(w *Writer) (Manifest, error) {
		return about, errors.Join(w.Text("pki/ca.key", "KEY"), w.Text("empty", ""), w.Stream("etcd.db", large, zeros(large)))
	})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestABackupIsReadAsItWasWrittenInLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // what users have
	keys, to := pair(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file := written(t, to)
	b, err := Read(file, keys)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if used := int64(after.HeapSys) - int64(before.HeapSys); used > large/4 {
		t.Errorf("%d bytes of memory were taken for a part of %d", used, large)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if len(b.Texts) != 2 || b.Texts["pki/ca.key"] != "KEY" || b.Texts["empty"] != "" {
		t.Errorf("texts %d", len(b.Texts))
	}
	names := []string{}
	for _, p := range b.Parts {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"pki/ca.key", "empty", "etcd.db"}) || b.ID != "1f" || b.Owner != "k8s" || b.Instance != "2e" || !b.Made.Equal(about.Made) || b.About["kubernetes"] != "v1.34.4" {
		t.Errorf("manifest %+v", b.Manifest)
	}
	part, err := OpenPart(file, keys, b.Parts[2])
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	if n, err := io.Copy(io.Discard, part); n != large || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestAPartThatIsNotAsTheManifestSaysIsAnErrorAtItsEnd(t *testing.T) {
	t.Parallel()
	keys, to := pair(t)
	file := written(t, to)
	part, err := OpenPart(file, keys, Part{Name: "pki/ca.key", SHA256: strings.Repeat("0", 64)})
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	if _, err := io.ReadAll(part); err == nil || err.Error() != "the backup "+file+" is damaged: the part pki/ca.key is not as its manifest says" {
		t.Errorf("%v", err)
	}
	if _, err := OpenPart(file, keys, Part{Name: "sa.key"}); err == nil || err.Error() != "the backup "+file+" is damaged: there is no part sa.key" {
		t.Errorf("%v", err)
	}
}

func TestACutFileAndAChangedByteAreNoticed(t *testing.T) {
	t.Parallel()
	keys, to := pair(t)
	file := filepath.Join(t.TempDir(), "small")
	err := Write(file, false, to, func(w *Writer) (Manifest, error) { return about, w.Stream("etcd.db", 3<<16, zeros(3<<16)) })
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// 64 KiB are encrypted as one piece: cuts between pieces are those that other formats overlook.
	for _, at := range []int{0, 1, 100, len(whole) / 2, len(whole) - 1, len(whole) - 1<<16, 200 + 2*(1<<16+16)} {
		other := filepath.Join(t.TempDir(), "cut")
		if err := os.WriteFile(other, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(other, keys); err == nil || !strings.Contains(err.Error(), other) {
			t.Errorf("cut at %d of %d: %v", at, len(whole), err)
		}
	}
	for at := 0; at < len(whole); at += 997 {
		other := filepath.Join(t.TempDir(), "changed")
		changed := bytes.Clone(whole)
		changed[at] ^= 1
		if err := os.WriteFile(other, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(other, keys); err == nil || !strings.Contains(err.Error(), other) {
			t.Errorf("changed at %d of %d: %v", at, len(whole), err)
		}
	}
}

func TestABackupIsForItsReadersAlone(t *testing.T) {
	t.Parallel()
	_, to := pair(t)
	others, _ := pair(t)
	file := written(t, to)
	if _, err := Read(file, others); !errors.Is(err, secretfile.ErrNoKey) {
		t.Errorf("another key: %v", err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("a tar"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(plain, others); !errors.Is(err, secretfile.ErrNotEncrypted) || !strings.HasPrefix(err.Error(), plain+" is no backup: ") {
		t.Errorf("a plain file: %v", err)
	}
}

func TestABackupIsWrittenWholeOrNotAtAllAndReplacesNothingUnasked(t *testing.T) {
	t.Parallel()
	keys, to := pair(t)
	file := filepath.Join(t.TempDir(), "k8s.backup")
	empty := func(*Writer) (Manifest, error) { return about, nil }
	for want, add := range map[string]func(*Writer) (Manifest, error){
		"etcd has gone": func(w *Writer) (Manifest, error) { return about, errors.New("etcd has gone") },
		"etcd.db does not have 5 bytes, as was announced": func(w *Writer) (Manifest, error) { return about, w.Stream("etcd.db", 5, zeros(4)) },
		"etcd.db does not have 3 bytes, as was announced": func(w *Writer) (Manifest, error) { return about, w.Stream("etcd.db", 3, zeros(4)) },
		"its manifest lacks an id or an owner":            func(w *Writer) (Manifest, error) { return Manifest{}, nil },
		"there are two parts named a":                     func(w *Writer) (Manifest, error) { return about, errors.Join(w.Text("a", ""), w.Text("a", "")) },
		`a part cannot be named "../x"`:                   func(w *Writer) (Manifest, error) { return about, w.Text("../x", "") },
		`a part cannot be named "manifest.json"`:          func(w *Writer) (Manifest, error) { return about, w.Text("manifest.json", "") },
		"big has more than 1048576 bytes": func(w *Writer) (Manifest, error) {
			return about, w.Text("big", secret.Value(strings.Repeat("x", 1<<20+1)))
		},
	} {
		if err := Write(file, false, to, add); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 0 {
		t.Fatalf("left are %v, %v", left, err)
	}
	if err := Write(file, false, secretfile.Readers{}, empty); err == nil || err.Error() != "give at least one public key to encrypt for" {
		t.Errorf("without readers: %v", err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, false, to, empty); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("the file is %q", text)
	}
	if err := Write(file, true, to, empty); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file, keys); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}
