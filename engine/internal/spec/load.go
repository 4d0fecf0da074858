package spec

import (
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
	"kinit/engine/diag"
)

// loader is the state of one Load.
type loader struct {
	src     Sources
	spec    *Spec
	diags   diag.List
	header  *header    // of the spec file, nil without a spec block
	in      *Namespace // of the current file
	folders map[string]bool
	parsed  map[string]*hclsyntax.Body // the playbook files, nil if one cannot be read
	imports []importBlock
	given   []importBlock        // those without a label; folder is the imported one
	places  map[string]hcl.Range // where an address was declared
}

// header is a spec block.
type header struct {
	playbook      string // empty without one
	playbookRange hcl.Range
}

// Load reads a spec by its path or name, with its playbook and all imports. It returns the
// readable part together with the diagnostics.
func Load(src Sources, path string) (*Spec, diag.List) {
	l := &loader{
		src:     src,
		spec:    &Spec{Path: path, Root: newNamespace(nil, ""), Sources: map[string]*hcl.File{}},
		folders: map[string]bool{},
		parsed:  map[string]*hclsyntax.Body{},
		places:  map[string]hcl.Range{},
	}
	l.in = l.spec.Root
	file, diags := l.locate(path)
	if diags.HasErrors() {
		return l.spec, diags
	}
	l.readSpec(file)
	l.readPlaybook()
	l.readImports()
	l.checkInputs()
	l.mergeStages()
	l.checkStages()
	l.diags = l.diags.Distinct() // a file imported twice has each mistake twice
	l.diags.Sort()
	return l.spec, l.diags
}

// readSpec reads the spec file itself.
func (l *loader) readSpec(file found) {
	start := hcl.Range{Filename: file.file, Start: hcl.InitialPos, End: hcl.InitialPos}
	l.spec.Path, l.spec.Folder, l.spec.Playbook = file.file, Folder(file.file), Folder(file.file)
	l.spec.Name = strings.TrimSuffix(filepath.Base(strings.TrimPrefix(file.file, builtinPrefix)), suffix)
	l.spec.Range = start
	l.spec.Root.Source = l.spec.Playbook
	if body := l.parse(file.file, file.text); body != nil {
		l.blocks(body, true)
	}
}

// parse reads one file. A file with a syntax error has no body, so that the mistake is
// reported once.
func (l *loader) parse(name string, text []byte) *hclsyntax.Body {
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if file != nil {
		l.spec.Sources[name] = file
	}
	l.diags = append(l.diags, diag.FromParser(problems)...)
	if problems.HasErrors() {
		return nil
	}
	bounds.Limit(file.Body.(*hclsyntax.Body))
	return file.Body.(*hclsyntax.Body)
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
	l.spec.Playbook, l.spec.Root.Source = folder, folder
	l.readFolder(folder)
}

// readFolder reads all files of a folder, by name, once in each namespace.
func (l *loader) readFolder(folder string) {
	if l.folders[l.in.Address(folder)] {
		return
	}
	l.folders[l.in.Address(folder)] = true
	files, _ := l.filesIn(folder)
	for _, file := range files {
		if file == l.spec.Path {
			continue // the spec file itself, in its own playbook's folder
		}
		if body := l.playbookFile(file); body != nil {
			l.blocks(body, false)
		}
	}
}

// playbookFile returns the content of a file, which several imports may name; nil if it
// cannot be read, which is reported once.
func (l *loader) playbookFile(name string) *hclsyntax.Body {
	if body, known := l.parsed[name]; known {
		return body
	}
	l.parsed[name] = nil
	text, err := l.src.ReadFile(name)
	if err != nil {
		l.diags = append(l.diags, diag.Errorf(nil, "Unreadable file", "The playbook file %s could not be read: %v.", name, err)...)
		return nil
	}
	l.parsed[name] = l.parse(name, text)
	return l.parsed[name]
}
