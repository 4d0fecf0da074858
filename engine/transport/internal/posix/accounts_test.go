package posix

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
)

// account is a machine with one file; it counts how often that is read.
type account struct {
	FS    // every other call is a mistake
	text  string
	mtime time.Time
	opens int
}

func (a *account) Stat(context.Context, string, bool) (module.FileInfo, error) {
	if a.text == "" {
		return module.FileInfo{}, fs.ErrNotExist
	}
	return module.FileInfo{Size: int64(len(a.text)), MTime: a.mtime}, nil
}

func (a *account) Open(context.Context, string) (io.ReadCloser, error) {
	a.opens++
	return io.NopCloser(strings.NewReader(a.text)), nil
}

func TestNamesAreReadOnceAndAgainAfterAChange(t *testing.T) {
	ctx := t.Context()
	machine := &account{text: "root:x:0:0::/root:/bin/sh\n# comment\n\nbroken:x\ntwin:x:7:\nfirst:x:5:\nsecond:x:5:\ntwin:x:8:\n"}
	users := &table{path: "/etc/passwd", what: "user"}
	wantName := func(id uint32, want string) {
		t.Helper()
		if got, err := users.name(ctx, machine, id); got != want || err != nil {
			t.Errorf("name of %d is %q, want %q (error %v)", id, got, want, err)
		}
	}
	wantName(0, "root")
	wantName(5, "first")
	wantName(7, "twin")
	wantName(99, "99")
	wantName(99, "99")
	for name, want := range map[string]uint32{"root": 0, "second": 5, "twin": 7, "4294967295": 4294967295} {
		if got, err := users.id(ctx, machine, name); got != want || err != nil {
			t.Errorf("id of %s is %d, want %d (error %v)", name, got, want, err)
		}
	}
	if _, err := users.id(ctx, machine, "new"); err == nil || err.Error() != `there is no user "new" in /etc/passwd` {
		t.Errorf("error is %v", err)
	}
	if machine.opens != 1 {
		t.Errorf("the file was read %d times", machine.opens)
	}
	machine.text += "new:x:99:\n"
	wantName(99, "new")
	if got, err := users.id(ctx, machine, "new"); got != 99 || err != nil || machine.opens != 2 {
		t.Errorf("id is %d, error %v, read %d times", got, err, machine.opens)
	}
}

func TestAMachineWithoutAccountsHasNumbers(t *testing.T) {
	users := &table{path: "/etc/passwd", what: "user"}
	if got, err := users.name(t.Context(), &account{}, 0); got != "0" || err != nil {
		t.Errorf("got %q, error %v", got, err)
	}
}

func TestPermissions(t *testing.T) {
	for mode, want := range map[fs.FileMode]fs.FileMode{
		0o644:                 0o644,
		0o4755:                fs.ModeSetuid | 0o755,
		0o2755:                fs.ModeSetgid | 0o755,
		0o1777:                fs.ModeSticky | 0o777,
		fs.ModeSetuid | 0o755: fs.ModeSetuid | 0o755,
		fs.ModeDir | 0o700:    0o700,
	} {
		if got := permissions(mode); got != want {
			t.Errorf("%v gives %v, want %v", mode, got, want)
		}
	}
}
