package ansible

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
	"kinit/engine/internal/vault"
	"kinit/engine/trust"
)

// The folders beside an inventory that have variables.
const (
	groupVars      = "group_vars"
	hostVarsFolder = "host_vars"
)

// endings are those of files with variables, in the order in which they are looked
// for: the first that is there counts.
var endings = [...]string{"", ".yml", ".yaml", ".json"}

// Folder is what the folders group_vars and host_vars beside an inventory say.
type Folder struct {
	Groups map[string]source.Vars
	Hosts  map[string]source.Vars
	Texts  []*source.Text // of the files that were read
	diag.Collector
}

// Files is how the folder's files are reached, which have names as the user named the folder.
type Files struct {
	Abs func(name string) string // makes a name absolute
	// Decrypt decrypts what Ansible Vault has encrypted.
	Decrypt func(text string) (string, error)
	Check   func(name string) error // refuses a file or folder that another user may have put there
}

// ReadFolder reads the variables of groups and hosts.
func ReadFolder(files Files, folder string, groups, hosts []string) *Folder {
	f := &Folder{}
	f.Groups = f.read(files, filepath.Join(folder, groupVars), "group", groups)
	f.Hosts = f.read(files, filepath.Join(folder, hostVarsFolder), "host", hosts)
	return f
}

// read reads one of the folders. It warns about a file that is named almost like a group or
// host, a mistake that is hard to find.
func (f *Folder) read(files Files, folder, what string, names []string) map[string]source.Vars {
	entries, err := os.ReadDir(files.Abs(folder))
	if err != nil {
		return nil
	}
	if err := files.Check(folder); err != nil {
		f.Tell(trust.Problem(nil, err))
		return nil
	}
	there := map[string]bool{}
	for _, entry := range entries {
		there[entry.Name()] = true
	}
	all := map[string]source.Vars{}
	used := map[string]bool{}
	for _, name := range names {
		for _, ending := range endings {
			if !there[name+ending] {
				continue
			}
			used[name] = true
			all[name] = source.Vars{}
			f.path(files, filepath.Join(folder, name+ending), all[name])
			break
		}
	}
	for _, entry := range entries {
		stem := strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name()))
		if used[entry.Name()] || slices.Contains(names, stem) || strings.HasPrefix(stem, ".") {
			continue
		}
		if near := diag.Near(stem, names); near != "" {
			f.Tell(diag.Warnf(nil, "Unused file", "%s is read for no %s: there is none of that name.%s", filepath.Join(folder, entry.Name()), what, near))
		}
	}
	return all
}

// path reads a file with variables, or all of a folder, by name.
func (f *Folder) path(files Files, name string, into source.Vars) {
	info, err := os.Stat(files.Abs(name))
	if err != nil {
		f.unreadable(name, err)
		return
	}
	if err := files.Check(name); err != nil {
		f.Tell(trust.Problem(nil, err))
		return
	}
	if !info.IsDir() {
		f.file(files, name, into)
		return
	}
	entries, err := os.ReadDir(files.Abs(name))
	if err != nil {
		f.unreadable(name, err)
	}
	for _, entry := range entries {
		if isVariables(entry) {
			f.path(files, filepath.Join(name, entry.Name()), into)
		}
	}
}

// isVariables reports whether an entry of a folder such as group_vars/web is read.
func isVariables(entry fs.DirEntry) bool {
	name := entry.Name()
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") {
		return false
	}
	return entry.IsDir() || slices.Contains(endings[:], filepath.Ext(name))
}

func (f *Folder) unreadable(name string, err error) {
	f.Tell(diag.Errorf(nil, "Unreadable file", "The variables in %s could not be read: %v.", name, err))
}

func (f *Folder) file(files Files, name string, into source.Vars) {
	bytes, err := os.ReadFile(files.Abs(name))
	if err != nil {
		f.unreadable(name, err)
		return
	}
	text := source.NewText(name, bytes)
	text.Decrypt = files.Decrypt
	f.Texts = append(f.Texts, text)
	if vault.Encrypted(bytes) {
		f.encrypted(text, into)
		return
	}
	root, problems := reader(name)(text)
	if own := object(root, problems, &f.Collector); own != nil {
		vars(own, into)
	}
}

// reader returns how a file with variables is read.
func reader(name string) func(*source.Text) (*tree.Node, diag.List) {
	if filepath.Ext(name) == ".json" {
		return tree.JSON
	}
	return tree.YAML
}

// encrypted reads a file that is encrypted as a whole. Its values are secret; the place of all of them, and of problems, is
// the file's first line.
func (f *Folder) encrypted(text *source.Text, into source.Vars) {
	first := text.LineRange(1)
	plain, unread := text.Decrypted(string(text.Bytes), first)
	if unread.Unread != "" {
		into[EncryptedVars] = unread
		return
	}
	root, problems := reader(text.Name)(source.NewText(text.Name, []byte(plain)))
	if problems.HasErrors() {
		f.Errorf(first, "Encrypted file", "The decrypted text has a mistake: look at it with ansible-vault view.")
		return
	}
	own, values := object(root, nil, &f.Collector), source.Vars{}
	if own == nil {
		return
	}
	vars(own, values)
	for name, value := range values {
		value.At, value.Secret = first, true
		into[name] = value
	}
}

// EncryptedVars stands for the variables of a file that is encrypted as a whole:
// not even their names are known.
const EncryptedVars = "(all variables of an encrypted file)"
