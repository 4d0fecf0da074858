package trust

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"kinit/engine/need"
)

const (
	alice   = 45001 // runs kinit
	mallory = 45002
	bob     = 45003 // has written the named file
	staff   = 45009 // a group
)

// place is a file in a folder, with owners, groups and modes.
type place struct {
	folderOwner, folderGroup int
	folderMode               os.FileMode
	owner, group             int
	mode                     os.FileMode
}

func good() place { return place{alice, staff, 0o755, alice, staff, 0o644} }

// make makes the file and returns its path.
func (p place) make(t *testing.T) string {
	t.Helper()
	need.Root(t, "files of several users")
	folder := filepath.Join(t.TempDir(), "work")
	path := filepath.Join(folder, "inventory.hcl")
	for _, err := range []error{
		os.Chmod(filepath.Dir(folder), 0o755), os.Mkdir(folder, 0o700), os.WriteFile(path, nil, 0o600),
		os.Chown(folder, p.folderOwner, p.folderGroup), os.Chown(path, p.owner, p.group), os.Chmod(path, p.mode), os.Chmod(folder, p.folderMode),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func rules(folders ...string) Rules { return Rules{uid: alice, folders: folders} }

func check(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (!errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestFileThatKinitFindsMustBelongToTheUserOrRoot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*place)
		want   string
	}{
		"the user's":                         {func(*place) {}, ""},
		"root's":                             {func(p *place) { p.owner, p.folderOwner = 0, 0 }, ""},
		"another user's":                     {func(p *place) { p.owner = mallory }, "inventory.hcl belongs to the user 45002, and not to you or root"},
		"in another user's folder":           {func(p *place) { p.folderOwner = mallory }, "work belongs to the user 45002"},
		"writable for all":                   {func(p *place) { p.mode = 0o666 }, "Run 'chmod o-w "},
		"writable for a group":               {func(p *place) { p.mode = 0o664 }, "the group 45009 can change "},
		"writable for the user's own group":  {func(p *place) { p.mode, p.group = 0o664, alice }, ""},
		"writable for root's group":          {func(p *place) { p.mode, p.group = 0o664, 0 }, ""},
		"in a folder that all can write":     {func(p *place) { p.folderMode = 0o777 }, "every user of this machine can change "},
		"in a folder like /tmp":              {func(p *place) { p.folderMode = 0o777 | os.ModeSticky }, "every user of this machine can change "},
		"in a folder that a group can write": {func(p *place) { p.folderMode = 0o775 }, "the group 45009 can change "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := good()
			c.change(&p)
			path := p.make(t)
			check(t, rules().Found(path), c.want)
			if c.want != "" && !strings.Contains(c.want, "chmod") {
				check(t, rules().Found(path), Variable+"="+filepath.Dir(path)+",")
			}
			check(t, rules(filepath.Dir(path)).Found(path), "")
			check(t, rules(filepath.Dir(path)+"/other").Found(path), c.want)
		})
	}
}

func TestGroupOfTheUsersOwnMayWrite(t *testing.T) {
	t.Parallel()
	p := place{1, 1, 0o775, 1, 1, 0o664} // daemon, who has a group of that name
	path := p.make(t)
	check(t, Rules{uid: 1}.Found(path), "")
	check(t, Rules{uid: 2}.Found(path), "belongs to daemon, and not to you or root")
}

func TestNamedFileMayBelongToAnybodyButNotBeWorldWritable(t *testing.T) {
	t.Parallel()
	p := place{mallory, mallory, 0o777, mallory, mallory, 0o664}
	check(t, rules().Named(p.make(t)), "")
	p.mode = 0o666
	path := p.make(t)
	check(t, rules().Named(path), "every user of this machine can change "+path+" (mode 0666). Run 'chmod o-w "+path+"'")
	check(t, rules(filepath.Dir(path)).Named(path), "")
	check(t, rules().Named(filepath.Join(t.TempDir(), "missing")), "")
	check(t, rules().Named("/dev/null"), "")
}

