package inventory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"kinit/engine/diag"
	"kinit/test/golden"
)

// TestBrokenInventoriesTellWhatIsWrongAndWhere loads each case of the archives in
// testdata/broken and selects hosts. A case is a folder; its first file is the
// inventory, unless it has one named args, with one inventory a line and "--hosts"
// and "--limit" in front of patterns. What comes of it is in NAME.golden.
func TestBrokenInventoriesTellWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	archives(t, "broken", func(t *testing.T, file string, a *txtar.Archive) {
		cases, order := map[string][]txtar.File{}, []string{}
		for _, f := range a.Files {
			name, inner, found := strings.Cut(f.Name, "/")
			if !found {
				continue // a golden file
			}
			if cases[name] == nil {
				order = append(order, name)
			}
			cases[name] = append(cases[name], txtar.File{Name: inner, Data: f.Data})
		}
		var rewritten []txtar.File
		for _, name := range order {
			got := complaints(t, cases[name])
			if !golden.Rewrite() {
				if diff := cmp.Diff(content(a, name+".golden"), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
				continue
			}
			for _, f := range cases[name] {
				rewritten = append(rewritten, txtar.File{Name: name + "/" + f.Name, Data: f.Data})
			}
			rewritten = append(rewritten, txtar.File{Name: name + ".golden", Data: []byte(got)})
		}
		if golden.Rewrite() {
			golden.Write(t, file, string(txtar.Format(&txtar.Archive{Comment: a.Comment, Files: rewritten})))
		}
	})
}

// complaints is what there is to say of a case, the same twice.
func complaints(t *testing.T, files []txtar.File) string {
	t.Helper()
	dir := unpack(t, files)
	got := complainOf(t, dir, files)
	if diff := cmp.Diff(got, complainOf(t, dir, files)); diff != "" {
		t.Errorf("a second time it is another:\n%s", diff)
	}
	return got
}

func complainOf(t *testing.T, dir string, files []txtar.File) string {
	src := Sources{Cwd: dir, Home: dir, Environ: os.Environ(), Timeout: 5 * time.Second}
	paths, hosts, limit := []string{files[0].Name}, []string(nil), []string(nil)
	if files[0].Name == "args" {
		paths = nil
		for line := range strings.Lines(string(files[0].Data)) {
			option, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch option {
			case "--hosts":
				hosts = append(hosts, value)
			case "--limit":
				limit = append(limit, value)
			case "--timeout":
				src.Timeout, _ = time.ParseDuration(value)
			default:
				paths = append(paths, option)
			}
		}
	}
	inv, diags := Load(t.Context(), src, paths)
	if !diags.HasErrors() {
		_, more := inv.Select(t.Context(), src, hosts)
		diags = append(diags, more...)
	}
	if len(limit) > 0 {
		_, more := inv.Limit(limit, []string{Localhost})
		diags = append(diags, more...)
	}
	var out strings.Builder
	for _, d := range diags {
		out.WriteString(strings.ReplaceAll(show(inv, d), dir, "DIR"))
	}
	return out.String()
}

// show renders a diagnostic with the line it is about and a mark under its place.
func show(inv *Inventory, d diag.Diagnostic) string {
	word := "error"
	if d.Warning {
		word = "warning"
	}
	text := word + ": " + d.Summary + "\n"
	if d.Subject != nil {
		lines := strings.Split(string(inv.Sources[d.Subject.Filename].Bytes), "\n")
		line := strings.ReplaceAll(lines[d.Subject.Start.Line-1], "\t", " ")
		width := max(1, d.Subject.End.Column-d.Subject.Start.Column)
		if d.Subject.End.Line > d.Subject.Start.Line {
			width = max(1, len([]rune(line))-d.Subject.Start.Column+1)
		}
		text += fmt.Sprintf("  %s:%d: %s\n  %s%s\n", d.Subject.Filename, d.Subject.Start.Line, line,
			strings.Repeat(" ", len(d.Subject.Filename)+len(fmt.Sprint(d.Subject.Start.Line))+d.Subject.Start.Column+2), strings.Repeat("^", width))
	}
	return text + "  " + d.Detail + "\n"
}

// TestEveryErrorHasAPlace holds the corpus to its promise: only what is about no
// text has none.
func TestEveryErrorHasAPlace(t *testing.T) {
	t.Parallel()
	archives(t, "broken", func(t *testing.T, _ string, a *txtar.Archive) {
		for _, f := range a.Files {
			blocks := strings.Split(string(f.Data), "error: ")
			for _, block := range blocks[1:] {
				summary, _, _ := strings.Cut(block, "\n")
				placeless := slices.Contains([]string{"Inventory not found", "Unreadable inventory", "Unreadable file"}, summary)
				if strings.HasSuffix(f.Name, ".golden") && strings.Contains(block, "^") == placeless {
					t.Errorf("%s: %s", f.Name, block)
				}
			}
		}
	})
}
