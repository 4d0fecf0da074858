package powershell_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"kinit/test/grammar"
	"kinit/test/winsim/powershell"
)

// behaviours are scripts with what Windows PowerShell 5.1 writes for them, lines joined
// by a bar.
type behaviour struct{ name, script, want string }

// beyond are the names of behaviours whose scripts the grammar wrongly refuses.
func beyond(name string) bool {
	return name == "labels" || name == "what a command without output leaves"
}

// check runs each script and compares its output, line by line. The scripts must be
// PowerShell for the grammar that others wrote, too.
func check(t *testing.T, all []behaviour) {
	t.Helper()
	t.Run("the scripts are PowerShell", func(t *testing.T) {
		t.Parallel()
		var scripts []grammar.Script
		for _, b := range all {
			if beyond(b.name) {
				continue
			}
			scripts = append(scripts, grammar.Script{Name: b.name, Text: b.script + "\n"})
		}
		for _, p := range grammar.Parse(t, scripts...) {
			t.Errorf("%s", p)
		}
	})
	for _, b := range all {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, newHost(), powershell.Job{Script: b.script})
			if got.err != nil {
				t.Fatalf("%s: %v", b.script, got.err)
			}
			written, err := charmap.CodePage437.NewDecoder().String(got.stdout)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(strings.TrimSuffix(written, "\r\n"), "\r\n", "|")
			if text != b.want || got.stderr != "" {
				t.Errorf("%s\n wrote %q\nwanted %q\nerrors %q", b.script, text, b.want, got.stderr)
			}
		})
	}
}

func TestValuesAreConvertedAndWrittenAsTheRealOneDoes(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{
		{"text is written as it is", `'a "b" $c'`, `a "b" $c`},
		{"variables are expanded", `$x = 5; "x is $x and $($x + 1)"`, "x is 5 and 6"},
		{"braces delimit names", `$x = 5; "${x}y"`, "5y"},
		{"members need a subexpression", `$x = 'abc'; "$x.Length $($x.Length)"`, "abc.Length 3"},
		{"escapes", "\"a`tb`$x`\"\"", "a\tb$x\""},
		{"doubled quotes", `"a""b"; 'c''d'`, `a"b|c'd`},
		{"here-strings keep lines", "@\"\nx\n  y\n\"@", "x\n  y"},
		{"arrays are joined by blanks", `$a = 1,2,3; "$a"`, "1 2 3"},
		{"the other separator", `$OFS = '-'; "$(1,2,3)"`, "1-2-3"},
		{"truth values", `$true; "$false"`, "True|False"},
		{"nothing", `"[$null]"`, "[]"},
		{"whole division is exact or a double", `6 / 3; 7 / 2; 1 / 3`, "2|3.5|0.333333333333333"},
		{"casts round to even", `[int]2.5; [int]3.5; [int]-2.5; [int]1.5; [int]'2.5'`, "2|4|-2|2|2"},
		{"numbers overflow to doubles", `[int]::MaxValue + 1; ([int]::MaxValue + 1).GetType().Name`, "2147483648|Double"},
		{"large literals are longs", `2147483648; (2147483648).GetType().Name`, "2147483648|Int64"},
		{"hexadecimal has a sign", `0xFF; 0xFFFFFFFF; 0x800106BA`, "255|-1|-2147416390"},
		{"multipliers", `1KB; 2MB; 1GB; 4GB`, "1024|2097152|1073741824|4294967296"},
		{"doubles have fifteen digits", `0.1 + 0.2; 1e15; 123456789012345678.0; 0.00001; 100.0`, "0.3|1E+15|1.23456789012346E+17|1E-05|100"},
		{"the left operand decides", `'5' + 5; 5 + '5'; '5' * 3; 3 * '5'`, "55|10|555|15"},
		{"remainders", `7 % 3; -7 % 3; 7.5 % 2`, "1|-1|1.5"},
		{"casts of truth", `[bool]'false'; [bool]''; [bool]0; [bool]@(); [bool]@(0); [bool]@(0,0); [bool]@{}`, "True|False|False|False|False|True|True"},
		{"casts to text", `[string]$null -eq ''; [string](1,2); [string]1.5`, "True|1 2|1.5"},
		{"text as numbers", `[int]' 42 '; [int]'0x10'; [long]'9999999999'; [double]'1.5'`, "42|16|9999999999|1.5"},
		{"dates in text are invariant", `$d = [datetime]'2026-01-02 03:04:05'; "$d"; $d.ToString(); $d.ToString('yyyy-MM-ddTHH:mm:ss')`, "01/02/2026 03:04:05|1/2/2026 3:04:05 AM|2026-01-02T03:04:05"},
		{"the round trip format", `[datetime]::UtcNow.ToString('o')`, "2026-11-21T15:52:15.0000000Z"},
		{"time spans", `[timespan]::FromSeconds(3661).ToString(); [timespan]'00:01:30' -eq [timespan]::FromSeconds(90)`, "01:01:01|True"},
		{"custom objects as text", `"$([pscustomobject]@{a=1; b='x'})"`, "@{a=1; b=x}"},
	})
}

