package spec

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// Load reads a spec by its path or name, with its playbook and all imports. The path may be that
// of a folder with playbook files. It returns the readable part together with the diagnostics.
func Load(src Sources, name string) (*Spec, diag.List) {
	l := &loader{
		src:     src,
		spec:    &Spec{Path: name, Root: newNamespace(nil, ""), Sources: map[string]*hcl.File{}},
		folders: map[string]bool{},
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
	if l.header == nil || l.header.playbook == "" {
		return
	}
	folder, diags := l.folder(l.header.playbook, l.spec.Folder, l.header.playbookRange)
	l.Tell(diags)
	if folder == "" {
		return
	}
	l.spec.Playbook, l.spec.Root.Source = folder, folder
	l.readFolder(folder)
}
