package powershell_test

import "testing"

func TestJSONIsThatOf51(t *testing.T) {
	t.Parallel()
	check(t, []behaviour{
		{"escapes", "ConvertTo-Json -Compress \"'<>&`\"\\/`n`t`0é\"", `"\u0027\u003c\u003e\u0026\"\\/\n\t\u0000é"`},
		{"one element of a pipeline is no array", `@(1) | ConvertTo-Json -Compress; ConvertTo-Json -Compress @(1); @(1,2) | ConvertTo-Json -Compress`, `1|[1]|[1,2]`},
		{"depth", `$x = @{ a = @{ b = @{ c = @{ d = 1 } } } }; ConvertTo-Json -Compress $x; ConvertTo-Json -Compress -Depth 3 $x`, `{"a":{"b":{"c":"System.Collections.Hashtable"}}}|{"a":{"b":{"c":{"d":1}}}}`},
		{"objects that are too deep", `[pscustomobject]@{ a = @{ b = @{ c = [pscustomobject]@{ d = 1 } } } } | ConvertTo-Json -Compress`, `{"a":{"b":{"c":"@{d=1}"}}}`},
		{"what a command without output leaves", `@{ a = & {} } | ConvertTo-Json -Compress`, `{"a":{}}`},
		{"an array in a property", `@{ a = @() } | ConvertTo-Json -Compress; @{ a = @('x') } | ConvertTo-Json -Compress`, `{"a":[]}|{"a":["x"]}`},
		{"enumerations are numbers", `@{ a = [DayOfWeek]::Friday } | ConvertTo-Json -Compress`, `{"a":5}`},
		{"reading objects", `$o = '{"a":1,"b":{"c":["x","y"]},"d":null,"e":true,"f":9999999999}' | ConvertFrom-Json; $o.a.GetType().Name; $o.b.c[1]; $null -eq $o.d; $o.e; $o.f.GetType().Name; $null -eq $o.zz`, "Int32|y|True|True|Int64|True"},
		{"there and back", `$o = @{ a = @(@{ n = 'é' }) } | ConvertTo-Json -Compress -Depth 5 | ConvertFrom-Json; $o.a[0].n; $o.a.GetType().Name`, "é|Object[]"},
		{"what is no JSON", `try { 'nope' | ConvertFrom-Json } catch { $_.Exception.GetType().Name; $_.Exception.Message }`, "ArgumentException|Invalid JSON primitive: nope."},
	})
}
