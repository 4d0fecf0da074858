package ntfs_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/store"
	"kinit/test/winsim/machine/winerr"
)

// clock is what the machine's clock shows in these tests.
var clock = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

func open(t *testing.T, state, root string) *ntfs.FS {
	t.Helper()
	f, err := ntfs.Open(root, store.In(state, "files"), func() time.Time { return clock })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func fresh(t *testing.T) *ntfs.FS {
	t.Helper()
	return open(t, t.TempDir(), t.TempDir())
}

// must ends the test when a step fails.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestNamesHaveNoCaseAndKeepTheOneTheyWereMadeWith(t *testing.T) {
	t.Parallel()
	f := fresh(t)
	must(t, f.Mkdir(`C:\ProgramData\Kinit`))
	must(t, f.WriteFile(`c:/programdata/KINIT/Run.TXT`, []byte("one")))
	must(t, f.WriteFile(`C:\PROGRAMDATA\kinit\run.txt`, []byte("two")))
	info, err := f.Stat(`c:\programdata\kinit\RUN.txt`)
	must(t, err)
	want := ntfs.Info{Path: `C:\ProgramData\Kinit\Run.TXT`, Name: "Run.TXT", Size: 3, Attributes: ntfs.Archive, Created: clock, Modified: clock}
	if info != want {
		t.Errorf("%+v, want %+v", info, want)
	}
	must(t, f.Rename(`C:\ProgramData\Kinit\Run.TXT`, `C:\ProgramData\Kinit\run.txt`, false))
	if info, err := f.Stat(`C:\ProgramData\Kinit\RUN.TXT`); err != nil || info.Name != "run.txt" {
		t.Errorf("renamed by case: %+v %v", info, err)
	}
}

