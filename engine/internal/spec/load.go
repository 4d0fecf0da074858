package spec

import (
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

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
