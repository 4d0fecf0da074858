package grammar

import (
	"strings"
	"testing"
)

func TestWhatWindowsPowerShellDoesNotHaveIsFound(t *testing.T) {
	t.Parallel()
	cases := []struct{ script, want string }{
		{"Get-Itme -Path 'C:/x'", "COMMAND: Get-Itme is unknown"},
		{"Get-Uptime", "COMMAND: Get-Uptime is unknown"},
		{"ls", "COMMAND: ls is unknown"},
		{"Set-SConfig -AutoLaunch $false", "COMMAND: Set-SConfig is unknown"},
		{"Get-Item -Pth 'C:/x'", "PARAMETER: Get-Item has no -Pth"},
		{"Get-Item -Lit 'C:/x'", "PARAMETER: Get-Item -Lit is an abbreviation, as of -LiteralPath"},
		{"ConvertFrom-Json -InputObject 'x' -AsHashtable", "PARAMETER: ConvertFrom-Json has no -AsHashtable"},
		{"1, 2 | ForEach-Object -Parallel { $_ }", "PARAMETER: ForEach-Object has no -Parallel"},
		{"Format-Table -RepeatHeader", "PARAMETER: Format-Table -RepeatHeader is missing in 5.1"},
		{"$p = @{ Path = 'x'; Newer = 1 }; Get-Item @p", "PARAMETER: Get-Item has no -Newer"},
		{"function Get-Own([string] $Name) { $Name }; Get-Own -Nam 'x'", "PARAMETER: the function Get-Own has no -Nam"},
		{"Set-Service -Name x -StartupType Sometimes", "VALUE: Set-Service -StartupType does not accept Sometimes, but Boot, System, Automatic, Manual, Disabled"},
		{"Get-Item -Path x -ErrorAction Silent", "VALUE: Get-Item -ErrorAction does not accept Silent, but Continue, Ignore, Inquire, SilentlyContinue, Stop, Suspend"},
		{"Select-Object -First many", "VALUE: Select-Object -First is a number and not many"},
		{"[Microsoft.Win32.RegistryValueKind]'Number'", "VALUE: Microsoft.Win32.RegistryValueKind has no value Number"},
		{"[IO.Fil]::Exists('x')", "TYPE: [IO.Fil] is unknown"},
		{"$x -is [Text.Json.JsonDocument]", "TYPE: [Text.Json.JsonDocument] is unknown"},
		{"$x = New-Object -TypeName System.Text.UTF9Encoding", "TYPE: [System.Text.UTF9Encoding] is unknown"},
		{"$x = New-Object Security.Principal.NTAccount", "MEMBER: [Security.Principal.NTAccount] has no constructor without arguments"},
		{"[IO.File]::Exist('x')", "MEMBER: [IO.File] has no static member Exist"},
		{"[IO.FileMode]::Exclusive", "MEMBER: [IO.FileMode] has no static member Exclusive"},
		{"[IO.File]::Move('a', 'b', $true)", "MEMBER: [IO.File]::Move is a method with 2 arguments and not a method with 3 arguments"},
		{"[Text.Encoding]::GetEncoding", "MEMBER: [Text.Encoding]::GetEncoding is a method with 1 arguments, a method with 3 arguments and not a property"},
		{"'a,b'.Splt(',')", "METHOD: no type has Splt with 1 arguments"},
		{"'a'.ToUpper('A', 'b', 'c')", "METHOD: no type has ToUpper with 3 arguments"},
		{"$x = $y ? 1 : 2", "ERROR"},
		{"$x ?? 1", "ERROR"},
		{"$x ??= 1", "ERROR"},
		{"${x}?.y", "ERROR"},
		{"Get-Date && Get-Date", "POWERSHELL 7: the operator &&"},
		{"Get-Date || Get-Date", "POWERSHELL 7: the operator ||"},
		{"function f { clean { 1 } }", "POWERSHELL 7: the block clean"},
		{"Get-Date &", "ERROR"},
		{"if ($IsWindows) { 1 }", "POWERSHELL 7: the variable $IsWindows"},
		{"\"a`u{41}\"", "POWERSHELL 7: the escape `u{"},
		{"\"`e[0m\"", "POWERSHELL 7: the escape `e"},
		{"& ([scriptblock]::Create([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('R2V0LUl0bWU='))))", "COMMAND: Get-Itme is unknown"},
	}
	var scripts []Script
	for _, c := range cases {
		scripts = append(scripts, Script{Name: c.script, Text: c.script + "\n"})
	}
	found := map[string][]string{}
	for _, p := range Faults(t, scripts...) {
		name := strings.TrimSuffix(p.Name, ", inner script")
		found[name] = append(found[name], p.Kind+": "+p.Text)
	}
	for _, c := range cases {
		got := strings.Join(found[c.script], "; ")
		if got != c.want && !(c.want == "ERROR" && strings.HasPrefix(got, "ERROR: ")) {
			t.Errorf("%s\n found %s\nwanted %s", c.script, got, c.want)
		}
	}
}

func TestWhatWindowsPowerShellHasIsNoFault(t *testing.T) {
	t.Parallel()
	Check(t, Script{Name: "whole", Text: strings.Join([]string{
		"Get-ChildItem -LiteralPath 'C:/x' -Force -ErrorAction SilentlyContinue | Where-Object { $_.Length -gt 1kb }",
		"if (Get-Command -Name Set-SConfig -ErrorAction SilentlyContinue) { Set-SConfig -AutoLaunch $false }",
		"$p = @{ Name = 'a' }; Get-Service @p -ErrorAction:Stop",
		"function Get-Own([string] $Name) { [CmdletBinding()] param() }; Get-Own -Name 'x' -Verbose",
		"[IO.File]::ReadAllText('x', [Text.Encoding]::UTF8).Split(',').Trim()",
		"[Collections.Generic.List[string]]::new(); [byte[]]::new(3); [Microsoft.Win32.RegistryValueKind]'String'",
		"New-Object System.Text.UTF8Encoding $false; New-Object byte[] 3",
		"Add-Type -Namespace Kinit -Name Hns -MemberDefinition $code; [Kinit.Hns]::HNSCall(1)",
		"& C:\\k\\kubeadm.exe version --output short; curl.exe -s x; icacls.exe 'x' /grant 'y'",
		"\"``e `$x `t\"; foreach ($x in 1..3) { $x }; 1..3 | ForEach-Object { $_ }",
		"",
	}, "\n")})
}
