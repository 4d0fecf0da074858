package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kinit/engine/module"
	"kinit/engine/need"
	"kinit/engine/secret"
)

// withDisk is a host on which a script mounts a small file system before each command.
type withDisk struct {
	module.Host
	script string
}

func (d withDisk) Run(ctx context.Context, c module.Command) (module.Output, error) {
	c.Argv = append([]string{"unshare", "--mount", "--propagation=private", "sh", "-c", d.script + `; exec "$@"`, "sh"}, c.Argv...)
	return d.Host.Run(ctx, c)
}

func TestErrorOfAFullFileSystemNamesHostPathAndRemedy(t *testing.T) {
	t.Parallel()
	need.Root(t, "mounts")
	need.Programs(t, "mounts", "unshare", "mount")
	h := machine(t, &secret.Redactor{}).Bind("", nil)
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b.json")
	const space, inodes, none = `cat /dev/zero >fill`, `i=0; while touch "$i"; do i=$((i+1)); done`, ":"
	for name, c := range map[string]struct {
		options, fill string
		err           error
		want          string
	}{
		"a shell that cannot write": {"size=64k", space, errors.New("echo: I/O error\ncannot write " + file),
			"no space left on localhost: the file system at DIR, which has FILE, is full; free some there, and run kinit again: "},
		"no inodes": {"size=64k,nr_inodes=9", inodes, fmt.Errorf("write %s: %w", file, syscall.ENOSPC),
			"no inodes left on localhost: the file system at DIR, which has FILE, can hold no further file; remove files there that nothing needs, and run kinit again: "},
		"space for less": {"size=64k", none, fmt.Errorf("write %s: %w", file, syscall.ENOSPC),
			"no space left on localhost: free some there, and run kinit again: "},
		"another error of a full one": {"size=64k", space, errors.New("no such file: " + file), ""},
		"another reason":              {"size=64k", none, errors.New("cannot write " + file), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := withDisk{h, fmt.Sprintf("mount -t tmpfs -o %s tmpfs %s && cd %s && { %s; } 2>/dev/null", c.options, dir, dir, c.fill)}
			got := Full(t.Context(), disk, c.err)
			want := strings.NewReplacer("DIR", dir, "FILE", file).Replace(c.want) + c.err.Error()
			if got.Error() != want || !errors.Is(got, c.err) {
				t.Errorf("got  %v\nwant %s", got, want)
			}
		})
	}
}
