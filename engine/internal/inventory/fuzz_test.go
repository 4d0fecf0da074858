package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzLoad holds Load and Select to this: whatever a file says, they return, and an
// error about its content has a place in a text that is among the sources. Scripts
// are not run.
func FuzzLoad(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, inner := range a.Files {
			if !strings.HasSuffix(inner.Name, ".golden") && !strings.HasSuffix(inner.Name, "args") {
				f.Add(inner.Data, "web:!old")
			}
		}
	}
	f.Add([]byte(farm), "~web[12],&blue")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, patterns string) {
		for _, name := range []string{"hosts", "i.hcl", "hosts.yml", "hosts.json", "hosts.ini"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			src := Sources{Cwd: dir, Home: dir}
			inv, diags := Load(t.Context(), src, []string{name})
			if !diags.HasErrors() {
				_, more := inv.Select(t.Context(), src, []string{patterns})
				_, less := inv.Limit([]string{patterns}, []string{Localhost})
				diags = append(append(diags, more...), less...)
				inv.Secrets()
				Value(inv.Hosts)
			}
			for _, d := range diags {
				if d.Subject == nil || inv.Sources[d.Subject.Filename] == nil || d.Subject.End.Byte > len(inv.Sources[d.Subject.Filename].Bytes) {
					t.Errorf("no place: %v", d)
				}
			}
		}
	})
}

// BenchmarkLoad reads an inventory of 5,000 hosts in 50 groups, a size at which
// Ansible's users have complained.
func BenchmarkLoad(b *testing.B) {
	var text strings.Builder
	for _, group := range strings.Fields("a b c d e f g h i j") {
		for _, inner := range strings.Fields("1 2 3 4 5") {
			text.WriteString("[" + group + inner + "]\n" + group + inner + "-[001:100].example.com x=1 ansible_user=root\n[" + group + inner + ":vars]\ny=2\n")
		}
	}
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hosts"), []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	src := Sources{Cwd: dir, Home: dir}
	for b.Loop() {
		inv, diags := Load(b.Context(), src, []string{"hosts"})
		hosts, more := inv.Select(b.Context(), src, []string{"all:!a1"})
		if len(diags)+len(more) > 0 || len(hosts) != 4900 {
			b.Fatal(len(hosts), diags, more)
		}
	}
}
