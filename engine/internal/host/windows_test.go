package host

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/test/grammar"
)

func TestWindowsLinesAreOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	var scripts []grammar.Script
	for name, c := range map[string]module.Command{
		"a program":                        {Argv: []string{`C:\it's.exe`, "a b", `say "x"`}},
		"a program in a folder":            {Argv: []string{"hostname.exe"}, Env: map[string]string{"A": "it's"}, Dir: "C:/a b"},
		"a script in a folder, with param": {PowerShell: "param($Value = 1)\n$Value", Env: map[string]string{"A": "it’s"}, Dir: "C:/a b"},
		"which machine it is":              {PowerShell: readSelf},
	} {
		line, err := windowsLine(c)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, grammar.Script{Name: name, Text: line + "\n"})
	}
	grammar.Check(t, scripts...)
}

func TestWindowsLine(t *testing.T) {
	t.Parallel()
	const start = "$start = New-Object System.Diagnostics.ProcessStartInfo\n"
	const end = "$start.UseShellExecute = $false\n" +
		"try { $process = [System.Diagnostics.Process]::Start($start) } catch { [Console]::Error.WriteLine($_.Exception.Message); exit 127 }\n" +
		"$process.WaitForExit()\n$global:LASTEXITCODE = $process.ExitCode"
	cases := []struct {
		name    string
		command module.Command
		want    string
	}{
		{"a program", module.Command{Argv: []string{"hostname.exe"}},
			start + "$start.FileName = 'hostname.exe'\n$start.Arguments = ''\n" + end},
		{"arguments are quoted twice", module.Command{Argv: []string{`C:\Program Files\x.exe`, "a b", "", "it's", `say "x"`, `C:\a b\`}},
			start + "$start.FileName = 'C:\\Program Files\\x.exe'\n$start.Arguments = '\"a b\" \"\" it''s \"say \\\"x\\\"\" \"C:\\a b\\\\\"'\n" + end},
		{"a script", module.Command{PowerShell: "Get-Service\nexit 3"}, "Get-Service\nexit 3"},
		{"an environment and a folder", module.Command{PowerShell: "'x'", Env: map[string]string{"B": "it's", "A": ""}, Dir: "C:/a b"},
			"[Environment]::SetEnvironmentVariable('A', '')\n[Environment]::SetEnvironmentVariable('B', 'it''s')\n" +
				"try { Set-Location -LiteralPath 'C:/a b'; [Environment]::CurrentDirectory = 'C:/a b' } catch { [Console]::Error.WriteLine($_.Exception.Message); exit 126 }\n" + shell.PowerShellBlock("'x'")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := windowsLine(c.command)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
	refused := map[string]struct {
		command module.Command
		want    string
	}{
		"nothing":             {module.Command{}, "either a program or a script"},
		"both":                {module.Command{Argv: []string{"x"}, PowerShell: "y"}, "either a program or a script"},
		"an empty program":    {module.Command{Argv: []string{""}}, "needs a program"},
		"a quote":             {module.Command{Argv: []string{`a"b`}}, "is no program"},
		"a batch file":        {module.Command{Argv: []string{"C:/x/setup.CMD", "a&calc"}}, "is a batch file"},
		"a batch file, dots":  {module.Command{Argv: []string{"setup.bat. "}}, "is a batch file"},
		"an injected name":    {module.Command{Argv: []string{"x"}, Env: map[string]string{"A;B": "x"}}, "no name of an environment variable"},
		"a relative folder":   {module.Command{Argv: []string{"x"}, Dir: "Windows"}, "must be absolute"},
		"a folder of a drive": {module.Command{Argv: []string{"x"}, Dir: "C:Windows"}, "must be absolute"},
		"no UTF-8":            {module.Command{Argv: []string{"x", "\xff"}}, "not valid UTF-8"},
		"a zero byte":         {module.Command{Argv: []string{"x"}, Env: map[string]string{"A": "\x00"}}, "zero byte"},
	}
	for name, c := range refused {
		if line, err := windowsLine(c.command); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: line %q, error %v", name, line, err)
		}
	}
}

func TestFileNamesOnWindows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"containerd":       "containerd",
		"C:/k/kubelet.exe": "C%3A%2Fk%2Fkubelet.exe",
		`HKLM\SOFTWARE\x`:  "HKLM%5CSOFTWARE%5Cx",
		"con":              "%63on",
		"Nul.txt":          "%4Eul.txt",
		"com1":             "%63om1",
		"ends.":            "ends%2E",
		".begins":          "%2Ebegins",
		"a:b":              "a%3Ab",
		"a<b>c?d*e|f\"g é": "a%3Cb%3Ec%3Fd%2Ae%7Cf%22g%20%C3%A9",
		"computer":         "computer",
	} {
		if got := escapeWindows(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	one, two := escapeWindows(strings.Repeat("x", 300)+"1"), escapeWindows(strings.Repeat("x", 300)+"2")
	if len(one) > longestWindowsName || one == two || !strings.HasPrefix(one, "xxx") {
		t.Errorf("%s, %s", one, two)
	}
}

func TestTheSystemFollowsFromTheTransport(t *testing.T) {
	t.Parallel()
	for want, all := range map[module.OS][]Settings{
		module.Linux:   {{}, {Local: true}, {OS: module.Linux}},
		module.Windows: {{WinRM: true}, {OS: module.Windows}},
	} {
		for _, s := range all {
			if got := s.system(); got != want {
				t.Errorf("%+v is %s", s, got)
			}
		}
	}
	m := newMachine("win", Settings{OS: module.Windows}, nil, nil, nil)
	if m.OS() != module.Windows || m.settings.Manifests != "C:/ProgramData/kinit/clusters" {
		t.Errorf("%s with manifests in %s", m.OS(), m.settings.Manifests)
	}
}

func TestCommandsOnWindowsAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	b := machine(t, nil).Bind("", nil).(*bound)
	b.settings.OS = module.Windows
	b.AddSecret("tok3n")
	for want, c := range map[string]module.Command{
		`x.exe "a b" ***`: {Argv: []string{"x.exe", "a b", "tok3n"}},
		"Get-Thing '***'": {PowerShell: "\nGet-Thing 'tok3n'\n"},
		"a script of ***": {PowerShell: "Get-Thing", Name: "a script of tok3n"},
	} {
		if got := b.show(c); got != want {
			t.Errorf("shown as %s, want %s", got, want)
		}
	}
}
