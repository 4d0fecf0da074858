package arch

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// An imported folder shares its names with its importers. So the first comment of one of its files lists the names that
// importers may use ("# Offers:"), and those that it uses of folders that it does not import ("# Needs:").

func TestFoldersUseOnlyNamesThatOthersOffer(t *testing.T) {
	t.Parallel()
	for _, fault := range interfaceFaults(specFolders(t, filepath.Join(root(t), "specs"))) {
		t.Error(fault)
	}
}

func TestNameThatIsNotOfferedIsReported(t *testing.T) {
	t.Parallel()
	const (
		low    = "# low: the lower folder.\n#\n# Offers:\n#   local.shown  a name\n#\n# Needs:\n#   local.given  a name of the importer\n"
		locals = "locals {\n  shown = local.given\n  hidden = 1\n}\n"
		high   = "import {\n  source = \"low\"\n}\n"
	)
	for name, c := range map[string]struct {
		low, high string
		want      []string
	}{
		"offered and needed": {low + locals, high + "locals {\n  given = local.shown\n}\n", nil},
		"not offered": {
			low + locals, high + "locals {\n  given = [local.shown, local.hidden]\n}\n",
			[]string{"high uses local.hidden of low, which does not offer it"},
		},
		"not needed": {
			"# Offers:\n#   local.shown  a name\n\n" + locals, high + "locals {\n  given = local.shown\n}\n",
			[]string{"low uses local.given, which no folder that it imports has: list it under Needs"},
		},
		"offered and not used": {
			low + locals, high + "locals {\n  given = 1\n}\n",
			[]string{"low offers local.shown, which no folder that imports it uses"},
		},
		"offered and not there": {
			strings.Replace(low, "#\n# Needs", "#   task.file.x  gone\n#\n# Needs", 1) + locals, high + "locals {\n  given = local.shown\n}\n",
			[]string{"low offers task.file.x, which it does not have"},
		},
		"needed and not used": {
			low + "locals {\n  shown = 1\n}\n", high + "locals {\n  given = local.shown\n}\n",
			[]string{"low needs local.given, and does not use it"},
		},
		"needed and not there": {
			low + locals, high + "locals {\n  other = local.shown\n}\n",
			[]string{"low uses local.given, which no folder has"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for folder, text := range map[string]string{"low": c.low, "high": c.high} {
				if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, folder, "x.hcl"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := interfaceFaults(specFolders(t, dir)); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// specFolder is a folder of playbook files.
type specFolder struct {
	name           string
	imports        []string // without those that have a label, whose names stay apart
	has, uses      map[string]bool
	offers, needs  map[string]bool
	stages, listed []string // lines of the table of stages: of its stage blocks, and of its comment
}

func specFolders(t *testing.T, dir string) map[string]*specFolder {
	t.Helper()
	folders := map[string]*specFolder{}
	err := filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, filepath.Dir(file))
		if err != nil || name == "." || filepath.Ext(file) != ".hcl" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, problems := hclsyntax.ParseConfig(text, file, hcl.InitialPos)
		if problems.HasErrors() {
			return problems
		}
		name = filepath.ToSlash(name)
		if folders[name] == nil {
			folders[name] = &specFolder{name: name, has: map[string]bool{}, uses: map[string]bool{}, offers: map[string]bool{}, needs: map[string]bool{}}
		}
		folders[name].read(string(text), parsed.Body.(*hclsyntax.Body))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

func (f *specFolder) read(text string, body *hclsyntax.Body) {
	f.declare(body)
	_ = hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
		if e, ok := node.(*hclsyntax.ScopeTraversalExpr); ok {
			if name := named(e.Traversal); name != "" {
				f.uses[name] = true
			}
		}
		return nil
	})
	f.list(text)
}

// declare notes the names that blocks declare.
func (f *specFolder) declare(body *hclsyntax.Body) {
	for _, b := range body.Blocks {
		switch b.Type {
		case "import":
			if source, problems := b.Body.Attributes["source"].Expr.Value(nil); len(b.Labels) == 0 && !problems.HasErrors() {
				f.imports = append(f.imports, source.AsString())
			}
		case "locals":
			for name := range b.Body.Attributes {
				f.has["local."+name] = true
			}
		case "variable":
			f.has["var."+b.Labels[0]] = true
		case "task", "handler", "secret", "check", "output":
			f.has[b.Type+"."+strings.Join(b.Labels, ".")] = true
		case "block":
			f.has["block."+b.Labels[0]] = true
			f.declare(b.Body)
		case "stage":
			f.stages = append(f.stages, stageLine(b, f.name))
		}
	}
}

// named returns the name that a reference means, such as local.build or task.copy.record, or "" for other values.
func named(t hcl.Traversal) string {
	steps := map[string]int{"local": 2, "var": 2, "block": 2, "secret": 2, "check": 2, "output": 2, "task": 3, "handler": 3}[t.RootName()]
	if steps == 0 || len(t) < steps {
		return ""
	}
	name := t.RootName()
	for _, step := range t[1:steps] {
		attr, ok := step.(hcl.TraverseAttr)
		if !ok {
			return ""
		}
		name += "." + attr.Name
	}
	return name
}

// stageLine returns the line of the table of stages for a stage block of a folder.
func stageLine(b *hclsyntax.Block, folder string) string {
	var after []string
	if attr := b.Body.Attributes["after"]; attr != nil {
		value, _ := attr.Expr.Value(nil)
		for _, stage := range value.AsValueSlice() {
			after = append(after, stage.AsString())
		}
	}
	return strings.Join([]string{b.Labels[0], cmp.Or(strings.Join(after, ", "), "-"), folder}, " | ")
}

func TestTableOfStagesHasEveryStageOfClusters(t *testing.T) {
	t.Parallel()
	folders := specFolders(t, filepath.Join(root(t), "specs"))
	var declared []string
	for name, f := range folders {
		below := map[string]bool{name: true}
		importsOf(folders, name, below)
		if below["common"] {
			declared = append(declared, f.stages...)
		}
	}
	listed := slices.Sorted(slices.Values(folders["common"].listed))
	slices.Sort(declared)
	if diff := gocmp.Diff(declared, listed); diff != "" || len(listed) < 10 {
		t.Errorf("the table in specs/common/stages.hcl has not the stages that are declared:\n%s", diff)
	}
}

var tableLine = regexp.MustCompile(`^# \| (.*\S) +\|  `)

var listedName = regexp.MustCompile(`^#   (\S+)  +\S`)

// list notes the names of the lists in the first comment of a file.
func (f *specFolder) list(text string) {
	var into map[string]bool
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		match := listedName.FindStringSubmatch(line)
		if row := tableLine.FindStringSubmatch(line); row != nil {
			f.listed = append(f.listed, regexp.MustCompile(` +\| +`).ReplaceAllString(row[1], " | "))
		}
		switch {
		case !strings.HasPrefix(line, "#"):
			return
		case line == "# Offers:":
			into = f.offers
		case line == "# Needs:":
			into = f.needs
		case match == nil:
			into = nil
		case into != nil:
			into[match[1]] = true
		}
	}
}

// interfaceFaults describes each name that a folder uses without a list that has it, and each that is listed in vain.
func interfaceFaults(folders map[string]*specFolder) []string {
	var faults []string
	report := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	everywhere := map[string]bool{}
	for _, f := range folders {
		maps.Copy(everywhere, f.has)
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		f := folders[name]
		for _, use := range slices.Sorted(maps.Keys(f.uses)) {
			owner := ownerOf(folders, name, use)
			switch {
			case owner == name:
			case owner != "" && !folders[owner].offers[use]:
				report("%s uses %s of %s, which does not offer it", name, use, owner)
			case owner == "" && !everywhere[use]:
				report("%s uses %s, which no folder has", name, use)
			case owner == "" && !f.needs[use]:
				report("%s uses %s, which no folder that it imports has: list it under Needs", name, use)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		f := folders[name]
		for _, need := range slices.Sorted(maps.Keys(f.needs)) {
			if owner := ownerOf(folders, name, need); owner != "" {
				report("%s needs %s, which %s has already", name, need, owner)
			} else if !f.uses[need] {
				report("%s needs %s, and does not use it", name, need)
			}
		}
		for _, offer := range slices.Sorted(maps.Keys(f.offers)) {
			others := slices.DeleteFunc(slices.Collect(maps.Keys(folders)), func(other string) bool {
				return other == name || !folders[other].uses[offer] || ownerOf(folders, other, offer) != name
			})
			if !f.has[offer] {
				report("%s offers %s, which it does not have", name, offer)
			} else if len(others) == 0 {
				report("%s offers %s, which no folder that imports it uses", name, offer)
			}
		}
	}
	return faults
}

// ownerOf returns the folder that has a name which another uses: itself or one that it imports, or "".
func ownerOf(folders map[string]*specFolder, name, use string) string {
	if folders[name].has[use] {
		return name
	}
	below := map[string]bool{}
	importsOf(folders, name, below)
	for _, low := range slices.Sorted(maps.Keys(below)) {
		if folders[low].has[use] {
			return low
		}
	}
	return ""
}

// importsOf notes all folders that one imports, directly or through others.
func importsOf(folders map[string]*specFolder, name string, below map[string]bool) {
	for _, source := range folders[name].imports {
		low := path.Clean(source)
		if folders[low] == nil || below[low] {
			continue
		}
		below[low] = true
		importsOf(folders, low, below)
	}
}
