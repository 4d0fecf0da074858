package inventory

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/inventory/ansible"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/vault"
	"kinit/engine/lists"
	"kinit/engine/trust"
)

// read reads what a path of the command line names.
func (l *loader) read(given string) {
	info, err := os.Stat(l.src.files().Abs(given))
	if err == nil && info.IsDir() {
		if l.mayRead(given) {
			l.addFolder(given, given)
			l.folder(given)
		}
		return
	}
	name, text, err := l.open(given)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		beside, _ := os.ReadDir(filepath.Dir(l.src.files().Abs(given)))
		near := diag.Near(filepath.Base(given), lists.Map(beside, fs.DirEntry.Name))
		l.Tell(diag.Errorf(nil, "Inventory not found", "There is no inventory file %s.%s", given, near))
	case errors.Is(err, trust.ErrUntrusted):
		l.Tell(trust.Problem(nil, err))
	case err != nil:
		l.unreadable(given, err)
	default:
		l.file(name, text, filepath.Dir(given))
	}
}

// mayRead reports whether a file or folder that was named, or that is in a named folder, may be read.
func (l *loader) mayRead(name string) bool {
	err := l.src.files().Named(name)
	if err != nil {
		l.Tell(trust.Problem(nil, err))
	}
	return err == nil
}

func (l *loader) unreadable(name string, err error) {
	l.Tell(diag.Errorf(nil, "Unreadable inventory", "The inventory %s could not be read: %v.", name, err))
}

// shippedFolder is where the inventories inside the program are in the source tree.
const shippedFolder = "inventories"

// open finds a file as given, with .hcl, or by its name among those that ship
// with the program. Such a name without an ending comes before a file, as that of a spec does.
func (l *loader) open(given string) (string, []byte, error) {
	names := []string{given, given + ".hcl"}
	dir, base := path.Split(path.Clean(filepath.ToSlash(given)))
	shipped := []string{"builtin:" + base, "builtin:" + base + ".hcl"}
	switch {
	case dir == "" && path.Ext(base) == "" && !strings.Contains(given, "/"):
		names = append(shipped, names...)
	case dir == "" || dir == shippedFolder+"/":
		names = append(names, shipped...)
	}
	for _, name := range names {
		if err := l.src.files().Named(name); err != nil {
			return "", nil, err
		}
		text, err := l.src.files().ReadFile(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return name, text, err
		}
	}
	return "", nil, fs.ErrNotExist
}

// folder reads all inventories of a folder and of those inside it, by name.
func (l *loader) folder(folder string) {
	entries, err := os.ReadDir(l.src.files().Abs(folder))
	if err != nil {
		l.unreadable(folder, err)
		return
	}
	for _, entry := range entries {
		if ansible.IsPassedOver(entry.Name()) {
			continue
		}
		name := filepath.Join(folder, entry.Name())
		if entry.IsDir() {
			if l.mayRead(name) {
				l.folder(name)
			}
			continue
		}
		if !l.mayRead(name) {
			continue
		}
		text, err := os.ReadFile(l.src.files().Abs(name))
		if err != nil {
			l.unreadable(name, err)
			continue
		}
		l.file(name, text, "")
	}
}

// addFolder remembers a folder that may have variables, once, with the file or folder that was named.
func (l *loader) addFolder(folder, named string) {
	folder = filepath.Clean(folder)
	if !slices.ContainsFunc(l.folders, func(v varFolder) bool { return v.path == folder }) {
		l.folders = append(l.folders, varFolder{folder, named})
	}
}

// file reads one inventory in its format. Beside one of Ansible's there may be
// folders with variables.
func (l *loader) file(name string, text []byte, folder string) {
	info, err := os.Stat(l.src.files().Abs(name))
	format := ansible.Detect(name, text, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0)
	if format == ansible.HCL {
		l.hcl(name, text)
		return
	}
	whole := source.NewText(name, text)
	whole.Decrypt = l.decrypt
	l.inv.Sources[name] = whole.File()
	switch format {
	case ansible.NoScript:
		l.Errorf(whole.LineRange(1), "Script is not executable", "This looks like an inventory script. Make it executable, by chmod +x %s.", name)
	case ansible.EncryptedFile:
		l.encrypted(whole)
	case ansible.Script:
		l.script(whole)
	case ansible.YAMLFormat:
		l.merge(ansible.YAML(whole))
	case ansible.JSONFormat:
		l.merge(ansible.JSON(whole))
	default:
		l.merge(ansible.INI(whole))
	}
	if folder != "" {
		l.addFolder(folder, name)
	}
}

