package transporttest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"kinit/engine/lists"
	"kinit/engine/shell"
)

// windows is the dialect of machines with Windows PowerShell 5.1.
func windows() dialect {
	const (
		noSignals = "Windows has no signals"
		out       = "[Console]::Out.Write("
		err       = "[Console]::Error.Write("
		forever   = "Start-Sleep -Seconds 1000"
		pid       = "[IO.File]::AppendAllText('%[1]s', \"$PID`n\"); "
		inner     = "powershell.exe -NoLogo -NoProfile -NonInteractive -Command "
	)
	return dialect{
		bulk: 1 << 20,
		exec: map[string]said{
			"success":                        {"$null = 1", outcome{}},
			"an exit code":                   {"exit 7", outcome{code: 7}},
			"the largest exit code":          {"exit 255", outcome{code: 255}},
			"an exit code of 32 bits":        {"exit -1073741510", outcome{code: -1073741510}},
			"a program that is missing":      {"try { no-such-program.exe } catch { exit 127 }", outcome{code: 127}},
			"both streams apart":             {out + "\"out`n\"); " + err + "\"err`n\")", outcome{0, "out\n", "err\n"}},
			"no line end is added":           {out + "'out'); " + err + "'err')", outcome{0, "out", "err"}},
			"a zero byte":                    {out + "\"a`0b\")", outcome{0, "a\x00b", ""}},
			"no input":                       {"$bytes = New-Object byte[] 10\n" + out + "\"$($KinitInput.Read($bytes, 0, 10))`n\")", outcome{0, "0\n", ""}},
			"several lines":                  {out + "\"one`n\")\n" + out + "'two\nthree')", outcome{0, "one\ntwo\nthree", ""}},
			"an empty line":                  {"", outcome{}},
			"a comment at the end":           {out + "'a') # b", outcome{0, "a", ""}},
			"nothing of the command before":  {out + "\"$kinit$env:kinit`n\")", outcome{0, "\n", ""}},
			"cd does not last":               {"Set-Location C:/", outcome{}},
			"starts at home":                 {"if ((Get-Location).Path -ne $env:USERPROFILE) { exit 1 }", outcome{}},
			"the code of a program that ran": {"cmd.exe /c 'exit 3'", outcome{code: 3}},
		},
		lacks: map[string]string{
			"ended by SIGTERM": noSignals, "ended by SIGINT": noSignals, "ended by SIGQUIT": noSignals,
			"ended by SIGKILL": noSignals, "ended by SIGPIPE": noSignals,
			"a program ended by a signal says nothing":       noSignals,
			"a closed output":                                "PowerShell keeps its outputs open",
			"a process group of its own":                     "Windows has process trees instead, which the kill tests look at",
			"a background process does not hold the command": "what a command leaves behind ends with its shell, in a job",

			"a group that ignores SIGTERM":     noSignals,
			"a group of its own (timeout)":     "Windows has no process groups",
			"a stopped process":                noSignals,
			"a background grandchild":          "it is the grandchild's case, since processes have no sessions to leave",
			"a child that outlives its leader": noSignals,

			"files/mode":                        "Windows has no permission bits",
			"files/owner":                       "users of Windows have no numbers",
			"files/owner by name":               "owners are not told; those that are set, modules look at",
			"dial/unix":                         "PowerShell cannot listen on sockets that have a path",
			"dial/socket":                       "PowerShell cannot listen on sockets that have a path",
			"files/a link to what is not there": "Windows must know whether a link leads to a folder",
		},
		kill: map[string]string{
			"a program":                        pid + pid + forever,
			"a grandchild":                     pid + inner + "\"Add-Content -LiteralPath '%[1]s' -Value `$PID; " + forever + "\"",
			"a command that fills its pipe":    pid + pid + "while ($true) { " + out + "\"yes`n\") }",
			"while it waits for input":         pid + pid + "$bytes = New-Object byte[] 10; while ($KinitInput.Read($bytes, 0, 10) -gt 0) { }",
			"while it does not read its input": pid + pid + forever,
		},
		dirty:     "$global:kinit = 'left'; $env:kinit = 'left'; Set-Location C:/; $ErrorActionPreference = 'Continue'",
		noCommand: "[Console]::Out.Write('open",
		say: func(text string, code int) string {
			return fmt.Sprintf("%s%s + \"`n\"); exit %d", out, shell.PowerShell(text), code)
		},
		sayBoth: func(text string, code int) string {
			return fmt.Sprintf("Start-Sleep -Milliseconds 10; %s%s + \"`n\"); %s\"error`n\"); exit %d", out, shell.PowerShell(text), err, code)
		},
		copyInput: "$KinitInput.CopyTo([Console]::OpenStandardOutput())",
		firstLine: "$reader = New-Object System.IO.StreamReader $KinitInput; " + out + "$reader.ReadLine() + \"`n\"); exit 9",
		takeInput: "$bytes = New-Object byte[] 100; while ($KinitInput.Read($bytes, 0, 100) -gt 0) { }; Start-Sleep -Seconds 100",
		sleep:     forever,
		nap:       "Start-Sleep -Milliseconds 5; exit 3",
		print:     func(text string) string { return out + shell.PowerShell(text+".") + ")" },
		printAll: func(texts []string) string {
			quoted := lists.Map(texts, shell.PowerShell)
			return "foreach ($text in " + strings.Join(quoted, ", ") + ") { " + out + "$text + \".`0\") }"
		},
		nasty: unicodeOnly(Nasty()),
		// Both pieces are as long, and whole lines, so that one follows the other.
		large: func(outWord, errWord string, size int) string {
			out1, err1 := len(outWord)+1, len(errWord)+1
			lines := 65536 / (out1 * err1)
			return fmt.Sprintf("$most = %d\n$out = (%s + \"`n\") * %d\n$err = (%s + \"`n\") * %d\n"+
				"for ($at = 0; $at -lt $most; $at += $out.Length) {\n"+
				"  $n = [Math]::Min($out.Length, $most - $at)\n"+
				"  "+out+"$out.Substring(0, $n))\n  "+err+"$err.Substring(0, $n))\n}",
				size, shell.PowerShell(outWord), lines*err1, shell.PowerShell(errWord), lines*out1)
		},
		muchOutput: "for ($i = 0; $i -lt 2000; $i++) { " + out + "\"$i much output much output much output much output much output`n\") }; exit 3",
		readyUntil: func(path string) string {
			return out + "\"ready`n\"); while (-not (Test-Path -LiteralPath " + shell.PowerShell(path) + ")) { Start-Sleep -Milliseconds 10 }"
		},
		makeFence: func(path string) string { return "[IO.File]::WriteAllText(" + shell.PowerShell(path) + ", '')" },
		touch:     func(path string) string { return "[IO.File]::WriteAllText(" + shell.PowerShell(path) + ", '')" },
		makeFolder: "$path = $env:TEMP.Replace('\\', '/') + '/kinit-test-' + [Guid]::NewGuid().ToString('N')\n" +
			"[void][IO.Directory]::CreateDirectory($path)\n" + out + "$path)",
		names: func(dir string) string {
			return "foreach ($item in @(Get-ChildItem -LiteralPath " + shell.PowerShell(dir) + " -Force | Sort-Object Name)) { " + out + "$item.Name + \"`n\") }"
		},
		readFile: func(path string) string {
			quoted := shell.PowerShell(path)
			return "try { if ([IO.File]::Exists(" + quoted + ")) { " + out + "[IO.File]::ReadAllText(" + quoted + ")) } } catch { }"
		},
		alive: func(pid string) string {
			return "if (Get-Process -Id " + pid + " -ErrorAction SilentlyContinue) { " + out + "\"alive`n\") }"
		},
		pidAndWait: func(path string) string {
			return "[IO.File]::WriteAllText(" + shell.PowerShell(path) + ", \"$PID`n\"); " + forever
		},
		files: fileWords{
			root: "C:/", relative: "Windows/System32", foreign: "/etc/passwd",
			linkTo:  func(dir, name string) string { return dir + "/" + name },
			newFile: 0o666, newFolder: 0o777,
			nasty: []string{"a b", "'", "$HOME", "-rf", "[a]", "`", "%PATH%", "é", "日本語", "\u2019", "#{}", strings.Repeat("x", 120)},
		},
	}
}

// unicodeOnly leaves out what is not valid UTF-8, which cannot be part of a script.
func unicodeOnly(texts []string) []string {
	var valid []string
	for _, text := range texts {
		if utf8.ValidString(text) {
			valid = append(valid, text)
		}
	}
	return valid
}
