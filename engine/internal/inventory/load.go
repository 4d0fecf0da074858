package inventory

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/spec"
)

// shippedFolder is where the inventories inside the program are in the source tree.
const shippedFolder = "inventories"

// loader is the state of one Load.
type loader struct {
	src   Sources
	inv   *Inventory
	own   map[*Host]map[string]cty.Value // the vars of a host's own block
	diags diag.List
}

// Load reads and merges inventory files. What could be read is returned beside
// the diagnostics.
func Load(src Sources, paths []string) (*Inventory, diag.List) {
	l := &loader{
		src: src,
		inv: &Inventory{Vars: map[string]cty.Value{}, Sources: map[string]*hcl.File{}},
		own: map[*Host]map[string]cty.Value{},
	}
	for _, given := range paths {
		l.read(given)
	}
	l.addMembers()
	if !l.cyclicGroups() {
		l.inherit()
	}
	l.checkVia()
	l.diags.Sort()
	return l.inv, l.diags
}

// read reads one file, from the disk or inside the program.
func (l *loader) read(given string) {
	name, text, err := l.open(given)
	if errors.Is(err, fs.ErrNotExist) {
		l.diags = append(l.diags, diag.Errorf(nil, "Inventory not found", "There is no inventory file %s.", given)...)
		return
	}
	if err != nil {
		l.diags = append(l.diags, diag.Errorf(nil, "Unreadable inventory", "The inventory %s could not be read: %v.", given, err)...)
		return
	}
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if file != nil {
		l.inv.Sources[name] = file
	}
	l.diags = append(l.diags, diag.FromHCL(problems)...)
	if problems.HasErrors() {
		return
	}
	l.blocks(file.Body.(*hclsyntax.Body), l.context(name))
}

// open finds a file as given, with .hcl, or by its name among those that ship
// with the program.
func (l *loader) open(given string) (string, []byte, error) {
	names := []string{given, given + ".hcl"}
	if dir, base := path.Split(path.Clean(filepath.ToSlash(given))); dir == "" || dir == shippedFolder+"/" {
		names = append(names, "builtin:"+base, "builtin:"+base+".hcl")
	}
	for _, name := range names {
		text, err := l.src.files().ReadFile(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return name, text, err
		}
	}
	return "", nil, fs.ErrNotExist
}

// context is the scope of an inventory file: functions only.
func (l *loader) context(file string) *hcl.EvalContext {
	return &hcl.EvalContext{Functions: eval.Functions(l.src.files(), spec.Folder(file))}
}

// blocks reads one file's blocks. Values for variables in a later file win.
func (l *loader) blocks(body *hclsyntax.Body, ctx *hcl.EvalContext) {
	for _, name := range sortedNames(body.Attributes) {
		attr := body.Attributes[name]
		if name != "vars" {
			l.errorf(attr.NameRange, "Unknown argument", "An inventory has no argument %q outside of blocks, only vars.", name)
			continue
		}
		for key, value := range l.object(attr.Expr, ctx) {
			l.inv.Vars[key] = value
		}
	}
	for _, b := range body.Blocks {
		switch {
		case b.Type != "host" && b.Type != "group":
			l.errorf(b.TypeRange, "Unknown block type", "An inventory has no block %q.%s", b.Type, diag.Near(b.Type, []string{"host", "group"}))
		case len(b.Labels) != 1:
			l.errorf(b.DefRange(), "Wrong labels", "A %s block has one label, its name.", b.Type)
		case b.Type == "host":
			l.host(b, ctx)
		default:
			l.group(b, ctx)
		}
	}
}

func sortedNames(attrs hclsyntax.Attributes) []string {
	var names []string
	for name := range attrs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (l *loader) errorf(at hcl.Range, summary, format string, args ...any) {
	l.diags = append(l.diags, diag.Errorf(&at, summary, format, args...)...)
}
