package winhost_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/test/winsim/winhost"
)

// run runs a script and returns what it wrote, in lines without their ends.
func run(t *testing.T, h *winhost.Host, script string) []string {
	t.Helper()
	out, err := h.Run(t.Context(), module.Command{PowerShell: script})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	return strings.Split(strings.TrimRight(strings.ReplaceAll(out.Stdout, "\r\n", "\n"), "\n"), "\n")
}

func TestScriptsActOnTheMachine(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	for _, c := range []struct{ script, want string }{
		{`(Get-CimInstance Win32_OperatingSystem).BuildNumber`, "20348"},
		{`(Get-Service -Name WinRM).Status.ToString()`, "Running"},
		{`(Get-Service kubelet -ErrorAction SilentlyContinue) -eq $null`, "True"},
		{`try { Get-Service kubelet } catch { $_.FullyQualifiedErrorId }`, "NoServiceFoundForGivenName,Microsoft.PowerShell.Commands.GetServiceCommand"},
		{`$r = Install-WindowsFeature -Name Containers; "$($r.Success) $($r.RestartNeeded) $($r.ExitCode) $((Get-WindowsFeature Containers).InstallState)"`, "True Yes SuccessRestartRequired InstallPending"},
		{`New-Item -Path C:\k -ItemType Directory -Force | Out-Null; Set-Content -LiteralPath C:\k\a.txt -Value 'one','two'; (Get-Content C:\k\a.txt) -join '+'`, "one+two"},
		{`(Get-Item C:\K\A.TXT).Length; Test-Path C:\k\b.txt`, "10\nFalse"},
		{`(Get-FileHash C:\k\a.txt).Hash`, "F0F2F5F8E0ED2B2C"},
		{`[Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SOFTWARE\Microsoft\Windows NT\CurrentVersion').GetValue('UBR')`, "587"},
		{`New-NetFirewallRule -Name k -DisplayName Kubelet -Protocol TCP -LocalPort 10250 | Out-Null; (Get-NetFirewallRule -Name k | Get-NetFirewallPortFilter).LocalPort`, "10250"},
		{`Add-MpPreference -ExclusionPath C:\k; @((Get-MpPreference).ExclusionPath) -join ','`, `C:\k`},
		{`whoami.exe; (sc.exe query WinRM)[3]`, "nt authority\\system\n        STATE              : 4  RUNNING "},
		{`[Security.Principal.NTAccount]::new('SYSTEM').Translate([Security.Principal.SecurityIdentifier]).Value`, "S-1-5-18"},
		{`@(Get-NetIPAddress | Where-Object { $_.AddressFamily -eq 'IPv4' } | ForEach-Object { $_.IPAddress }) -join ' '`, "192.0.2.10 127.0.0.1"},
	} {
		got := strings.Join(run(t, h, c.script), "\n")
		if strings.Contains(c.script, "Get-FileHash") {
			got, c.want = fmt.Sprint(len(got)), "64"
		}
		if got != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.script, got, c.want)
		}
	}
}

func TestExitCodesAndErrorsComeBack(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	_, err := h.Run(t.Context(), module.Command{PowerShell: "exit 3"})
	exit := (*module.ExitError)(nil)
	if !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("exit 3: %v", err)
	}
	_, err = h.Run(t.Context(), module.Command{PowerShell: "throw 'no such thing'"})
	if !errors.As(err, &exit) || exit.Code != 1 || !strings.HasSuffix(strings.TrimSpace(exit.Stderr), "no such thing") {
		t.Errorf("throw: %v", err)
	}
	out, err := h.Run(t.Context(), module.Command{Argv: []string{"sc.exe", "query", "missing"}})
	want := "[SC] EnumQueryServicesStatus:OpenService FEHLER 1060:\r\n\r\nDer angegebene Dienst ist kein installierter Dienst.\r\n\r\n"
	if !errors.As(err, &exit) || exit.Code != 1060 || out.Stdout != want {
		t.Errorf("sc.exe: %q %v", out.Stdout, err)
	}
}
