package powershell_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"kinit/test/winsim/powershell"
)

func TestDotNet(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{
		{"split takes characters in .NET Framework", `'a--b'.Split('--').Count; 'a, b,,c'.Split(', ').Count`, "3|5"},
		{"surrogates count twice", "'\U0001F600'.Length", "2"},
		{"base 64", `[Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes('häß')); [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('aMOkw58=')); [Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes('ab'))`, "aMOkw58=|häß|YQBiAA=="},
		{"bad base 64", `try { [Convert]::FromBase64String('!') } catch { $_.Exception.InnerException.GetType().Name }`, "FormatException"},
		{"bytes", `[BitConverter]::ToString([byte[]](1,255)); $b = New-Object byte[] 3; $b[1] = 7; "$b"; $b.Length; [byte[]]::new(2).Length`, "01-FF|0 7 0|3|2"},
		{"the first number's type decides", `try { [Math]::Min(262144, 5000000000) } catch { $_.FullyQualifiedErrorId }; [Math]::Min(5000000000, 262144).GetType().Name`, "MethodArgumentConversionInvalidCastArgument|Int64"},
		{"files", `[IO.File]::WriteAllText('C:\tmp\a', "x` + "`r`n" + `y"); [IO.File]::Exists('C:\tmp\a'); [IO.File]::ReadAllText('C:\tmp\a').Length; [IO.File]::ReadAllLines('C:\tmp\a').Count; [IO.File]::ReadAllBytes('C:\tmp\a')[0]; [IO.File]::Delete('C:\tmp\a'); [IO.File]::Exists('C:\tmp\a'); [IO.File]::Delete('C:\tmp\a')`, "True|4|2|120|False"},
		{"marks", `[IO.File]::WriteAllText('C:\tmp\b', 'é', [Text.Encoding]::UTF8); [IO.File]::ReadAllBytes('C:\tmp\b').Count; [IO.File]::ReadAllText('C:\tmp\b').Length; [IO.File]::WriteAllText('C:\tmp\b', 'é', (New-Object Text.UTF8Encoding $false)); [IO.File]::ReadAllBytes('C:\tmp\b').Count`, "5|1|2"},
		{"file streams", `$f = [IO.File]::Open('C:\tmp\c', [IO.FileMode]::CreateNew); $f.Write([byte[]](1,2,3), 0, 3); $f.Dispose(); $f = New-Object IO.FileStream 'C:\tmp\c', 'Open', 'Read'; $b = [byte[]]::new(9); $f.Read($b, 0, 9); $f.Length; $f.Close(); try { [IO.File]::Open('C:\tmp\c', 'CreateNew') } catch { $_.Exception.InnerException.Message }`, "3|3|The file 'C:\\tmp\\c' already exists."},
		{"file streams that shrink", `$f = [IO.File]::Open('C:\tmp\s', 'OpenOrCreate', 'ReadWrite', 'None'); $f.Write([byte[]](1,2,3), 0, 3); $f.SetLength(1); $f.Position; $f.Write([byte[]](4), 0, 1); $f.SetLength(0); $f.Write([byte[]](5,6), 0, 2); $f.Dispose(); "$([IO.File]::ReadAllBytes('C:\tmp\s'))"`, "1|5 6"},
		{"lookarounds", `'foobar' -replace '(?<=foo)bar', '!'; 'aa' -match '^(a)\1$'`, "foo!|True"},
		{"variables of the machine", `[Environment]::SetEnvironmentVariable('X', 'm', 'Machine'); [Environment]::GetEnvironmentVariable('X', 'Machine'); $null -eq [Environment]::GetEnvironmentVariable('X'); [Environment]::NewLine.Length`, "m|True|2"},
		{"enumerations", `[IO.FileMode]::Open; [int][IO.FileMode]::Open; [IO.FileMode]'Create' -eq 'create'; [DayOfWeek]5; [IO.FileAttributes]'Hidden,System'`, "Open|3|True|Friday|Hidden, System"},
	})
}

func TestSleepsAreThoseOfTheMachinesClock(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{{"sleep", `$a = Get-Date; Start-Sleep -Seconds 90; ((Get-Date) - $a).TotalSeconds; (Get-Date).ToString('HH:mm:ss')`, "90|15:53:45"}})
}

func TestTheRestOfTheInputIsTheScripts(t *testing.T) {
	t.Parallel()
	script := `$in = [Console]::OpenStandardInput(); $b = New-Object byte[] 4; $n = $in.Read($b, 0, 4); [Text.Encoding]::ASCII.GetString($b, 0, $n); $out = [Console]::OpenStandardOutput(); $in.CopyTo($out); $out.Flush()`
	payload := strings.Repeat("\x00\xff\n", 100000)
	got := run(t, newHost(), powershell.Job{Script: script, Stdin: strings.NewReader("head" + payload)})
	if got.err != nil || got.stdout != "head\r\n"+payload {
		t.Errorf("%v, %d bytes", got.err, len(got.stdout))
	}
}

func TestTheConsoleWritesInItsEncoding(t *testing.T) {
	t.Parallel()
	got := run(t, newHost(), powershell.Job{Script: `'é漢'; [Console]::OutputEncoding = New-Object Text.UTF8Encoding $false; 'é漢'; [Console]::Error.WriteLine('ü')`})
	if got.err != nil || got.stdout != "\x82?\r\né漢\r\n" || got.stderr != "ü\r\n" {
		t.Errorf("%+v", got)
	}
}

func TestProcessesThatScriptsStart(t *testing.T) {
	t.Parallel()
	h := newHost()
	h.programs["cat"] = func(_ context.Context, p powershell.Process) uint32 {
		all, _ := io.ReadAll(p.Stdin)
		p.Stdout.Write(bytes.ToUpper(all))
		io.WriteString(p.Stderr, p.Line)
		return 5
	}
	script := `
$i = New-Object Diagnostics.ProcessStartInfo
$i.FileName = 'cat'
$i.Arguments = '-a "b c"'
$i.UseShellExecute = $false
$p = [Diagnostics.Process]::Start($i)
$p.WaitForExit()
$p.ExitCode`
	got := run(t, h, powershell.Job{Script: script, Stdin: strings.NewReader("hello")})
	if got.err != nil || got.stdout != "HELLO5\r\n" || got.stderr != "-a \"b c\"" {
		t.Errorf("%+v", got)
	}
}
