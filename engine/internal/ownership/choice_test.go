package ownership

import (
	"errors"
	"testing"
	"time"

	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
)

var made = time.Date(2026, 11, 22, 18, 45, 10, 0, time.UTC)

func has(id, by string) host.Found {
	return host.Found{Instance: instance.Instance{ID: id, By: by, Made: made, Spec: "k8s-podman-1-1-1"}}
}

func TestHostsDecideWhichInstanceARunWorksOn(t *testing.T) {
	t.Parallel()
	const hint = ". Nothing was changed. To work on it from here too, give --adopt; to have one of your own beside it, choose another name: that of the cluster, or the owner of the spec"
	const differ = "k8s stands for different things on the hosts: "
	const choose = ". Nothing was changed. Choose hosts that have the same, or another name: that of the cluster, or the owner of the spec; or work on all of them with --adopt"
	old := host.Found{Old: true}
	for name, c := range map[string]struct {
		found map[string]host.Found
		adopt bool
		want  string // the id
		err   string
	}{
		"the name is free":      {found: map[string]host.Found{"a": {}, "b": {}}, want: "NEW"},
		"it is mine":            {found: map[string]host.Found{"a": {}, "b": has("MINE", "me@ws")}, want: "MINE"},
		"a silent host had one": {found: map[string]host.Found{"a": {}}, want: "MINE"},
		"somebody else's": {
			found: map[string]host.Found{"a": {}, "b": has("THEIRS", "bob@pc"), "c": has("THEIRS", "bob@pc"), "d": has("THEIRS", "bob@pc")},
			err:   "k8s on b, c and d is not known here: bob@pc made it on 2026-11-22 at 18:45:10 UTC from k8s-podman-1-1-1" + hint,
		},
		"somebody else's, adopted": {found: map[string]host.Found{"a": has("THEIRS", "bob@pc")}, adopt: true, want: "THEIRS"},
		"two": {
			found: map[string]host.Found{"a": has("MINE", "me@ws"), "b": has("THEIRS", "bob@pc")},
			err:   differ + "on a, me@ws made it on 2026-11-22 at 18:45:10 UTC from k8s-podman-1-1-1; on b, bob@pc made it on 2026-11-22 at 18:45:10 UTC from k8s-podman-1-1-1" + choose,
		},
		"one, and one of an older version": {
			found: map[string]host.Found{"a": has("MINE", "me@ws"), "b": old, "c": old},
			err:   differ + "on a, me@ws made it on 2026-11-22 at 18:45:10 UTC from k8s-podman-1-1-1; on b and c, it was made by a version of kinit that noted no instance" + choose,
		},
		"two, adopted":                    {found: map[string]host.Found{"a": has("MINE", "me@ws"), "b": has("THEIRS", "bob@pc")}, adopt: true, want: "MINE"},
		"one and an older one's, adopted": {found: map[string]host.Found{"a": old, "b": has("THEIRS", "bob@pc")}, adopt: true, want: "THEIRS"},
		"an older version's": {
			found: map[string]host.Found{"a": old},
			err:   "k8s on a was made by a version of kinit that noted no instance, so its owner is unknown" + hint,
		},
		"an older version's, adopted": {found: map[string]host.Found{"a": old}, adopt: true, want: "NEW"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := instance.Memory{Folder: t.TempDir()}
			mine := instance.Known{Instance: instance.Instance{ID: "MINE", By: "me@ws", Made: made}, Owner: "k8s", Hosts: []string{"b"}}
			if err := memory.Remember(mine); err != nil {
				t.Fatal(err)
			}
			run := &choice{owner: "k8s", memory: memory, adopt: c.adopt, fresh: instance.Instance{ID: "NEW"}, found: c.found, hosts: []string{"a", "b"}}
			err := run.choose()
			if c.err == "" && (err != nil || run.chosen.ID != c.want) {
				t.Errorf("chose %q, %v, want %q", run.chosen.ID, err, c.want)
			}
			if c.err != "" && (!errors.Is(err, instance.ErrTaken) || err.Error() != instance.ErrTaken.Error()+": "+c.err) {
				t.Errorf("error\n%v, want\n%s", err, c.err)
			}
			known, err := memory.Knows("THEIRS")
			if want := c.adopt && name != "an older version's, adopted"; err != nil || known != want {
				t.Errorf("knows theirs: %v, %v, want %v", known, err, want)
			}
			if run.chosen.Unmarked {
				t.Error("hosts that get the instance would have marks without it")
			}
		})
	}
}
