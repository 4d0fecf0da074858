package unattend_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"kinit/modules/internal/unattend"
	"kinit/test/golden"
)

func system() unattend.System {
	return unattend.System{
		Locale: "en-US", TimeZone: "UTC", Password: `Kn1-<a & "b">`,
		FirstLogon: `powershell.exe -File "D:\kinit-setup.ps1"`,
	}
}

func install() unattend.Install {
	return unattend.Install{
		System: system(), ComputerName: "k8s-compute-01", UEFI: true,
		ImageName:   "Windows Server 2022 SERVERDATACENTERCORE",
		DriverPaths: []string{`D:\viostor\2k22\amd64`, `E:\viostor\2k22\amd64`},
	}
}

// documents are answer files that together have everything in them.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	bios := install()
	bios.UEFI, bios.ImageName, bios.ImageIndex = false, "", 3
	bios.ProductKey, bios.OldSetup = "WX4NM-KYWYW-QJJR4-XV3QB-6VM33", true
	all := map[string][]byte{}
	for name, file := range map[string]interface{ XML() ([]byte, error) }{
		"install-uefi.xml": install(),
		"install-bios.xml": bios,
		"sealed.xml":       unattend.Sealed{System: system(), Specialize: "powershell.exe -File kinit-specialize.ps1"},
	} {
		text, err := file.XML()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = text
	}
	return all
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for name, got := range documents(t) {
		golden.Check(t, filepath.Join("testdata", name), string(got))
	}
}

// setting is the place of a text in a document.
type setting struct {
	pass, component string
	path            string // the elements below the component
	value           string
}

// settings reads a document without knowing how it was written.
func settings(t *testing.T, text []byte) []setting {
	t.Helper()
	var all []setting
	var names []string // of the open elements below the component
	var now setting
	decoder := xml.NewDecoder(bytes.NewReader(text))
	depth, leaf := 0, false
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Space != "urn:schemas-microsoft-com:unattend" {
				t.Fatalf("%s is in the namespace %q", token.Name.Local, token.Name.Space)
			}
			depth++
			switch {
			case depth == 2:
				now.pass = attribute(token, "pass")
			case depth == 3:
				now.component = component(t, token)
			case depth > 3:
				names = append(names, token.Name.Local)
				leaf, now.value = true, ""
			}
		case xml.CharData:
			now.value += string(token)
		case xml.EndElement:
			if leaf {
				now.path = strings.Join(names, " | ")
				all = append(all, now)
			}
			leaf = false
			if depth--; depth > 2 {
				names = names[:len(names)-1]
			}
		}
	}
}

// component is the name of a component, whose other attributes must be there.
func component(t *testing.T, element xml.StartElement) string {
	t.Helper()
	for name, want := range map[string]string{
		"processorArchitecture": "amd64", "publicKeyToken": "31bf3856ad364e35", "language": "neutral", "versionScope": "nonSxS",
	} {
		if got := attribute(element, name); got != want {
			t.Errorf("%s has the %s %q, want %q", attribute(element, "name"), name, got, want)
		}
	}
	return attribute(element, "name")
}

func attribute(element xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// reference is Microsoft's list: component and path → passes.
func reference(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		passes, rest, found := strings.Cut(line, " | ")
		if !found {
			t.Fatalf("the reference has %q", line)
		}
		all[rest] = append(all[rest], strings.Split(passes, ", ")...)
	}
	return all
}

func TestEveryNameIsInMicrosoftsReference(t *testing.T) {
	t.Parallel()
	known := reference(t)
	for name, text := range documents(t) {
		found := settings(t, text)
		if len(found) < 20 {
			t.Errorf("%s has only %d settings", name, len(found))
		}
		for _, s := range found {
			if place := s.component + " | " + s.path; !slices.Contains(known[place], s.pass) {
				t.Errorf("%s: %s is no setting of the pass %s", name, place, s.pass)
			}
		}
	}
}

func value(t *testing.T, text []byte, path string) string {
	t.Helper()
	for _, s := range settings(t, text) {
		if strings.HasSuffix(s.component+" | "+s.path, path) {
			return s.value
		}
	}
	return "(missing)"
}

func TestPasswordsComeBackWhole(t *testing.T) {
	t.Parallel()
	text := documents(t)["install-uefi.xml"]
	for path, suffix := range map[string]string{
		"AutoLogon | Password | Value":                 "Password",
		"UserAccounts | AdministratorPassword | Value": "AdministratorPassword",
	} {
		raw, err := base64.StdEncoding.DecodeString(value(t, text, path))
		if err != nil {
			t.Fatal(err)
		}
		units := make([]uint16, len(raw)/2)
		if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, units); err != nil {
			t.Fatal(err)
		}
		if got, want := string(utf16.Decode(units)), `Kn1-<a & "b">`+suffix; got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if bytes.Contains(text, []byte("Kn1-")) {
		t.Error("the password stands in the document as it is")
	}
}

func TestEvaluationMediaHaveNoKeyAtAll(t *testing.T) {
	t.Parallel()
	const key, ask = "UserData | ProductKey | Key", "UserData | ProductKey | WillShowUI"
	all := documents(t)
	if got := value(t, all["install-uefi.xml"], key); got != "(missing)" {
		t.Errorf("the key is %q", got)
	}
	if got := value(t, all["install-uefi.xml"], ask); got != "OnError" {
		t.Errorf("WillShowUI is %q", got)
	}
	if got := value(t, all["install-bios.xml"], key); got != "WX4NM-KYWYW-QJJR4-XV3QB-6VM33" {
		t.Errorf("the key is %q", got)
	}
}

func TestWindowsGoesToTheLastPartition(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"install-uefi.xml": "3", "install-bios.xml": "2"} {
		if got := value(t, documents(t)[name], "InstallTo | PartitionID"); got != want {
			t.Errorf("%s installs to partition %s, want %s", name, got, want)
		}
	}
}

func TestTextsAreEscaped(t *testing.T) {
	t.Parallel()
	i := install()
	i.ImageName, i.FirstLogon = `Server <R&D> "core"`, `cmd /c "a && b > c"`
	text, err := i.XML()
	if err != nil {
		t.Fatal(err)
	}
	if got := value(t, text, "MetaData | Value"); got != i.ImageName {
		t.Errorf("the image is %q, want %q", got, i.ImageName)
	}
	if got := value(t, text, "CommandLine"); got != i.FirstLogon {
		t.Errorf("the command is %q, want %q", got, i.FirstLogon)
	}
}

func TestCommandsThatSetupWouldCutAreRefused(t *testing.T) {
	t.Parallel()
	long := unattend.Sealed{System: system(), Specialize: strings.Repeat("x", 260)}
	want := "the command of the specialize pass has 260 characters: expected 1 to 259"
	if _, err := long.XML(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	first := install()
	first.FirstLogon = strings.Repeat("x", 1025)
	want = "the command of the first login has 1025 characters: expected 1 to 1024"
	if _, err := first.XML(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
