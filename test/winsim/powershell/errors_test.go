package powershell_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"kinit/test/winsim/powershell"
)

func TestErrorsAreCaught(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{
		{"thrown exceptions", `try { throw [System.IO.IOException]::new('disk') } catch [System.ArgumentException] { 'no' } catch [System.IO.IOException] { "io $($_.Exception.Message)" }`, "io disk"},
		{"base classes", `try { throw [System.IO.FileNotFoundException]::new('f') } catch [IO.IOException] { 'base' }`, "base"},
		{"finally runs always", `try { try { throw 'x' } finally { 'f' } } catch { 'c' }; function F { try { return 1 } finally { 'g' } }; F`, "f|c|1|g"},
		{"thrown again", `try { try { throw 'a' } catch { throw } } catch { $_.Exception.Message }`, "a"},
		{"what .NET throws is wrapped", `try { [IO.File]::ReadAllText('C:\tmp\none') } catch { $_.Exception.GetType().Name; $_.Exception.InnerException.GetType().Name; $_.FullyQualifiedErrorId; $_.Exception.HResult; $_.Exception.GetBaseException().HResult }`, "MethodInvocationException|FileNotFoundException|FileNotFoundException|-2146233087|-2147024894"},
		{"its message too", `try { [IO.File]::ReadAllText('C:\tmp\none') } catch { $_.Exception.Message }`, `Exception calling "ReadAllText" with "1" argument(s): "Could not find file 'C:\tmp\none'."`},
		{"a clause of its type sees what was thrown", `try { [IO.File]::ReadAllText('C:\tmp\none') } catch [IO.FileNotFoundException] { $_.Exception.Message }`, `Could not find file 'C:\tmp\none'.`},
		{"errors of operators", `try { 1 / 0 } catch { $_.Exception.Message; $_.Exception.GetType().Name }; try { [int]'x' } catch { $_.Exception.Message }`, `Attempted to divide by zero.|RuntimeException|Cannot convert value "x" to type "System.Int32". Error: "Input string was not in a correct format."`},
		{"casts that do not fit", `try { [int]3000000000 } catch { $_.Exception.Message }; try { [byte]256 } catch { $_.Exception.Message }`, `Cannot convert value "3000000000" to type "System.Int32". Error: "Value was either too large or too small for an Int32."|Cannot convert value "256" to type "System.Byte". Error: "Value was either too large or too small for an unsigned byte."`},
		{"nothing has no methods", `try { $null.Foo() } catch { $_.Exception.Message; $_.FullyQualifiedErrorId }`, "You cannot call a method on a null-valued expression.|InvokeMethodOnNull"},
		{"commands that are not there", `try { nosuch -x } catch { $_.FullyQualifiedErrorId; $_.Exception.Message.Substring(0, 28) }`, "CommandNotFoundException|The term 'nosuch' is not rec"},
		{"the place", "\n  try {\n    throw 'here'\n  } catch { $_.InvocationInfo.ScriptLineNumber; $_.InvocationInfo.Line.Trim(); $_.InvocationInfo.PositionMessage }", "3|throw 'here'|At line:3 char:5|+     throw 'here'|+     ~~~~~~~~~~~~"},
		{"without Stop a statement ends and the next goes on", `$ErrorActionPreference = 'SilentlyContinue'; 1 / 0; 'on'`, "on"},
		{"text of a block is parsed", `try { [scriptblock]::Create('if (') } catch { $_.Exception.InnerException.GetType().Name; & ([scriptblock]::Create('1 + 1')) }`, "ParseException|2"},
	})
}

func TestUncaughtErrorsEndTheScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, stdout, stderr string
		code                         uint32
	}{
		{"throw", `'a'; throw 'bad'; 'b'`, "a\r\n", "bad\r\nAt line:1 char:6\r\n+ 'a'; throw 'bad'; 'b'\r\n+      ~~~~~~~~~~~\r\n    + CategoryInfo          : OperationStopped: (bad:String) [], RuntimeException\r\n    + FullyQualifiedErrorId : bad\r\n \r\n", 1},
		{"exit", `'a'; exit 7; 'b'`, "a\r\n", "", 7},
		{"exit in a function", `function F { exit 3 }; F; 'no'`, "", "", 3},
		{"a negative code", `exit -1`, "", "", 4294967295},
		{"the end", `'a'`, "a\r\n", "", 0},
		{"mistakes run nothing", "'a'\nif (", "a\r\n", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, newHost(), powershell.Job{Script: c.script})
			if c.name == "mistakes run nothing" {
				if got.stdout != "" || got.code != 1 || !strings.Contains(got.stderr, "ParserError") {
					t.Errorf("got %+v", got)
				}
				return
			}
			if got.err != nil || got.stdout != c.stdout || got.stderr != c.stderr || got.code != c.code {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestEncodedCommandsTellTheirErrorsAsCLIXML(t *testing.T) {
	t.Parallel()
	got := run(t, newHost(), powershell.Job{Script: "[Console]::Error.WriteLine('raw'); throw 'a<b'", Encoded: true})
	want := "raw\r\n#< CLIXML\r\n" + `<Objs Version="1.1.0.1" xmlns="http://schemas.microsoft.com/powershell/2004/04"><S S="Error">a&lt;b_x000D__x000A_</S>`
	if !strings.HasPrefix(got.stderr, want) || !strings.HasSuffix(got.stderr, "</S></Objs>") || got.code != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestWhatTheSimulatorDoesNotKnowEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, what string }{
		{`try { [Foo.Bar]::Baz() } catch { 'caught' } finally { 'finally' }`, "the simulator does not know the type [Foo.Bar] (line 1, column 7)"},
		{"1\n  'x'.Normalize()", "the simulator does not know the method Normalize of System.String (line 2, column 3)"},
		{`$ErrorActionPreference = 'SilentlyContinue'; Get-Date -Hour 3`, "the simulator does not know the parameter -Hour of Get-Date (line 1, column 46)"},
		{`@{a=1}`, "the simulator does not know how the host shows a System.Collections.Hashtable: convert it to text (line 1, column 1)"},
		{`$input`, "the simulator does not know the automatic variable $input (line 1, column 1)"},
		{`class A { }`, "the simulator does not know the statement class (line 1, column 1)"},
		{`& cmd --%`, "the simulator does not know the stop-parsing token --% (line 1, column 7)"},
		{`'x' > C:\tmp\f`, "the simulator does not know a redirection to a file (line 1, column 1)"},
		{`[Environment]::Foo`, "the simulator does not know the static member Foo of [System.Environment] (line 1, column 1)"},
		{`'abc'.Foo`, "the simulator does not know the property Foo of System.String (line 1, column 1)"},
	} {
		got := run(t, newHost(), powershell.Job{Script: c.script})
		var e *powershell.UnknownError
		if !errors.As(got.err, &e) || e.Error() != c.what {
			t.Errorf("%s\n gave %v\nwanted %s\noutput %q", c.script, got.err, c.what, got.stdout)
		}
		if strings.Contains(got.stdout, "caught") || strings.Contains(got.stdout, "finally") {
			t.Errorf("%s: the script went on: %q", c.script, got.stdout)
		}
	}
}

// echo is a program that writes its arguments, a line each, then its input.
func echo(_ context.Context, p powershell.Process) uint32 {
	for _, arg := range p.Args {
		fmt.Fprintf(p.Stdout, "[%s]\n", arg)
	}
	io.Copy(p.Stdout, p.Stdin)
	return 0
}

// fail is a program that complains and ends with 3.
func fail(_ context.Context, p powershell.Process) uint32 {
	fmt.Fprint(p.Stdout, "out\r\n")
	fmt.Fprint(p.Stderr, "problem\r\n")
	return 3
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, stdin, stdout, stderr string }{
		{"arguments", `echo1 a 'b c' -x /y:1 007 "q$(1+1)"`, "", "[a]\n[b c]\n[-x]\n[/y:1]\n[007]\n[q2]\n", ""},
		{"quotes inside of words are lost in 5.1", `echo1 'a"b'`, "", "[ab]\n", ""},
		{"empty words are lost in 5.1", `echo1 '' x`, "", "[x]\n", ""},
		{"a backslash before the closing quote takes it away", `echo1 'C:\a b\' c`, "", "[C:\\a b\" c]\n", ""},
		{"arrays are several words", `$a = 'x','y z'; echo1 @a $a`, "", "[x]\n[y z]\n[x]\n[y z]\n", ""},
		{"the input is inherited", `echo1`, "raw\x00bytes", "raw\x00bytes", ""},
		{"text is piped in as lines", `'a','b' | echo1`, "", "a\r\nb\r\n", ""},
		{"output is read by lines", `$l = echo1 1 2; $l.Count; $l[1]`, "", "2\r\n[2]\r\n", ""},
		{"codes", `fail1; $LASTEXITCODE; $?`, "", "out\r\n3\r\nTrue\r\n", "problem\r\n"},
		{"errors are dropped", `$ErrorActionPreference = 'Continue'; fail1 2>$null; $LASTEXITCODE`, "", "out\r\n3\r\n", ""},
		{"output is dropped", `fail1 | Out-Null; $null = fail1; fail1 >$null`, "", "", "problem\r\nproblem\r\nproblem\r\n"},
		{"redirected errors stop a script that stops", `$ErrorActionPreference = 'Stop'; try { fail1 2>$null } catch { "stopped: $_" }`, "", "out\r\nstopped: problem\r\n", ""},
		{"errors in the output", `$ErrorActionPreference = 'Continue'; $all = fail1 2>&1; $all.Count; $all[1].GetType().Name; "$($all[1])"`, "", "2\r\nErrorRecord\r\nproblem\r\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost()
			h.programs["echo1"], h.programs["fail1"] = echo, fail
			got := run(t, h, powershell.Job{Script: c.script, Stdin: strings.NewReader(c.stdin)})
			if got.err != nil || got.stdout != c.stdout || got.stderr != c.stderr {
				t.Errorf("%s\n gave %+v\nwanted %q and %q", c.script, got, c.stdout, c.stderr)
			}
		})
	}
}