func TestFileNearANamedFileMayHaveTheSameOwner(t *testing.T) {
	t.Parallel()
	p := place{bob, bob, 0o755, bob, bob, 0o644}
	path := p.make(t)
	named := filepath.Join(filepath.Dir(path), "site.hcl")
	if err := errors.Join(os.WriteFile(named, nil, 0o600), os.Chown(named, bob, bob)); err != nil {
		t.Fatal(err)
	}
	check(t, rules().Beside(path, named), "")
	check(t, rules().Found(path), "belongs to the user 45003")
	if err := os.Chown(path, mallory, mallory); err != nil {
		t.Fatal(err)
	}
	check(t, rules().Beside(path, named), "belongs to the user 45002")
}

func TestLinkIsCheckedWithItsTarget(t *testing.T) {
	t.Parallel()
	theirs, mine := place{mallory, mallory, 0o755, mallory, mallory, 0o644}, good()
	target, link := theirs.make(t), mine.make(t)
	if err := errors.Join(os.Remove(link), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	check(t, rules().Found(link), "belongs to the user 45002")
	if err := errors.Join(os.Remove(target), os.WriteFile(target, nil, 0o644)); err != nil { // of root, in the folder of mallory
		t.Fatal(err)
	}
	check(t, rules().Found(link), "work belongs to the user 45002")
	check(t, rules(filepath.Dir(target)).Found(link), "")
}

func TestFolderAboveThatOthersCanExchangeIsRefused(t *testing.T) {
	t.Parallel()
	p := good()
	path := p.make(t)
	above := filepath.Dir(filepath.Dir(path))
	if err := os.Chmod(above, 0o777); err != nil {
		t.Fatal(err)
	}
	check(t, rules().Found(path), "every user of this machine can exchange folders in "+above)
	if err := os.Chmod(above, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	check(t, rules().Found(path), "")
}

func TestAccessListThatLetsOthersWriteIsSeen(t *testing.T) {
	t.Parallel()
	p := good()
	p.group, p.mode = 0, 0o664
	path := p.make(t)
	check(t, rules().Found(path), "")
	list := []byte{2, 0, 0, 0}
	for _, entry := range []struct {
		tag, rights uint16
		id          uint32
	}{{1, 6, ^uint32(0)}, {2, 6, mallory}, {4, 4, ^uint32(0)}, {16, 6, ^uint32(0)}, {32, 4, ^uint32(0)}} { // acl(5): the owner, mallory, the group, the mask, others
		list = binary.LittleEndian.AppendUint16(list, entry.tag)
		list = binary.LittleEndian.AppendUint16(list, entry.rights)
		list = binary.LittleEndian.AppendUint32(list, entry.id)
	}
	if err := unix.Setxattr(path, accessList, list, 0); err != nil {
		t.Fatal(err)
	}
	check(t, rules().Found(path), "a user or group of its access list can change ")
}

func TestPrivateKeyFollowsTheRuleOfSSH(t *testing.T) {
	t.Parallel()
	need.Root(t, "files of several users")
	path := filepath.Join(t.TempDir(), "id")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]string{0o600: "", 0o400: "", 0o640: "(mode 0640)", 0o604: "(mode 0604)", 0o666: "Run 'chmod 600 " + path + "'"} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		check(t, Key(path), want)
	}
	if err := syscall.Chown(path, mallory, mallory); err != nil {
		t.Fatal(err)
	}
	check(t, Key(path), "")
}

func TestOnlyAbsoluteFoldersAreTrusted(t *testing.T) {
	t.Parallel()
	got := From([]string{Variable + "=/a", "X=1", Variable + "=.:/srv/site::relative:/opt"}).folders
	if want := []string{"/srv/site", "/opt"}; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %q, want %q", got, want)
	}
}
