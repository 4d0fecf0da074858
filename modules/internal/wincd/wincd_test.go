package wincd_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/modules/internal/wincd"
	"kinit/test/grammar"
)

const scripts = "/kinit-common.ps1\n/kinit-seal.ps1\n/kinit-setup.ps1\n/kinit-specialize.ps1\n"

func node() wincd.Node {
	return wincd.Node{
		Hostname: "k8s-compute-01", Edition: "2k22", Password: `Kn1-"x"`, MTU: 1442,
		PFX: []byte("pfx"), PFXPassword: "opensesame", AuthorizedKeys: []string{"ssh-ed25519 AAAA a\n", "ssh-ed25519 BBBB b"},
		HostKey: &wincd.HostKey{Private: "-----BEGIN OPENSSH PRIVATE KEY-----", Public: "ssh-ed25519 CCCC"},
		OpenSSH: []byte("msi"), Marker: wincd.MarkerPath,
		Files: []wincd.File{{Path: "C:/site/a note.txt", Content: []byte("hello")}},
	}
}

func media() wincd.Media {
	return wincd.Media{Edition: "2k22", UEFI: true}
}

func language() wincd.Language { return wincd.Language{Locale: "en-US", TimeZone: "UTC"} }

// burn keeps an image as a file.
func burn(t *testing.T, image []byte, err error) string {
	t.Helper()
	need.Programs(t, "isoinfo", "isoinfo")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cd.iso")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func isoinfo(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("isoinfo", append([]string{"-J"}, args...)...).Output()
	if err != nil {
		t.Fatalf("isoinfo %v: %v", args, err)
	}
	return string(out)
}

func read(t *testing.T, path, name string) string { return isoinfo(t, "-x", "/"+name, "-i", path) }

func TestCDOfACopyHasNoAnswerFile(t *testing.T) {
	t.Parallel()
	image, err := wincd.Copy(node())
	path := burn(t, image, err)
	moduletest.Same(t, "files", isoinfo(t, "-f", "-i", path),
		"/authorized_keys\n/file-001\n"+strings.Replace(scripts, "/kinit-seal", "/kinit-node.json\n/kinit-seal", 1)+
			"/openssh.msi\n/ssh_host_ed25519_key\n/ssh_host_ed25519_key.pub\n/winrm.pfx\n")
	moduletest.Same(t, "keys", read(t, path, "authorized_keys"), "ssh-ed25519 AAAA a\nssh-ed25519 BBBB b\n")
	moduletest.Same(t, "host key", read(t, path, "ssh_host_ed25519_key"), "-----BEGIN OPENSSH PRIVATE KEY-----\n")
	moduletest.Same(t, "node", read(t, path, "kinit-node.json"), `{
  "hostname": "k8s-compute-01",
  "edition": "2k22",
  "password": "Kn1-\"x\"",
  "mtu": 1442,
  "pfx_password": "opensesame",
  "marker": "C:/ProgramData/kinit/ready.txt",
  "files": [
    {
      "name": "file-001",
      "path": "C:/site/a note.txt"
    }
  ]
}
`)
}

func TestScriptsReadWhatTheCDSays(t *testing.T) {
	t.Parallel()
	image, err := wincd.Copy(node())
	path := burn(t, image, err)
	var all map[string]any
	if err := json.Unmarshal([]byte(read(t, path, "kinit-node.json")), &all); err != nil {
		t.Fatal(err)
	}
	text := read(t, path, "kinit-setup.ps1") + read(t, path, "kinit-seal.ps1") + read(t, path, "kinit-common.ps1")
	for name := range all {
		if !strings.Contains(strings.ToLower(text), "$node."+name) {
			t.Errorf("no script reads %s of kinit-node.json", name)
		}
	}
	for _, name := range []string{"authorized_keys", "ssh_host_ed25519_key", "ssh_host_ed25519_key.pub", "winrm.pfx", "openssh.msi", "sealed.xml"} {
		if !strings.Contains(text, "'"+name+"'") {
			t.Errorf("no script reads the file %s", name)
		}
	}
	// The specialize pass has nothing but the name.
	if text := read(t, path, "kinit-specialize.ps1"); !strings.Contains(text, "(Get-Node $PSScriptRoot).hostname") {
		t.Error("the script of the specialize pass reads no hostname")
	}
}

// commands are the command lines of an answer file.
func commands(t *testing.T, text string) []string {
	t.Helper()
	var all []string
	inside := false
	decoder := xml.NewDecoder(strings.NewReader(text))
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
			inside = token.Name.Local == "CommandLine" || token.Name.Local == "Path"
		case xml.CharData:
			if inside && strings.HasPrefix(string(token), "powershell.exe") {
				all = append(all, string(token))
			}
		case xml.EndElement:
			inside = false
		}
	}
}

