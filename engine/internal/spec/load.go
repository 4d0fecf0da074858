package spec

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// loader is the state of one Load.
type loader struct {
	src     Sources
	spec    *Spec
	diags   diag.List
	header  *header // of the spec file, nil without a spec block
	folders map[string]bool
	imports []importBlock
	given   []importBlock        // those with inputs, folder being what they import
	places  map[string]hcl.Range // where an address was declared
}

// header is a spec block.
type header struct {
	playbook      string // empty without one
	playbookRange hcl.Range
}

// importBlock is an import that has not been read yet.
type importBlock struct {
	source string
	folder string // of the file with the import
	inputs map[string]hcl.Expression
	at     hcl.Range
}

// Load reads a spec by its path or name, with its playbook and all that imports.
// What could be read is returned beside the diagnostics.
func Load(src Sources, path string) (*Spec, diag.List) {
	l := &loader{
		src:     src,
		spec:    &Spec{Path: path, Vars: map[string]hcl.Expression{}, Inputs: map[string]hcl.Expression{}, Sources: map[string]*hcl.File{}},
		folders: map[string]bool{},
		places:  map[string]hcl.Range{},
	}
	file, diags := l.locate(path)
	if diags.HasErrors() {
		return l.spec, diags
	}
	l.readSpec(file)
	l.readPlaybook()
	l.readImports()
	l.checkInputs()
	l.checkStages()
	l.diags.Sort()
	return l.spec, l.diags
}

// readSpec reads the spec file itself.
func (l *loader) readSpec(file found) {
	start := hcl.Range{Filename: file.file, Start: hcl.InitialPos, End: hcl.InitialPos}
	l.spec.Path, l.spec.Folder, l.spec.Playbook = file.file, Folder(file.file), Folder(file.file)
	l.spec.Name = strings.TrimSuffix(filepath.Base(strings.TrimPrefix(file.file, builtinPrefix)), suffix)
	l.spec.Range = start
	l.parse(file.file, file.text, true)
}

// parse reads one file's blocks into the spec. A file with a syntax error gives
// no blocks, so that one mistake is told once.
func (l *loader) parse(name string, text []byte, isSpec bool) {
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if file != nil {
		l.spec.Sources[name] = file
	}
	l.diags = append(l.diags, diag.FromParser(problems)...)
	if problems.HasErrors() {
		return
	}
	l.blocks(file.Body.(*hclsyntax.Body), isSpec)
}

// readPlaybook reads the folder that the spec block names.
func (l *loader) readPlaybook() {
	if l.header == nil || l.header.playbook == "" {
		return
	}
	folder, diags := l.folder(l.header.playbook, l.spec.Folder, l.header.playbookRange)
	l.diags = append(l.diags, diags...)
	if folder == "" {
		return
	}
	l.spec.Playbook = folder
	l.readFolder(folder)
}

// readImports reads what imports name, and what these import, each folder once.
func (l *loader) readImports() {
	for len(l.imports) > 0 {
		next := l.imports[0]
		l.imports = l.imports[1:]
		folder, diags := l.folder(next.source, next.folder, next.at)
		l.diags = append(l.diags, diags...)
		if folder != "" {
			next.folder = folder
			l.given = append(l.given, next)
			l.readFolder(folder)
		}
	}
}

// checkInputs takes what imports give to variables, and tells of variables that
// what is imported does not have, or that another import gave a value.
func (l *loader) checkInputs() {
	for _, given := range l.given {
		var names []string
		for _, v := range l.spec.Variables {
			if Folder(v.Range.Filename) == given.folder {
				names = append(names, v.Name)
			}
		}
		for _, name := range keys(given.inputs) {
			expr := given.inputs[name]
			switch first := l.spec.Inputs[name]; {
			case !slices.Contains(names, name):
				l.errorf(NameRange(expr), "Unknown variable", "The playbook %q has no variable %q.%s", given.source, name, diag.Near(name, names))
			case first != nil:
				l.errorf(expr.Range(), "Duplicate input", "The variable %q has a value from another import already, at %s.", name, first.Range())
			default:
				l.spec.Inputs[name] = expr
			}
		}
	}
}

// readFolder reads all files of a folder, by name.
func (l *loader) readFolder(folder string) {
	if l.folders[folder] {
		return
	}
	l.folders[folder] = true
	files, _ := l.filesIn(folder)
	for _, file := range files {
		if l.spec.Sources[file] != nil {
			continue // the spec file itself, in its own playbook's folder
		}
		text, err := l.src.ReadFile(file)
		if err != nil {
			l.diags = append(l.diags, diag.Errorf(nil, "Unreadable file", "The playbook file %s could not be read: %v.", file, err)...)
			continue
		}
		l.parse(file, text, false)
	}
}
