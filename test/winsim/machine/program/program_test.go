package program_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/machinetest"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/node"
)

// boot returns a machine that runs until the test ends.
func boot(t *testing.T, language string) *machine.Machine {
	t.Helper()
	r, _ := machine.FindRelease("2k22")
	m, err := node.New(machine.Options{Folder: t.TempDir(), Release: r, Language: language})
	if err != nil {
		t.Fatal(err)
	}
	machinetest.Run(t, m)
	return m
}

// run runs a program and returns its code and all that it wrote.
func run(t *testing.T, m *machine.Machine, program string, args ...string) (uint32, string) {
	t.Helper()
	var out strings.Builder
	p, err := m.Launch(t.Context(), machine.Start{Program: program, Args: args, Stdout: &out, Stderr: &out, Dir: `C:\`})
	if err != nil {
		t.Fatal(err)
	}
	return p.Wait(), out.String()
}

func put(t *testing.T, m *machine.Machine, path, content string) {
	t.Helper()
	if err := m.Files.WriteFile(path, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

func TestCurlFetchesResumesAndHasItsOwnCodes(t *testing.T) {
	t.Parallel()
	m := boot(t, "en-US")
	content := []byte(strings.Repeat("payload ", 10000))
	serve := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/file" {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(content))
	}
	plain := httptest.NewServer(http.HandlerFunc(serve))
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(http.HandlerFunc(serve))
	t.Cleanup(secure.Close)
	put(t, m, `C:\part`, string(content[:1234]))
	if code, out := run(t, m, "curl.exe", "--fail", "--silent", "--continue-at", "-", "--output", `C:\part`, "--url", plain.URL+"/file"); code != 0 {
		t.Fatalf("resume: %d %s", code, out)
	}
	got, err := m.Files.ReadFile(`C:\part`)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("what was resumed has %d bytes, %v, want %d", len(got), err, len(content))
	}
	for name, c := range map[string]struct {
		args []string
		want uint32
	}{
		"a missing file":       {[]string{"--fail", "--output", "x", plain.URL + "/other"}, 22},
		"no listener":          {[]string{"--output", "x", "http://127.0.0.1:1/file"}, 7},
		"an unknown authority": {[]string{"--output", "x", secure.URL + "/file"}, 60},
		"no authority file":    {[]string{"--output", "x", "--cacert", `C:\none`, secure.URL + "/file"}, 77},
	} {
		if code, out := run(t, m, "curl.exe", c.args...); code != c.want || !strings.HasPrefix(out, fmt.Sprintf("curl: (%d) ", c.want)) {
			t.Errorf("%s: code %d %s, want %d", name, code, out, c.want)
		}
	}
	m.Files.Limit(1)
	if code, _ := run(t, m, "curl.exe", "--output", "x", plain.URL+"/file"); code != 23 {
		t.Errorf("a full disk: code %d, want 23", code)
	}
}

func TestTarUnpacksARealArchive(t *testing.T) {
	t.Parallel()
	m := boot(t, "en-US")
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, content := range map[string]string{"bin/ctr.exe": "ctr", "bin/containerd.exe": "containerd"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o755, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, m, `C:\c.tar`, archive.String())
	if code, out := run(t, m, "tar.exe", "-xf", `C:\c.tar`, "-C", `C:\Program Files\containerd`, "--strip-components=1"); code != 0 {
		t.Fatalf("code %d %s", code, out)
	}
	if code, out := run(t, m, "tar.exe", "-xf", "C:/c.tar", "-C", "C:/some", "--strip-components", "0", "bin/ctr.exe"); code != 0 {
		t.Fatalf("code %d %s", code, out)
	}
	if _, err := m.Files.Stat(`C:\some\bin\ctr.exe`); err != nil {
		t.Error(err)
	}
	if _, err := m.Files.Stat(`C:\some\bin\containerd.exe`); err == nil {
		t.Error("a member that was not asked for is unpacked")
	}
	if code, out := run(t, m, "tar.exe", "-xf", "C:/c.tar", "-C", "C:/some", "bin", "other"); code != 1 || out != "tar.exe: other: Not found in archive\r\n" {
		t.Errorf("a member that is not there: code %d %q", code, out)
	}
	if _, err := m.Files.Stat(`C:\some\bin\containerd.exe`); err != nil {
		t.Errorf("what is in a folder that was asked for: %v", err)
	}
	if text, err := m.Files.ReadFile(`C:\Program Files\containerd\containerd.exe`); err != nil || string(text) != "containerd" {
		t.Errorf("%q %v", text, err)
	}
}

func TestICACLSLeavesAFileToTheSystemAndAdministrators(t *testing.T) {
	t.Parallel()
	m := boot(t, "de-DE")
	put(t, m, `C:\key`, "secret")
	if code, out := run(t, m, "icacls.exe", `C:\key`, "/inheritance:r", "/grant:r", "*S-1-5-18:F", "Administratoren:(OI)F"); code != 0 {
		t.Fatalf("code %d %s", code, out)
	}
	if code, out := run(t, m, "icacls.exe", `C:\key`, "/setowner", "*S-1-5-18", "/Q"); code != 0 {
		t.Fatalf("code %d %s", code, out)
	}
	s, err := m.Files.Security(`C:\key`)
	if want := "O:SYD:PAI(A;OI;FA;;;BA)(A;;FA;;;SY)"; err != nil || s.SDDL() != want {
		t.Errorf("%s %v, want %s", s.SDDL(), err, want)
	}
	if code, out := run(t, m, "icacls.exe", `C:\key`, "/setowner", "Stranger"); code != 1332 {
		t.Errorf("an unknown account: code %d %s", code, out)
	}
}

func TestSCMakesChangesAndDeletesServices(t *testing.T) {
	t.Parallel()
	m := boot(t, "en-US")
	for _, c := range []struct {
		args []string
		code uint32
		want string
	}{
		{[]string{"create", "k", "binPath=", `C:\Windows\system32\svchost.exe -k x`, "start=", "delayed-auto", "depend=", "RpcSs/nsi"}, 0, "[SC] CreateService SUCCESS\r\n"},
		{[]string{"create", "k", "binPath=", "x"}, 1073, "[SC] CreateService FAILED 1073:\r\n\r\nThe specified service already exists.\r\n\r\n"},
		{[]string{"failure", "k", "reset=", "60", "actions=", "restart/5000/restart/10000"}, 0, "[SC] ChangeServiceConfig2 SUCCESS\r\n"},
		{[]string{"stop", "k"}, 1062, "[SC] ControlService FAILED 1062:\r\n\r\nThe service has not been started.\r\n\r\n"},
	} {
		if code, out := run(t, m, "sc.exe", c.args...); code != c.code || out != c.want {
			t.Errorf("%q: %d %q, want %d %q", c.args, code, out, c.code, c.want)
		}
	}
	got, err := m.Services.Config("k")
	want := scm.Config{
		Name: "k", DisplayName: "k", Image: `C:\Windows\system32\svchost.exe -k x`, Start: scm.Auto, Delayed: true, Account: "LocalSystem", DependsOn: []string{"RpcSs", "nsi"},
		Failure: scm.Failure{Reset: time.Minute, Actions: []scm.Action{{Type: scm.Restart, Delay: 5 * time.Second}, {Type: scm.Restart, Delay: 10 * time.Second}}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
	if code, out := run(t, m, "sc.exe", "start", "k"); code != 0 || !strings.Contains(out, "4  RUNNING") {
		t.Errorf("start: %d %s", code, out)
	}
	if code, _ := run(t, m, "sc.exe", "delete", "k"); code != 0 {
		t.Errorf("delete: %d", code)
	}
}

func TestCmdRunsOneCommand(t *testing.T) {
	t.Parallel()
	m := boot(t, "en-US")
	for line, want := range map[string]string{
		"echo hello there": "0 hello there\r\n", "hostname": "0 WIN-KINITSIM\r\n", "exit 7": "7 ", "echo %COMPUTERNAME%": "0 WIN-KINITSIM\r\n",
		"nothing x": "1 'nothing' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n",
	} {
		var out strings.Builder
		p, err := m.Launch(t.Context(), machine.Start{Program: "cmd.exe", Args: []string{"/c", line}, Line: "cmd.exe /c " + line, Stdout: &out, Stderr: &out})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d %s", p.Wait(), out.String()); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if unknown := m.Unknowns(); len(unknown) > 0 {
		t.Errorf("unknown: %q", unknown)
	}
	if code, _ := run(t, m, "cmd.exe", "/c", "dir | more"); code != 1 || len(m.Unknowns()) != 1 {
		t.Errorf("what is not known: code %d, %q", code, m.Unknowns())
	}
}

func TestPackagesAreInstalledListedAndTakenOff(t *testing.T) {
	t.Parallel()
	m := boot(t, "en-US")
	product := "{11111111-2222-3333-4444-555555555555}"
	put(t, m, `C:\x.msi`, `{"kinit-winsim": "msi", "product": "`+product+`", "name": "X", "version": "1.2", "restart": true, "files": {"C:\\Program Files\\X\\x.txt": "x"}}`)
	put(t, m, `C:\broken.msi`, "MZ")
	put(t, m, `C:\setup.exe`, string(machine.Stand("installer", "2.0"))+`{"kinit-winsim": "exe", "product": "Agent_is1", "name": "Agent", "version": "2.0", "need_argument": "/VERYSILENT"}`)
	key := `HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\`
	for _, c := range []struct {
		program string
		args    []string
		want    uint32
	}{
		{"msiexec.exe", []string{"/i", `C:\none.msi`, "/qn"}, 1619}, {"msiexec.exe", []string{"/i", `C:\broken.msi`, "/qn"}, 1620},
		{"msiexec.exe", []string{"/i", `C:\x.msi`, "/qn", "/norestart"}, 3010}, {`C:\setup.exe`, nil, 2}, {`C:\setup.exe`, []string{"/VERYSILENT"}, 0},
	} {
		if code, out := run(t, m, c.program, c.args...); code != c.want {
			t.Errorf("%s %q: code %d %s, want %d", c.program, c.args, code, out, c.want)
		}
	}
	if version := m.Registry.Text(key+product, "DisplayVersion"); version != "1.2" || !m.Registry.Has(key+"Agent_is1") {
		t.Errorf("listed with the version %q", version)
	}
	if code, _ := run(t, m, "msiexec.exe", "/x", product, "/qn"); code != 0 || m.Registry.Has(key+product) {
		t.Errorf("taken off: code %d", code)
	}
	if code, _ := run(t, m, "msiexec.exe", "/x", product, "/qn"); code != 1605 {
		t.Errorf("taken off twice: code %d, want 1605", code)
	}
	if _, err := m.Files.Stat(`C:\Program Files\X\x.txt`); err == nil {
		t.Error("its file is still there")
	}
}

func TestShutdownIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	m := boot(t, "en-US")
	if code, _ := run(t, m, "shutdown.exe", "/r", "/t", "600"); code != 0 {
		t.Errorf("announce: %d", code)
	}
	if code, out := run(t, m, "shutdown.exe", "/r", "/t", "0"); code != 1190 || out != "A system shutdown has already been scheduled.(1190)\r\n" {
		t.Errorf("announce twice: %d %s", code, out)
	}
	if code, _ := run(t, m, "shutdown.exe", "/a"); code != 0 {
		t.Errorf("take back: %d", code)
	}
	before := m.LastBoot()
	if code, _ := run(t, m, "shutdown.exe", "/r", "/f", "/t", "0"); code != 0 && code != 1 {
		t.Errorf("restart: %d", code)
	}
	for deadline := time.Now().Add(time.Minute); m.Boots() < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not restart")
		}
	}
	if after := m.LastBoot(); !after.After(before) {
		t.Errorf("the last boot is %v and was %v", after, before)
	}
}

func TestRouteAddsPrintsAndDeletes(t *testing.T) {
	t.Parallel()
	for language, failed := range map[string]string{
		"en-US": "The route deletion failed: Element not found.\r\n", "de-DE": "Fehler beim Löschen der Route: Element nicht gefunden.\r\n",
	} {
		m := boot(t, language)
		rows := func() []string {
			_, out := run(t, m, "route.exe", "print", "-4")
			var found []string
			for line := range strings.Lines(out) {
				if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "10.0.0.0" {
					found = append(found, strings.Join(fields, " "))
				}
			}
			return found
		}
		route := []string{"10.0.0.0", "mask", "255.255.255.0", "192.0.2.1"}
		if code, out := run(t, m, "route.exe", append([]string{"-p", "add"}, route...)...); code != 0 || out != " OK!\r\n" {
			t.Errorf("add: %d %q", code, out)
		}
		want := []string{"10.0.0.0 255.255.255.0 192.0.2.1 192.0.2.10 16", "10.0.0.0 255.255.255.0 192.0.2.1 1"}
		if got := rows(); !slices.Equal(got, want) {
			t.Errorf("the rows are %q, want %q", got, want)
		}
		if code, _ := run(t, m, "route.exe", append([]string{"add"}, route...)...); code != 1 {
			t.Errorf("added twice: %d", code)
		}
		if code, _ := run(t, m, "route.exe", "add", "10.1.0.0", "mask", "255.255.255.0", "198.51.100.1"); code != 1 {
			t.Errorf("by a gateway that is on no network of the machine: %d", code)
		}
		if code, out := run(t, m, "route.exe", append([]string{"delete"}, route...)...); code != 0 || out != " OK!\r\n" {
			t.Errorf("delete: %d %q", code, out)
		}
		if code, out := run(t, m, "route.exe", append([]string{"delete"}, route...)...); code != 1 || out != failed {
			t.Errorf("deleted twice: %d %q", code, out)
		}
		if got := rows(); len(got) > 0 {
			t.Errorf("there are still %q", got)
		}
	}
}
