package factcache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
)

func types() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "disks": cty.Map(cty.Object(map[string]cty.Type{"size": cty.Number}))}
}

func values() map[string]cty.Value {
	return map[string]cty.Value{"name": cty.StringVal("web1"),
		"disks": cty.MapVal(map[string]cty.Value{"sda": cty.ObjectVal(map[string]cty.Value{"size": cty.NumberIntVal(1 << 40)})})}
}

func TestValuesComeBackAsLongAsTheyAreYoungAndTheHostIsTheSame(t *testing.T) {
	t.Parallel()
	s := Store{Folder: filepath.Join(t.TempDir(), "facts")}
	k := Key{Name: "web1 facts", From: "192.0.2.1 key1"}
	if _, _, ok := s.Get(k, types(), time.Hour); ok {
		t.Error("there is a value before any was kept")
	}
	if err := s.Put(k, values()); err != nil {
		t.Fatal(err)
	}
	got, read, ok := s.Get(k, types(), time.Hour)
	if !ok || !got["name"].RawEquals(values()["name"]) || !got["disks"].RawEquals(values()["disks"]) || time.Since(read) > time.Minute {
		t.Errorf("got %#v of %s, %v", got, read, ok)
	}
	for name, c := range map[string]struct {
		key    Key
		types  map[string]cty.Type
		maxAge time.Duration
	}{
		"too old":        {k, types(), time.Nanosecond},
		"another key":    {Key{k.Name, "192.0.2.1 key2"}, types(), time.Hour},
		"another task":   {Key{"web1 other", k.From}, types(), time.Hour},
		"another module": {k, map[string]cty.Type{"name": cty.String}, time.Hour},
		"another type":   {k, map[string]cty.Type{"name": cty.Number, "disks": cty.String}, time.Hour},
	} {
		if _, _, ok := s.Get(c.key, c.types, c.maxAge); ok {
			t.Errorf("%s: the value is used", name)
		}
	}
}

func TestFilesAreForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	s := Store{Folder: filepath.Join(t.TempDir(), "facts")}
	if err := s.Put(Key{Name: "a"}, values()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{s.Folder: 0o700, s.path("a"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestWhatHasASecretIsNotKeptAndForgotten(t *testing.T) {
	t.Parallel()
	s := Store{Folder: t.TempDir()}
	k := Key{Name: "a"}
	if err := s.Put(k, values()); err != nil {
		t.Fatal(err)
	}
	s.Redact = func(text string) string { return strings.ReplaceAll(text, "web1", "***") }
	if err := s.Put(k, values()); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(s.Folder); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestDamagedFilesAreAsIfTheyWereNotThere(t *testing.T) {
	t.Parallel()
	s := Store{Folder: t.TempDir()}
	for _, text := range []string{"", "{", `{"version":2}`, `{"version":1,"values":{}}`, `{"version":1,"values":{"name":1,"disks":[]}}`} {
		if err := os.WriteFile(s.path("a"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := s.Get(Key{Name: "a"}, types(), 1<<62); ok {
			t.Errorf("%q is used", text)
		}
	}
}