func TestComparisons(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{
		{"case does not matter", `'A' -eq 'a'; 'A' -ceq 'a'; 'A' -cne 'a'; 'b' -gt 'A'`, "True|False|True|True"},
		{"the left decides", `10 -eq '10'; '10' -eq 10; '1.0' -eq 1; 1 -eq '1.0'`, "True|True|False|True"},
		{"nothing equals nothing only", `$null -eq $null; $null -eq ''; $null -eq 0; '' -eq $null; 0 -eq $null`, "True|False|False|False|False"},
		{"nothing is less", `$null -lt 1; $null -lt -1; 1 -gt $null; '' -gt $null`, "True|False|True|True"},
		{"arrays are filtered", `"$(1,2,3,2 -eq 2)"; @(1,2,3 -gt 1).Count; @($null,1 -eq $null).Count; @(1,2 -eq 9).Count`, "2 2|2|1|0"},
		{"an array on the right is no list", `1 -eq @(1,2)`, "False"},
		{"contains and in", `1,2 -contains 2; 'a' -in 'A','B'; 3 -notin 1,2; 'abc' -contains 'a'`, "True|True|True|False"},
		{"like", `'abc' -like 'A*'; 'abc' -clike 'A*'; 'a1' -like 'a[0-9]'; 'a*' -like 'a` + "`" + `*'; 'abc' -notlike 'b*'`, "True|False|True|True|True"},
		{"match sets groups", `'v1.28.3' -match '^v(\d+)\.(?<minor>\d+)'; $Matches[0]; $Matches[1]; $Matches.minor`, "True|v1.28|1|28"},
		{"match of an array filters", `"$('a1','b','c2' -match '\d')"`, "a1 c2"},
		{"replace", `'aXbx' -replace 'x','-'; 'aXbx' -creplace 'x','-'; 'john smith' -replace '(\w+) (\w+)','$2 $1'; 'abc' -replace 'b'`, "a-b-|aXb-|smith john|ac"},
		{"join", `1,2,3 -join '-'; -join ('a','b'); 'x' -join ','`, "1-2-3|ab|x"},
		{"logic", `$true -and 0; 1 -or $false; -not ''; !1; $true -xor $true`, "False|True|True|False|False"},
		{"logic stops early", `$false -and $(throw 'no'); $true -or $(throw 'no')`, "False|True"},
	})
}

