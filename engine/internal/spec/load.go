package spec

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/trust"
)

// Load reads a spec by its path or name, with its playbook and all imports. The path may be that
// of a folder with playbook files. It returns the readable part together with the diagnostics.
func Load(src Sources, name string) (*Spec, diag.List) {
	l := &loader{
		src:     src,
		spec:    &Spec{Path: name, Root: newNamespace(nil, ""), Sources: map[string]*hcl.File{}},
		folders: map[string]bool{},
		near:    map[string]string{},
		parsed:  map[string]*hclsyntax.Body{},
		places:  map[string]hcl.Range{},
	}
	l.in = l.spec.Root
	if l.isPlaybook(name) {
		l.readOnlyFolder(name)
	} else {
		file, diags := l.locate(name)
		if diags.HasErrors() {
			return l.spec, diags
		}
		l.readSpec(file)
		l.readPlaybook()
	}
	l.readImports()
	l.checkInputs()
	l.mergeStages()
	l.checkStages()
	l.Diags = l.Diags.Distinct() // a file imported twice has each mistake twice
	l.Diags.Sort()
	return l.spec, l.Diags
}

func (l *loader) readSpec(file found) {
	start := hcl.Range{Filename: file.file, Start: hcl.InitialPos, End: hcl.InitialPos}
	l.spec.Path, l.spec.Folder, l.spec.Playbook = file.file, Folder(file.file), Folder(file.file)
	l.spec.Name = strings.TrimSuffix(filepath.Base(strings.TrimPrefix(file.file, builtinPrefix)), suffix)
	l.spec.Identity = filepath.Base(l.src.Abs(l.spec.Folder)) + "/" + l.spec.Name
	l.spec.Range = start
	l.spec.Root.Source = l.spec.Playbook
	if body := l.parse(file.file, file.text); body != nil {
		l.blocks(body, true)
	}
}

// readOnlyFolder reads a playbook that is a folder without a spec beside it.
func (l *loader) readOnlyFolder(folder string) {
	folder = path.Clean(folder)
	l.spec.Folder, l.spec.Playbook, l.spec.Root.Source = folder, folder, folder
	l.spec.Name = filepath.Base(l.src.Abs(folder))
	l.spec.Identity = l.spec.Name
	if err := l.src.Named(folder); err != nil {
		l.Tell(trust.Problem(nil, err))
		return
	}
	files, _ := l.filesIn(folder)
	if len(files) == 0 {
		l.Tell(diag.Errorf(nil, "Empty playbook", "The folder %s has no %s files, so it is no playbook.", folder, suffix))
		return
	}
	start := hcl.Range{Filename: files[0], Start: hcl.InitialPos, End: hcl.InitialPos}
	l.spec.Range = start
	l.readFolder(folder)
}

func (l *loader) readPlaybook() {
	if l.playbook == "" {
		return
	}
	folder, diags := l.folder(l.playbook, l.spec.Folder, l.playbookRange)
	l.Tell(diags)
	if folder == "" {
		return
	}
	l.spec.Playbook, l.spec.Root.Source = folder, folder
	l.readFolder(folder)
}

// readImports reads the imported folders, and their imports: without a label once in each
// namespace, with a label each time into a new namespace.
func (l *loader) readImports() {
	for len(l.imports) > 0 {
		next := l.imports[0]
		l.imports = l.imports[1:]
		folder, diags := l.folder(next.source, next.folder, next.at)
		l.Tell(diags)
		if folder == "" {
			continue
		}
		next.folder, l.in = folder, next.in
		if next.label != "" && !l.enter(next) {
			continue
		}
		if next.label == "" {
			l.given = append(l.given, next)
		}
		l.readFolder(folder)
	}
	l.in = l.spec.Root
}

// enter makes the namespace of an import with a label, unless the folder imports itself.
func (l *loader) enter(block importBlock) bool {
	for outer := block.in; outer != nil; outer = outer.Parent {
		if outer.Source == block.folder {
			l.Errorf(block.at, "Imports in a cycle", "The playbook %q imports itself: this import is in what is read from %s already.", block.source, block.folder)
			return false
		}
	}
	inner := newNamespace(block.in, block.label)
	inner.Source, inner.Range, inner.Vars, inner.Block = block.folder, block.header, block.inputs, block.block
	inner.ForEach = block.forEach
	inner.common = inner.give(block.common)
	block.in.Imports = append(block.in.Imports, inner)
	l.in = inner
	return true
}

// checkInputs collects the values that imports without a label give to variables, and
// reports variables that the imported folder does not have, or that got a value from
// another import.
func (l *loader) checkInputs() {
	for _, given := range l.given {
		var names []string
		for _, v := range given.in.Variables {
			if Folder(v.Range.Filename) == given.folder {
				names = append(names, v.Name)
			}
		}
		for _, name := range keys(given.inputs) {
			expr := given.inputs[name]
			switch first := given.in.Inputs[name]; {
			case !slices.Contains(names, name):
				l.Errorf(NameRange(expr), "Unknown variable", "The playbook %q has no variable %q.%s", given.source, name, diag.Near(name, names))
			case first != nil:
				l.Errorf(expr.Range(), "Duplicate input", "The variable %q has a value from another import already, at %s.", name, first.Range())
			default:
				given.in.Inputs[name] = expr
			}
		}
	}
}

// mild are the mistakes with which a block stays.
var mild = []string{"Unexpected argument", "Unknown argument", "Unknown stage", "Conflicting arguments", "Invalid tag", "Duplicate block"}

// Whole reports whether a spec with these mistakes has all its blocks, so that nothing is missing of
// what others refer to.
func Whole(mistakes diag.List) bool {
	return !slices.ContainsFunc(mistakes, func(d diag.Diagnostic) bool { return !d.Warning && !slices.Contains(mild, d.Summary) })
}

// Read reports whether at least a part of the spec was read.
func Read(mistakes diag.List) bool {
	return !slices.ContainsFunc(mistakes, func(d diag.Diagnostic) bool { return !d.Warning && d.Subject == nil })
}

// driverFile is the file in a driver's folder that contains its driver block.
const driverFile = "driver.hcl"

// DriversIn lists the drivers that the folders of a folder declare in their files
// driver.hcl, by the names of the folders. It reads only the driver blocks.
func DriversIn(fsys fs.FS, folder string) ([]*Driver, error) {
	files, err := fs.Glob(fsys, path.Join(folder, "*", driverFile))
	if err != nil {
		return nil, err
	}
	var all []*Driver
	for _, name := range files {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		file, problems := bounds.Parse(name, text)
		if problems.HasErrors() {
			return nil, problems
		}
		l := &loader{spec: &Spec{Root: newNamespace(nil, "")}, places: map[string]hcl.Range{}}
		l.in = l.spec.Root
		for _, b := range file.Body.(*hclsyntax.Body).Blocks {
			if t := blockTypes()["driver"]; b.Type == "driver" && l.admitted(b, t) {
				t.read(l, b)
			}
		}
		if l.Diags.HasErrors() {
			return nil, l.Diags
		}
		all = append(all, l.spec.Drivers...)
	}
	return all, nil
}
