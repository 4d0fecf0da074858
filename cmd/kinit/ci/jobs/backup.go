package jobs

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/secretfile"
)

// keptBackups is how many backups are kept where a job does not say it.
const keptBackups = 7

// backup reads the block of a job that backs a cluster up.
func (l *loader) backup(b jobBlock) *Backup {
	if b.Backup == nil {
		return nil
	}
	if body, ok := b.Body.(*hclsyntax.Body); ok {
		for _, name := range []string{"verify", "cleanup", "cleanup_timeout", "ready", "remove"} {
			if body.Attributes[name] != nil {
				l.errorf(body.Attributes[name].SrcRange, "Conflicting arguments", "A job with a backup block backs up what exists: it deploys nothing, so %s has no meaning.", name)
			}
		}
	}
	if err := (secretfile.Readers{Public: b.Backup.Recipients}).Check(); err != nil {
		l.errorf(place(b.Backup.Body, "recipients"), "Invalid recipients", "The backups could not be encrypted: %v.", err)
	}
	if b.Backup.Folder == "" {
		l.errorf(place(b.Backup.Body, "folder"), "Missing folder", "Name the folder of the backups.")
	}
	return &Backup{
		Folder: l.path(&b.Backup.Folder), Recipients: b.Backup.Recipients,
		Keep: l.atLeast(b.Backup.Body, "keep", value(b.Backup.Keep, keptBackups), 1, b.Backup.Keep != nil),
	}
}