// encrypted reads an inventory that is encrypted as a whole. Its values are secret; the place of all of it, and of problems, is the
// file's first line.
func (l *loader) encrypted(whole *source.Text) {
	first := whole.LineRange(1)
	plain, unread := whole.Decrypted(string(whole.Bytes), first)
	if unread.Unread != "" {
		l.Errorf(first, "Encrypted inventory", "This file is encrypted by Ansible Vault: %s. Give its password by --vault-id or --vault-password-file.", cmp.Or(unread.Why, vault.ErrNoPassword.Error()))
		return
	}
	text := source.NewText(whole.Name, []byte(plain))
	text.Decrypt = l.decrypt
	var doc *source.Document
	switch ansible.Detect(whole.Name, text.Bytes, false) {
	case ansible.YAMLFormat:
		doc = ansible.YAML(text)
	case ansible.JSONFormat:
		doc = ansible.JSON(text)
	case ansible.HCL:
		l.Errorf(first, "Encrypted inventory", "The decrypted text is an inventory in HCL. Leave the file as it is, and keep its secrets in other places, such as an encrypted file of group_vars.")
		return
	default:
		doc = ansible.INI(text)
	}
	if doc.Diags.HasErrors() {
		l.Errorf(first, "Encrypted inventory", "The decrypted text has a mistake: look at it with ansible-vault view.")
		return
	}
	doc.Conceal(first)
	l.merge(doc)
}

// script runs an inventory script and reads what it prints. Problems have their place in
// the first line of the script.
func (l *loader) script(text *source.Text) {
	doc, texts := ansible.Program{
		Name: text.Name, Path: l.src.files().Abs(text.Name), Environ: l.src.Environ, Timeout: cmp.Or(l.src.Timeout, time.Minute), Decrypt: l.decrypt,
	}.Read(l.ctx)
	for _, printed := range texts {
		l.inv.Sources[printed.Name] = printed.File()
	}
	first := text.LineRange(1)
	for i, d := range doc.Diags {
		if d.Subject == nil && strings.HasPrefix(string(text.Bytes), "#!") {
			doc.Diags[i].Subject = &first
		}
	}
	l.merge(doc)
}

// hcl reads an inventory in kinit's own format.
func (l *loader) hcl(name string, text []byte) {
	file, problems := bounds.Parse(name, text)
	if file != nil {
		l.inv.Sources[name] = file
	}
	l.Tell(diag.FromHCL(problems))
	if problems.HasErrors() {
		return
	}
	functions := eval.Functions(l.src.files(), spec.Folder(name), nil)
	delete(functions, "sensitive") // which of its values are sensitive is known by their names
	l.blocks(file.Body.(*hclsyntax.Body), &hcl.EvalContext{Functions: functions})
}

// blocks reads one file's blocks. Values for variables in a later file win.
func (l *loader) blocks(body *hclsyntax.Body, ctx *hcl.EvalContext) {
	for _, name := range sortedNames(body.Attributes) {
		attr := body.Attributes[name]
		if name != "vars" {
			l.Errorf(attr.NameRange, "Unknown argument", "An inventory has no argument %q outside of blocks, only vars.", name)
			continue
		}
		for key, value := range l.object(attr.Expr, ctx) {
			l.inv.Vars[key] = value.Value
		}
	}
	for _, b := range body.Blocks {
		switch {
		case b.Type == "lock" && len(b.Labels) > 0:
			l.Errorf(b.DefRange(), "Wrong labels", "A lock block has no label.")
		case b.Type == "lock":
			l.lock(b, ctx)
		case b.Type != "host" && b.Type != "group":
			l.Errorf(b.TypeRange, "Unknown block type", "An inventory has no block %q.%s", b.Type, diag.Near(b.Type, []string{"host", "group", "lock"}))
		case len(b.Labels) != 1:
			l.Errorf(b.DefRange(), "Wrong labels", "A %s block has one label, its name.", b.Type)
		case b.Type == "host":
			l.host(b, ctx)
		default:
			l.group(b, ctx)
		}
	}
}
