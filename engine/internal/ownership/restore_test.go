package ownership

import (
	"errors"
	"testing"

	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
)

func TestABackupIsRestoredOntoItsOwnInstanceOrOntoNone(t *testing.T) {
	t.Parallel()
	const other = ". Nothing was changed. To restore it anyway, give --adopt; or remove the existing one first"
	for name, c := range map[string]struct {
		found map[string]host.Found
		adopt bool
		want  string
		err   string
	}{
		"its own, which this controller does not know": {found: map[string]host.Found{"a": has("BACKUP", "bob@pc"), "b": {}}, want: "BACKUP"},
		"none":                      {found: map[string]host.Found{"a": {}, "b": {}}, want: "BACKUP"},
		"one of this controller":    {found: map[string]host.Found{"a": has("MINE", "me@ws")}, err: "the backup is of another k8s than the one on a: me@ws made it on 2026-11-22 at 18:45:10 UTC from k8s-podman-1-1-1" + other},
		"another one, with --adopt": {found: map[string]host.Found{"a": has("THEIRS", "bob@pc")}, adopt: true, want: "THEIRS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := instance.Memory{Folder: t.TempDir()}
			if err := memory.Remember(instance.Known{Instance: instance.Instance{ID: "MINE", By: "me@ws", Made: made}, Owner: "k8s", Hosts: []string{"c"}}); err != nil {
				t.Fatal(err)
			}
			run := &choice{owner: "k8s", memory: memory, backup: "BACKUP", adopt: c.adopt, fresh: instance.Instance{ID: "BACKUP"}, found: c.found, hosts: []string{"a", "b"}}
			err := run.choose()
			if c.err == "" && (err != nil || run.chosen.ID != c.want) {
				t.Errorf("chose %q, %v, want %q", run.chosen.ID, err, c.want)
			}
			if c.err != "" && (!errors.Is(err, instance.ErrTaken) || err.Error() != instance.ErrTaken.Error()+": "+c.err) {
				t.Errorf("error\n%v, want\n%s", err, c.err)
			}
		})
	}
}