const launcher = `powershell.exe -NoProfile -ExecutionPolicy Bypass -Command "(Get-PSDrive -PSProvider FileSystem).Root | ` +
	`ForEach-Object { $_ + 'SCRIPT' } | Where-Object { Test-Path $_ } | Select-Object -First 1 | ForEach-Object { & $_ }; exit $LASTEXITCODE"`

func launch(script string) string { return strings.Replace(launcher, "SCRIPT", script, 1) }

func TestCommandsOfAnswersAreOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	image, err := wincd.Install(node(), media(), language())
	answers := read(t, burn(t, image, err), "Autounattend.xml")
	var scripts []grammar.Script
	for i, line := range commands(t, answers) {
		_, text, found := strings.Cut(line, ` -Command "`)
		if !found || !strings.HasSuffix(text, `"`) {
			t.Fatalf("the command is %s", line)
		}
		scripts = append(scripts, grammar.Script{Name: fmt.Sprintf("command %d", i+1), Text: strings.TrimSuffix(text, `"`) + "\n"})
	}
	if len(scripts) == 0 {
		t.Fatal("there are no commands")
	}
	grammar.Check(t, scripts...)
}

func TestCDOfAnInstallationLooksForItsScript(t *testing.T) {
	t.Parallel()
	image, err := wincd.Install(node(), media(), language())
	path := burn(t, image, err)
	answers := read(t, path, "Autounattend.xml")
	moduletest.Same(t, "commands", commands(t, answers), []string{launch("kinit-setup.ps1")})
	for _, want := range []string{
		"<ComputerName>k8s-compute-01</ComputerName>", "<Value>Windows Server 2022 SERVERDATACENTERCORE</Value>",
		`<Path>C:\viostor\2k22\amd64</Path>`, `<Path>I:\NetKVM\2k22\amd64</Path>`,
	} {
		if !strings.Contains(answers, want) {
			t.Errorf("the answers have no %s", want)
		}
	}
	if strings.Contains(answers, `X:\sources`) {
		t.Error("the old Setup is asked for where there is no new one")
	}
}

func TestGoldenCDInstallsAndSeals(t *testing.T) {
	t.Parallel()
	m := media()
	m.Edition, m.ImageIndex = "2k25", 3
	image, err := wincd.Golden{Media: m, Language: language(), Password: "Kn1-throwaway", Shrink: true}.Image()
	path := burn(t, image, err)
	moduletest.Same(t, "files", isoinfo(t, "-f", "-i", path),
		"/Autounattend.xml\n"+strings.Replace(scripts, "/kinit-seal", "/kinit-node.json\n/kinit-seal", 1)+"/sealed.xml\n")
	moduletest.Same(t, "node", read(t, path, "kinit-node.json"), "{\n  \"edition\": \"2k25\",\n  \"shrink\": true\n}\n")
	answers, sealed := read(t, path, "Autounattend.xml"), read(t, path, "sealed.xml")
	moduletest.Same(t, "commands", commands(t, answers), []string{launch("kinit-seal.ps1")})
	moduletest.Same(t, "commands of the copies", commands(t, sealed), []string{launch("kinit-specialize.ps1"), launch("kinit-setup.ps1")})
	if !strings.Contains(answers, "<ComputerName>*</ComputerName>") || strings.Contains(sealed, "ComputerName") {
		t.Error("the installation has a random name, and copies none that Setup gives them")
	}
	if !strings.Contains(answers, `/d X:\sources\setup.exe`) {
		t.Error("Server 2025 is installed by the new Setup")
	}
}

func TestHostnames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"a": true, "k8s-compute-01": true, "123456789012345": false, "12345678901234a": true,
		"": false, "1234567890123456": false, "-a": false, "a-": false, "a.b": false, "a_b": false, "ä": false,
	} {
		if err := wincd.CheckHostname(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Kn1-aaaaaaaa":    "",
		"aaaaAAAA1":       "",
		"Kn1-aaa":         "password: expected 8 to 127 characters",
		"aaaaaaaaaaaa":    "password: expected three of small letters, capitals, digits and other characters",
		"aaaaAAAA":        "password: expected three of small letters, capitals, digits and other characters",
		"1administRator-": "password: Windows refuses one that contains the user's name, Administrator",
		"Kn1-aaaa\n":      "password: expected no control characters",
	} {
		got := ""
		if err := wincd.CheckPassword(secret.Value(text)); err != nil {
			got = err.Error()
		}
		moduletest.Same(t, text, got, want)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for path, ok := range map[string]bool{
		"C:/ProgramData/kinit/ready.txt": true, "d:/a b": true,
		"/etc/motd": false, `C:\a`: false, "C:a": false, "C:/": false, "C:/a/": false, "C:/a/../b": false, "C:/a:b": false,
	} {
		if err := wincd.CheckPath(path); (err == nil) != ok {
			t.Errorf("%q: %v", path, err)
		}
	}
}
