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
		{"text", `'Abc'.ToUpper(); 'abc'.Substring(1); 'abc'.Substring(1,1); ' x '.Trim(); 'xxaxx'.Trim('x'); 'a-b-c'.Split('-').Count; 'abc'.Replace('b','-'); 'abc'.IndexOf('c'); 'abc'.Contains('B'); 'abc'.StartsWith('a'); 'abc'.EndsWith('C', 'OrdinalIgnoreCase'); 'a'.PadLeft(3); 'abc'.Insert(1,'-'); 'abc'.Remove(1)`, "ABC|bc|b|x|a|3|a-c|2|False|True|True|  a|a-bc|a"},
		{"split takes characters in .NET Framework", `'a--b'.Split('--').Count; 'a, b,,c'.Split(', ').Count; 'a,,b'.Split([char[]]',', [StringSplitOptions]::RemoveEmptyEntries).Count`, "3|5|2"},
		{"surrogates count twice", "'\U0001F600'.Length", "2"},
		{"statics of text", `[string]::IsNullOrEmpty(''); [string]::Join(',', (1,2)); [string]::Format('{0}:{1}', 1, 2); [string]::IsNullOrWhiteSpace("` + "`" + `t ")`, "True|1,2|1:2|True"},
		{"base 64", `[Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes('häß')); [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('aMOkw58=')); [Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes('ab'))`, "aMOkw58=|häß|YQBiAA=="},
		{"bad base 64", `try { [Convert]::FromBase64String('!') } catch { $_.Exception.InnerException.GetType().Name }`, "FormatException"},
		{"numbers of other bases", `[Convert]::ToInt32('ff', 16); [Convert]::ToInt32('ffffffff', 16); [Convert]::ToByte('10', 16); [Convert]::ToString(255, 16); (255).ToString('x4'); (10).ToString('D3'); ([long]255).ToString('x16')`, "255|-1|16|ff|00ff|010|00000000000000ff"},
		{"bytes", `[BitConverter]::ToString([byte[]](1,255)); $b = New-Object byte[] 3; $b[1] = 7; "$b"; $b.Length; [byte[]]::new(2).Length`, "01-FF|0 7 0|3|2"},
		{"checksums", `$h = [Security.Cryptography.SHA256]::Create(); [BitConverter]::ToString($h.ComputeHash([Text.Encoding]::ASCII.GetBytes('abc'))).Replace('-','').ToLower(); $b = [Text.Encoding]::ASCII.GetBytes('abc'); $null = $h.TransformBlock($b,0,2,$null,0); $null = $h.TransformFinalBlock($b,2,1); [BitConverter]::ToString($h.Hash).Substring(0,5)`, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad|BA-78"},
		{"the first number's type decides", `try { [Math]::Min(262144, 5000000000) } catch { $_.FullyQualifiedErrorId }; [Math]::Min(5000000000, 262144).GetType().Name`, "MethodArgumentConversionInvalidCastArgument|Int64"},
		{"arithmetic", `[Math]::Min(3, 5); [Math]::Max(3, 5.5); [Math]::Floor(-1.5); [Math]::Ceiling(1.2); [Math]::Round(2.5); [Math]::Round(1.256, 2); [Math]::Abs(-3)`, "3|6|-2|2|2|1.26|3"},
		{"files", `[IO.File]::WriteAllText('C:\tmp\a', "x` + "`r`n" + `y"); [IO.File]::Exists('C:\tmp\a'); [IO.File]::ReadAllText('C:\tmp\a').Length; [IO.File]::ReadAllLines('C:\tmp\a').Count; [IO.File]::ReadAllBytes('C:\tmp\a')[0]; [IO.File]::Delete('C:\tmp\a'); [IO.File]::Exists('C:\tmp\a'); [IO.File]::Delete('C:\tmp\a')`, "True|4|2|120|False"},
		{"marks", `[IO.File]::WriteAllText('C:\tmp\b', 'é', [Text.Encoding]::UTF8); [IO.File]::ReadAllBytes('C:\tmp\b').Count; [IO.File]::ReadAllText('C:\tmp\b').Length; [IO.File]::WriteAllText('C:\tmp\b', 'é', (New-Object Text.UTF8Encoding $false)); [IO.File]::ReadAllBytes('C:\tmp\b').Count`, "5|1|2"},
		{"file streams", `$f = [IO.File]::Open('C:\tmp\c', [IO.FileMode]::CreateNew); $f.Write([byte[]](1,2,3), 0, 3); $f.Dispose(); $f = New-Object IO.FileStream 'C:\tmp\c', 'Open', 'Read'; $b = [byte[]]::new(9); $f.Read($b, 0, 9); $f.Length; $f.Close(); try { [IO.File]::Open('C:\tmp\c', 'CreateNew') } catch { $_.Exception.InnerException.Message }`, "3|3|The file 'C:\\tmp\\c' already exists."},
		{"paths", `[IO.Path]::Combine('C:\a', 'b'); [IO.Path]::GetFileName('C:\a\b.txt'); [IO.Path]::GetDirectoryName('C:\a\b.txt'); [IO.Path]::GetExtension('b.txt'); Join-Path 'C:\a\' 'b'; Split-Path 'C:\a\b' -Leaf; Split-Path 'C:\a\b'`, `C:\a\b|b.txt|C:\a|.txt|C:\a\b|b|C:\a`},
		{"file streams that shrink", `$f = [IO.File]::Open('C:\tmp\s', 'OpenOrCreate', 'ReadWrite', 'None'); $f.Write([byte[]](1,2,3), 0, 3); $f.SetLength(1); $f.Position; $f.Write([byte[]](4), 0, 1); $f.SetLength(0); $f.Write([byte[]](5,6), 0, 2); $f.Dispose(); "$([IO.File]::ReadAllBytes('C:\tmp\s'))"`, "1|5 6"},
		{"streams in memory", `$m = [IO.MemoryStream]::new(); $m.Write([byte[]](1,2), 0, 2); $m.Position = 0; $t = New-Object IO.MemoryStream; $m.CopyTo($t); "$($t.ToArray())"; $m.ReadByte()`, "1 2|-1"},
		{"readers and writers", `$m = New-Object IO.MemoryStream; $w = New-Object IO.StreamWriter $m, (New-Object Text.UTF8Encoding $false); $w.Write('ab'); $w.WriteLine('c'); $w.Flush(); $m.Length; $m.Position = 0; (New-Object IO.StreamReader $m).ReadToEnd().Length`, "5|5"},
		{"a writer with a mark writes it", `$m = New-Object IO.MemoryStream; $w = New-Object IO.StreamWriter $m, ([Text.Encoding]::UTF8); $w.Write('a'); $w.Flush(); $m.Length`, "4"},
		{"regular expressions", `[regex]::Escape('a.b'); [regex]::Match('x12', '\d+').Value; [regex]::Matches('a1b2', '\d').Count; ([regex]'(?<n>b)').Match('abc').Groups['n'].Index; [regex]::Replace('aXb', 'x', '-', 'IgnoreCase'); [regex]::IsMatch('abc', '^B')`, `a\.b|12|2|1|a-b|False`},
		{"lookarounds", `'foobar' -replace '(?<=foo)bar', '!'; 'aa' -match '^(a)\1$'`, "foo!|True"},
		{"variables of the machine", `[Environment]::SetEnvironmentVariable('X', 'm', 'Machine'); [Environment]::GetEnvironmentVariable('X', 'Machine'); $null -eq [Environment]::GetEnvironmentVariable('X'); [Environment]::NewLine.Length`, "m|True|2"},
		{"references", `$n = 0; [int]::TryParse('42', [ref]$n); $n; [int]::TryParse('x', [ref]$n); $n`, "True|42|False|0"},
		{"parsing", `[int]::Parse('7'); try { [int]::Parse('7.5') } catch { $_.Exception.InnerException.Message }; [bool]::Parse('TRUE')`, "7|Input string was not in a correct format.|True"},
		{"enumerations", `[IO.FileMode]::Open; [int][IO.FileMode]::Open; [IO.FileMode]'Create' -eq 'create'; [DayOfWeek]5; [IO.FileAttributes]'Hidden,System'`, "Open|3|True|Friday|Hidden, System"},
		{"dates", `$d = [datetime]::new(2026,1,31,0,0,0,[DateTimeKind]::Utc); $d.AddDays(1).ToString('yyyy-MM-dd'); ($d - $d.AddHours(-36)).TotalDays; $d.Kind; [datetime]::UtcNow -gt $d; $d.DayOfWeek; $d.ToString('o')`, "2026-02-01|1.5|Utc|True|Saturday|2026-01-31T00:00:00.0000000Z"},
		{"builders", `$s = New-Object Text.StringBuilder; [void]$s.Append('a').Append(1); $s.ToString(); $s.Length`, "a1|2"},
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
$i.RedirectStandardInput = $true
$i.RedirectStandardOutput = $true
$i.RedirectStandardError = $true
$p = [Diagnostics.Process]::Start($i)
$e = $p.StandardError.ReadToEndAsync()
$p.StandardInput.Write('hello')
$p.StandardInput.Close()
$p.StandardOutput.ReadToEnd()
$p.WaitForExit()
$p.ExitCode
$e.Result`
	got := run(t, h, powershell.Job{Script: script})
	if got.err != nil || got.stdout != "HELLO\r\n5\r\n-a \"b c\"\r\n" {
		t.Errorf("%+v", got)
	}
}