func TestArraysAndTables(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{
		{"counts", `@().Count; @(1).Count; @($null).Count; $null.Count; (5).Count; 'abc'.Count; @(1,2).Length`, "0|1|1|0|1|1|2"},
		{"a pipeline of one is no array", `$x = 1,2,3 | Where-Object { $_ -gt 2 }; $x.GetType().Name; $x = @(1,2,3 | Where-Object { $_ -gt 2 }); $x.GetType().Name`, "Int32|Object[]"},
		{"nothing from a command", `$x = 1 | Where-Object { $false }; $null -eq $x; @($x).Count; $x | ForEach-Object { 'never' }; $null | ForEach-Object { 'once' }`, "True|0|once"},
		{"custom objects have no count in 5.1", `$null -eq ([pscustomobject]@{a=1}).Count; @([pscustomobject]@{a=1}).Count`, "True|1"},
		{"elements are set", `$a = 1,2; $a[0] = 5; $a += 9; "$a"`, "5 2 9"},
		{"the comma makes arrays of one", `(,1).GetType().Name; (,(1,2)).Count`, "Object[]|1"},
		{"return with a comma keeps an array", `function f { ,@(1) }; (f).GetType().Name; function g { @(1) }; (g).GetType().Name`, "Object[]|Int32"},
		{"several targets", `$a, $b, $c = 1,2,3,4; "$a|$b|$c"`, "1|2|3 4"},
		{"tables", `$h = @{ a = 1; 'b c' = 2 }; $h.a; $h['b c']; $h.Count; $h.ContainsKey('A'); $null -eq $h.zz`, "1|2|2|True|True"},
		{"tables change", `$h = @{}; $h.x = 1; $h['y'] = 2; $h.Remove('x'); $h.Keys; $h.Values`, "y|2"},
		{"ordered tables keep their order", `$h = [ordered]@{ z=1; a=2; m=3 }; $h.Keys -join ','; $h[1]`, "z,a,m|2"},
		{"tables are no lists", `@(@{a=1; b=2}).Count; (@{a=1} | ForEach-Object { $_.a })`, "1|1"},
		{"entries", `$h = [ordered]@{ a=1; b=2 }; foreach ($e in $h.GetEnumerator()) { "$($e.Key)=$($e.Value)" }`, "a=1|b=2"},
		{"properties of elements", `$l = [pscustomobject]@{n='a'}, [pscustomobject]@{n='b'}; $l.n -join ','; (,$l[0]).n`, "a,b|a"},
		{"custom objects", `$o = [pscustomobject]@{ Name='x'; Size=3 }; $o.name; $o.Size += 2; $o.Size; $null -eq $o.Other`, "x|5|True"},
		{"typed arrays", `([string[]](1,2))[0].GetType().Name; ([byte[]](1,255)).Length; [int[]]$x = '1','2'; $x[0] + $x[1]`, "String|2|3"},
	})
}

func TestStatements(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{
		{"if", `if ($false) { 1 } elseif (2 -gt 1) { 2 } else { 3 }`, "2"},
		{"if has a value", `$x = if ($true) { 'a' } else { 'b' }; $x`, "a"},
		{"foreach over nothing", `foreach ($i in $null) { 'never' }; foreach ($i in @()) { 'never' }; 'end'`, "end"},
		{"functions", `function Add([int]$a, [int]$b = 10) { $a + $b }; Add 1; Add 1 2; Add -b 5 -a 4`, "11|3|9"},
		{"parameters of text are never nothing", `function F([string]$s, $o) { "$($null -eq $s) $($null -eq $o)" }; F`, "False True"},
		{"arguments", `function F { $args.Count; $args -join ',' }; F 1 two -x 3`, "4|1,two,-x,3"},
		{"splatting", `function F($a, $b) { "$a-$b" }; $p = @{ a=1; b=2 }; F @p; $q = 3,4; F @q`, "1-2|3-4"},
		{"scopes", `$x = 1; function F { $x = 2; $script:y = 3 }; F; "$x $y"; & { $x = 9 }; $x; . { $x = 7 }; $x`, "1 3|1|7"},
		{"blocks see their caller", `$x = 5; $b = { $x + 1 }; & $b; & { param($p) $p * 2 } 4`, "6|8"},
		{"return", `function F { 1; return 2; 3 }; F`, "1|2"},
		{"a parameter keeps its type", `function F([int]$n) { $n = '7'; $n.GetType().Name }; F 1`, "Int32"},
		{"increments", `$i = 5; $i++; $i; ($i++); $i; $j = ++$i; $j`, "6|6|7|8"},
		{"compound assignments", `$s = 'a'; $s += 'b'; $s; $n = 7; $n -= 2; $n *= 3; $n /= 5; $n %= 2; $n`, "ab|1"},
		{"assignments in parentheses", `($x = 4) + 1; if (($y = 5) -gt 4) { $y }`, "5|5"},
		{"comments", "# one\n1 <# two #> + 2 # three", "3"},
		{"the environment", `$env:FOO = 'bar'; $env:FOO; "$env:FOO!"; $env:FOO = $null; $null -eq $env:FOO`, "bar|bar!|True"},
	})
}
