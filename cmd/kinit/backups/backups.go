// Package backups makes the options of a run that backs a cluster up or restores it, for the commands and for
// periodic jobs, and keeps the last backups of a folder.
package backups

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine"
	"kinit/engine/backupfile"
	"kinit/engine/lists"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

// What playbooks call what a backup needs: the task that makes it, the part with the snapshot of etcd, and
// the pool whose nodes a restore recreates.
const (
	task     = "backup"
	snapshot = "etcd.db"
	pool     = "controller"
)

// Backup is a backup that is to be made.
type Backup struct {
	File    string // absolute
	Replace bool   // a file that is there
	Readers secretfile.Readers
	Program string // the version of kinit
}

// Set makes a run back up a cluster that exists, and do nothing else.
func (b Backup) Set(o *engine.Options) {
	o.Only, o.MustExist = []string{task}, true
	o.Vars = with(o.Vars, map[string]string{
		"backup_passphrase": b.Readers.Passphrase.Reveal(),
		"backup": expression(cty.ObjectVal(map[string]cty.Value{
			"file": cty.StringVal(b.File), "replace": cty.BoolVal(b.Replace), "recipients": list(b.Readers.Public), "program": cty.StringVal(b.Program),
		})),
	})
}

// Keys open a backup: the text of a file of private keys, or a passphrase.
type Keys struct {
	Name       string // of the files, for messages
	Identities secret.Value
	Passphrase secret.Value
}

// Read reads a whole backup, and checks it.
func (k Keys) Read(file string) (*backupfile.Backup, error) {
	keys, err := secretfile.Passphrase(k.Passphrase)
	if k.Passphrase == "" {
		keys, err = secretfile.ParseKeys(k.Name, k.Identities)
	}
	if err != nil {
		return nil, err
	}
	return backupfile.Read(file, keys)
}

// Restore makes a run restore a backup that was read.
func (k Keys) Restore(o *engine.Options, file string, b *backupfile.Backup) error {
	at := slices.IndexFunc(b.Parts, func(p backupfile.Part) bool { return p.Name == snapshot })
	if at < 0 {
		return fmt.Errorf("the backup %s has no snapshot of etcd", file)
	}
	contents := map[string]cty.Value{}
	for name, text := range b.Texts {
		if name != snapshot { // a small one
			contents[name] = cty.StringVal(text.Reveal())
		}
	}
	about := map[string]cty.Value{}
	for name, text := range b.About {
		about[name] = cty.StringVal(text)
	}
	o.Restore = engine.Restore{ID: b.ID, Cluster: b.Owner, Instance: b.Instance, Pool: pool}
	o.Vars = with(o.Vars, map[string]string{
		"restore": expression(cty.ObjectVal(map[string]cty.Value{
			"file": cty.StringVal(file), "id": cty.StringVal(b.ID), "cluster": cty.StringVal(b.Owner), "made": cty.StringVal(Time(b.Made)),
			"names": list(slices.Sorted(maps.Keys(contents))), "snapshot_sha256": cty.StringVal(b.Parts[at].SHA256), "about": cty.ObjectVal(about),
		})),
		"restore_texts": expression(cty.ObjectVal(contents)), "restore_identities": k.Identities.Reveal(), "restore_passphrase": k.Passphrase.Reveal(),
	})
	return nil
}

// Time writes the time of a backup for people.
func Time(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 MST") }

// with returns values of variables with others, in a map of its own.
func with(vars, others map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, vars)
	maps.Copy(all, others)
	return all
}

// expression writes a value as an expression, which is the form of values of variables.
func expression(value cty.Value) string { return string(hclwrite.TokensForValue(value).Bytes()) }

func list(texts []string) cty.Value {
	if len(texts) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	return cty.ListVal(lists.Map(texts, cty.StringVal))
}

// The form of a file's name in a folder of backups: NAME-20261124T020000Z.backup.
const (
	stamp     = "20060102T150405Z"
	extension = ".backup"
)

// File returns the path of a backup in a folder of backups.
func File(folder, name string, at time.Time) string {
	return filepath.Join(folder, name+"-"+at.UTC().Format(stamp)+extension)
}

// Prune removes all but the last backups of a name, of which written is the file name of the last
// one. It leaves all files that have another form of name. Names have the time at which a backup was
// made. If the clock was set back since, older backups have later times: they count as older than all
// others, and written always stays.
func Prune(folder, name, written string, keep int) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var mine []string // without the one just written
	for _, e := range entries {
		text, is := strings.CutPrefix(e.Name(), name+"-")
		text, ends := strings.CutSuffix(text, extension)
		if _, err := time.Parse(stamp, text); is && ends && err == nil && e.Type().IsRegular() && e.Name() != written {
			mine = append(mine, e.Name())
		}
	}
	slices.SortFunc(mine, func(a, b string) int { return writtenFirst(a, b, written) })
	for len(mine) > max(keep-1, 0) {
		if err := os.Remove(filepath.Join(folder, mine[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		mine = mine[1:]
	}
	return nil
}

// writtenFirst compares the file names of two backups by when they were written, given the one that was written
// last.
func writtenFirst(a, b, last string) int {
	aLater, bLater := a > last, b > last
	switch {
	case aLater && !bLater:
		return -1
	case bLater && !aLater:
		return 1
	}
	return strings.Compare(a, b)
}
