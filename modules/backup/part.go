package backup

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/backupfile"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// PartTask is a part of a backup as a file of the host, with mode 0600.
//
// It is decrypted on its way: the machine that kinit runs on has it on no disk.
//
// Errors:
//   - the backup is not encrypted for the keys or with the passphrase
//   - dest exists with other content and is not the owner's
//   - the backup has no such part, or the part is not as sha256 says; the host then does not have the file
type PartTask struct {
	// File is the backup on the machine kinit runs on.
	File string `hcl:"file" nonempty:"want the backup on the machine that kinit runs on"`
	// Part is the name of the part, such as "etcd.db".
	Part string `hcl:"part" nonempty:"want the name of a part"`
	// SHA256 is the part's checksum in hex, as the manifest of the backup has it.
	SHA256 string `hcl:"sha256"`
	// Identities are private keys, one AGE-SECRET-KEY-… a line. Default none.
	Identities secret.Value `hcl:"identities,optional"`
	// Passphrase decrypts the backup in place of keys. Default none.
	Passphrase secret.Value `hcl:"passphrase,optional"`
	// Dest is the file on the host.
	Dest string `hcl:"dest" path:"clean"`
	module.Presence
}

func PartKind() module.Kind {
	return module.Of[PartTask](module.Kind{Name: "backup_part"})
}

var hexSum = regexp.MustCompile("^[0-9a-f]{64}$")

func (t *PartTask) Validate() error {
	switch {
	case !hexSum.MatchString(t.SHA256):
		return fmt.Errorf("sha256 is %q, expected 64 digits in hex", t.SHA256)
	case t.Absent():
		return nil
	case (t.Identities == "") == (t.Passphrase == ""):
		return errors.New("expected identities or a passphrase, and not both")
	}
	return nil
}

func (t *PartTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return hostfile.PlanDrop(ctx, h, "remove it by hand if it is not needed", t.Dest)
	}
	there, err := hostfile.Exists(ctx, h, t.Dest)
	if err != nil {
		return nil, err
	}
	if there {
		out, err := h.Run(ctx, module.Command{Argv: []string{"sha256sum", t.Dest}})
		if err != nil || strings.HasPrefix(out.Stdout, t.SHA256+" ") {
			return nil, err
		}
		if err := ownership.Free(ctx, h, t.Dest, ownership.Remove); err != nil {
			return nil, err
		}
	}
	return module.OneStep(fmt.Sprintf("write %s of the backup %s to %s", t.Part, t.File, t.Dest), t.do), nil
}

func (t *PartTask) keys() (*secretfile.Keys, error) {
	if t.Passphrase != "" {
		return secretfile.Passphrase(t.Passphrase)
	}
	return secretfile.ParseKeys("identities", t.Identities)
}

func (t *PartTask) do(ctx context.Context, h module.Host) error {
	keys, err := t.keys()
	if err != nil {
		return err
	}
	from, err := backupfile.OpenPart(t.File, keys, backupfile.Part{Name: t.Part, SHA256: t.SHA256})
	if err != nil {
		return err
	}
	defer from.Close()
	if err := hostfile.Parents(ctx, h, t.Dest); err != nil {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: t.Dest}); err != nil {
		return err
	}
	// The file gets its name when it is complete and has the checksum.
	if err := h.Files().Write(ctx, t.Dest, from, module.Attr{Mode: 0o600}); err != nil {
		return fmt.Errorf("write %s: %w", t.Dest, err)
	}
	return nil
}