func TestPathsFollowTheRulesOfWin32(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{`c:/a//b/./../c. `, `C:\a\c`},
		{`C:`, `C:\`},
		{`C:\..\..\x`, `C:\x`},
		{`C:\a?b`, "error 123"},
		{`C:\a:b`, "error 123"},
		{`C:\x\nul.txt`, "error 267"},
		{`C:\com1`, "error 267"},
		{`C:\com10`, `C:\com10`},
		{`relative`, "error 123"},
		{`C:\` + strings.Repeat("x", 255), `C:\` + strings.Repeat("x", 255)},
		{`C:\` + strings.Repeat(`\abcdefgh`, 29), "error 206"},
		{`\\?\C:\` + strings.Repeat(`\abcdefgh`, 29), `C:` + strings.Repeat(`\abcdefgh`, 29)},
	} {
		got, err := ntfs.Clean(c.name)
		var code *winerr.Error
		if errors.As(err, &code) {
			got = "error " + map[winerr.Code]string{winerr.InvalidName: "123", winerr.DirectoryInvalid: "267", winerr.FilenameTooLong: "206"}[code.Code]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWhatIsInUseIsNeitherWrittenNorDeleted(t *testing.T) {
	t.Parallel()
	f := fresh(t)
	must(t, f.WriteFile(`C:\k.exe`, []byte("program")))
	running, err := f.Execute(`C:\k.exe`)
	must(t, err)
	if err := f.WriteFile(`C:\k.exe`, nil); !errors.Is(err, winerr.SharingViolation) {
		t.Errorf("write a running program: %v", err)
	}
	if err := f.Remove(`C:\k.exe`, true); !errors.Is(err, winerr.AccessDenied) {
		t.Errorf("delete a running program: %v", err)
	}
	must(t, f.Rename(`C:\k.exe`, `C:\old.exe`, false))
	must(t, f.WriteFile(`C:\k.exe`, []byte("new")))
	if err := f.Remove(`C:\old.exe`, true); !errors.Is(err, winerr.AccessDenied) {
		t.Errorf("delete a running program that was renamed: %v", err)
	}
	must(t, running.Close())
	must(t, f.Remove(`C:\old.exe`, false))

	reader, err := f.Open(`C:\k.exe`, ntfs.Existing, ntfs.Reading, ntfs.ShareRead)
	must(t, err)
	defer reader.Close()
	if _, err := f.Open(`C:\k.exe`, ntfs.Existing, ntfs.Writing, ntfs.ShareAll); !errors.Is(err, winerr.SharingViolation) {
		t.Errorf("write what another reads without sharing it: %v", err)
	}
	if _, err := f.Open(`C:\k.exe`, ntfs.Existing, ntfs.Reading, ntfs.ShareWrite); !errors.Is(err, winerr.SharingViolation) {
		t.Errorf("read without sharing to read: %v", err)
	}
	if err := f.Rename(`C:\k.exe`, `C:\x.exe`, false); !errors.Is(err, winerr.SharingViolation) {
		t.Errorf("rename what is open: %v", err)
	}
}

func TestADiskCanBeFull(t *testing.T) {
	t.Parallel()
	f := fresh(t)
	f.Limit(10)
	must(t, f.WriteFile(`C:\a`, []byte("123456")))
	if err := f.WriteFile(`C:\b`, []byte("12345")); !errors.Is(err, winerr.DiskFull) {
		t.Errorf("write more than fits: %v", err)
	}
	must(t, f.WriteFile(`C:\a`, []byte("1")))
	must(t, f.WriteFile(`C:\b`, []byte("123456789")))
	want := []ntfs.Drive{{Letter: "C", Type: ntfs.Fixed, Size: 10, Free: 0}}
	if got := f.Drives(); !slices.Equal(got, want) {
		t.Errorf("drives %+v, want %+v", got, want)
	}
	must(t, f.RemoveAll(`C:\b`, false))
	if got := f.Drives()[0].Free; got != 9 {
		t.Errorf("free %d, want 9", got)
	}
}

func TestAttributesLinksAndAccessListsSurvive(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	f := open(t, state, root)
	must(t, f.Mkdir(`C:\etc\kubernetes\pki`))
	must(t, f.WriteFile(`C:\etc\kubernetes\pki\ca.crt`, []byte("ca")))
	must(t, f.Link(`C:\pki`, `C:\etc\kubernetes\pki`, ntfs.Junction))
	must(t, f.SetAttributes(`C:\pki\ca.crt`, ntfs.ReadOnly|ntfs.Hidden))
	own := ntfs.Security{Owner: "S-1-5-18", Protected: true, Entries: []ntfs.Entry{{SID: "S-1-5-18", Rights: ntfs.FullControl, Files: true}}}
	must(t, f.SetSecurity(`C:\etc\kubernetes\pki`, own))

	f = open(t, state, root)
	if got, err := f.ReadFile(`C:\PKI\CA.crt`); err != nil || string(got) != "ca" {
		t.Errorf("read through the link: %q %v", got, err)
	}
	if err := f.WriteFile(`C:\pki\ca.crt`, nil); !errors.Is(err, winerr.AccessDenied) {
		t.Errorf("write what is read-only: %v", err)
	}
	security, err := f.Security(`C:\etc\kubernetes\pki\ca.crt`)
	must(t, err)
	inherited := ntfs.Entry{SID: "S-1-5-18", Rights: ntfs.FullControl, Files: true, Inherited: true}
	if !slices.Equal(security.Entries, []ntfs.Entry{inherited}) {
		t.Errorf("entries %+v, want the one of the folder, inherited", security.Entries)
	}
	must(t, f.RemoveAll(`C:\pki`, false))
	if got, err := f.ReadFile(`C:\etc\kubernetes\pki\ca.crt`); err != nil || string(got) != "ca" {
		t.Errorf("deleting a link deleted what it leads to: %q %v", got, err)
	}
	if err := f.RemoveAll(`C:\etc`, false); !errors.Is(err, winerr.AccessDenied) {
		t.Errorf("delete what is read-only without force: %v", err)
	}
	must(t, f.RemoveAll(`C:\etc`, true))
}

func TestACDCanOnlyBeRead(t *testing.T) {
	t.Parallel()
	f := fresh(t)
	cd := t.TempDir()
	other := open(t, t.TempDir(), cd)
	must(t, other.WriteFile(`C:\Autounattend.xml`, []byte("<unattend/>")))
	f.Insert("D", cd, "KINIT")
	if got, err := f.ReadFile(`D:\autounattend.XML`); err != nil || string(got) != "<unattend/>" {
		t.Errorf("read: %q %v", got, err)
	}
	if err := f.WriteFile(`D:\x`, nil); !errors.Is(err, winerr.WriteProtect) {
		t.Errorf("write: %v", err)
	}
	if _, err := f.Stat(`E:\x`); !errors.Is(err, winerr.PathNotFound) {
		t.Errorf("a drive that is not there: %v", err)
	}
}

func TestAppendingAndCuttingKeepAccounts(t *testing.T) {
	t.Parallel()
	f := fresh(t)
	f.Limit(100)
	must(t, f.WriteFile(`C:\log`, []byte("one\n")))
	h, err := f.Open(`C:\log`, ntfs.Append, ntfs.Writing, ntfs.ShareRead)
	must(t, err)
	if _, err := io.WriteString(h, "two\n"); err != nil {
		t.Fatal(err)
	}
	must(t, h.SetSize(6))
	must(t, h.Close())
	if got, err := f.ReadFile(`C:\log`); err != nil || string(got) != "one\ntw" {
		t.Errorf("%q %v", got, err)
	}
	if free := f.Drives()[0].Free; free != 94 {
		t.Errorf("free %d, want 94", free)
	}
}
