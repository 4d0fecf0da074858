package winpackage

import (
	"testing"

	"kinit/engine/module/moduletest"
)

const (
	code = "{8B9A8FD7-0A62-4A2E-8E6B-0E8B5D0BB2D6}"
	sum  = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

func decode(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const msi = "path = \"C:/setup/a.msi\"\nproduct = \"" + code + "\"\n"
	for _, c := range []struct {
		name, args string
		have       state
		want       string
	}{
		{"not installed", msi, state{}, "install a.msi"},
		{"installed in any version", msi, state{true, "1.0"}, ""},
		{"installed in the version", msi + "version = \"1.0\"", state{true, "1.0"}, ""},
		{"installed in another version", msi + "version = \"2.0\"", state{true, "1.0"}, "install a.msi version 2.0, was 1.0"},
		{"to be absent", "product = \"" + code + "\"\nstate = \"absent\"", state{true, "1.0"}, "uninstall " + code},
		{"absent", "product = \"" + code + "\"\nstate = \"absent\"", state{}, ""},
	} {
		if got := decode(t, c.args).decide(c.have); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCallsAreInTheFormOfTheInstaller(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, file string
		want       call
	}{
		{"product = \"x\"\narguments = [\"ADDLOCAL=Server\", \"TARGETDIR=C:\\\\Program Files\\\\x\", \"/l*v\"]", "C:/setup/My Server.MSI",
			call{"msiexec.exe", `/i "C:\setup\My Server.MSI" /qn /norestart ADDLOCAL=Server TARGETDIR="C:\Program Files\x" /l*v`}},
		{"product = \"x\"\narguments = [\"/S\", \"/D=C:\\\\a b\"]", "C:/setup/a.exe", call{`C:\setup\a.exe`, `/S "/D=C:\a b"`}},
	} {
		if got := decode(t, c.args).call(c.file); got != c.want {
			t.Errorf("%s: %v, want %v", c.file, got, c.want)
		}
	}
	msi := decode(t, "product = \""+code+"\"\nstate = \"absent\"")
	if got, want := msi.uninstaller(), (call{"msiexec.exe", "/x " + code + " /qn /norestart"}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	other := decode(t, "product = \"x\"\nstate = \"absent\"\nuninstall = [\"C:/a b/unins000.exe\", \"/S\"]")
	if got, want := other.uninstaller(), (call{`C:\a b\unins000.exe`, "/S"}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCodesAreJudged(t *testing.T) {
	t.Parallel()
	present, absent := decode(t, `product = "x"`), decode(t, "product = \"x\"\nstate = \"absent\"")
	for code, want := range map[int][2]bool{0: {true, true}, 3010: {true, true}, 1641: {true, true}, 1605: {false, true}, 1603: {false, false}} {
		if got := [2]bool{present.fine(code), absent.fine(code)}; got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`path = "C:/a.msi"`: "want exactly one of product and creates, which show whether it is installed",
		"path = \"C:/a.msi\"\nproduct = \"a\"\ncreates = \"C:/a\"": "want exactly one of product and creates, which show whether it is installed",
		`product = "a"`: "want exactly one of path and url, where the installer is",
		"product = \"a\"\nurl = \"http://h/a.msi\"":                           `sha256 is "", want 64 hex digits`,
		"product = \"a\"\nurl = \"http://h/a.msi\"\nsha256 = \"" + sum + "\"": "",
		"creates = \"C:/a\"\nversion = \"1\"\npath = \"C:/a.msi\"":            "version is that of product's key, want it beside product",
		"creates = \"C:/a\"\nstate = \"absent\"":                              "uninstall is missing, want the program that takes it off, or product with the product code of an MSI package",
		"creates = \"/a\"\npath = \"C:/a.exe\"":                               `creates is "/a", want a path with its drive, such as "C:/kinit/file"`,
		"product = \"a\"\npath = \"C:/a.exe\"\nok_codes = []":                 "ok_codes is empty, want at least one exit code",
		"product = \"a\"\npath = \"C:/a.exe\"\nwithin = \"x\"":                `within is "x", want a duration such as "30m"`,
		"product = \"a\"\npath = \"C:/a.exe\"\nsha256 = \"x\"":                `sha256 is "x", want 64 hex digits`,
	} {
		moduletest.Refused(t, decode(t, args), want)
	}
}
