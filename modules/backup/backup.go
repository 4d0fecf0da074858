// Package backup is the modules backup and backup_part: an encrypted file of the machine that kinit runs
// on, with a snapshot of an etcd and further texts, and a part of such a file on a host.
package backup

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kinit/engine/backupfile"
	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
	"kinit/modules/internal/etcdapi"
)

// Snapshot is the name of the part with the snapshot of etcd.
const Snapshot = "etcd.db"

// Task is an encrypted file with a snapshot of the etcd of which the host runs a member, and texts.
//
// The file is on the machine that kinit runs on. It is encrypted with age, has mode 0600, and is written whole or not at all. Its last entry is a
// manifest with the checksum of each part. The snapshot is a consistent one; it is streamed, and its
// checksum is compared with the one that etcd sends. The file is no object of a cluster: cleanup leaves it.
//
// Errors:
//   - neither recipients nor a passphrase is given, or both
//   - the file exists, and replace is not set
//   - the etcd has no leader, or the snapshot is not as its checksum says
type Task struct {
	// File is the file on the machine kinit runs on.
	File string `hcl:"file" nonempty:"want the file on the machine that kinit runs on"`
	// Replace replaces a file that exists.
	Replace bool `hcl:"replace,optional"`
	// Recipients are the public keys, such as "age1…", whose owners can read the file. Default none.
	Recipients []string `hcl:"recipients,optional"`
	// Passphrase encrypts the file in place of keys. Default none.
	Passphrase secret.Value `hcl:"passphrase,optional"`
	// Owner is whose backup it is, such as the name of a cluster. A backup is restored for the same one.
	Owner string `hcl:"owner" nonempty:"want the name of the cluster"`
	// Instance is the id of the owner's instance. Default none.
	Instance string `hcl:"instance,optional"`
	// About is what the manifest says of the backup. Default nothing.
	About map[string]string `hcl:"about,optional"`
	// Program is the version of the program that makes the backup, for the manifest.
	Program string `hcl:"program,optional"`
	// Texts are further parts by their paths in the backup. Default none.
	Texts map[string]secret.Value `hcl:"texts,optional"`
	etcdapi.Access
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "backup"})
}

func (t *Task) Validate() error {
	if err := t.readers().Check(); err != nil {
		return fmt.Errorf("recipients: %w", err)
	}
	return t.Access.Check()
}

func (t *Task) readers() secretfile.Readers {
	return secretfile.Readers{Public: t.Recipients, Passphrase: t.Passphrase}
}

// Unverifiable reports that no condition shows whether a backup is still needed.
func (t *Task) Unverifiable() bool { return true }

// Plan looks whether the file may be written and etcd answers.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	switch _, err := os.Lstat(t.File); {
	case err == nil && !t.Replace:
		return nil, t.taken()
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if info, err := os.Stat(filepath.Dir(t.File)); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s for the backup: make it first", filepath.Dir(t.File))
	}
	c, err := t.Access.Client(ctx, h)
	if err != nil {
		return nil, err
	}
	if err := c.Leader(ctx, t.Endpoint); err != nil {
		return nil, err
	}
	return module.OneStep(fmt.Sprintf("back up the etcd of %s and %d texts to %s", h.Name(), len(t.Texts), t.File), t.do), nil
}

func (t *Task) taken() error {
	return fmt.Errorf("%s exists: name another file, or replace it by overwrite (kinit backup --overwrite)", t.File)
}

func (t *Task) do(ctx context.Context, h module.Host) error {
	c, err := t.Access.Client(ctx, h)
	if err != nil {
		return err
	}
	id := make([]byte, 16)
	rand.Read(id) // it returns no error
	err = backupfile.Write(t.File, t.Replace, t.readers(), func(w *backupfile.Writer) (backupfile.Manifest, error) {
		for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
			if err := w.Text(name, t.Texts[name]); err != nil {
				return backupfile.Manifest{}, err
			}
		}
		h.Report(event.Progress{Text: "take the snapshot of etcd"})
		s, err := c.Snapshot(ctx, t.Endpoint)
		if err != nil {
			return backupfile.Manifest{}, fmt.Errorf("take a snapshot of etcd: %w", err)
		}
		defer s.Close()
		if err := w.Stream(Snapshot, s.Size, s); err != nil {
			return backupfile.Manifest{}, fmt.Errorf("take a snapshot of etcd: %w", err)
		}
		return backupfile.Manifest{
			ID: hex.EncodeToString(id), Owner: t.Owner, Instance: t.Instance, Made: time.Now().UTC().Truncate(time.Second),
			Program: t.Program, About: t.About,
		}, nil
	})
	if errors.Is(err, fs.ErrExist) {
		return t.taken()
	}
	return err
}

type Outputs struct {
	File  string `cty:"file"`  // the file
	Bytes int64  `cty:"bytes"` // its size
}

func (t *Task) Outputs(ctx context.Context, _ module.Host) (Outputs, error) {
	info, err := os.Stat(t.File)
	if err != nil {
		return Outputs{}, err
	}
	return Outputs{File: t.File, Bytes: info.Size()}, ctx.Err()
}
