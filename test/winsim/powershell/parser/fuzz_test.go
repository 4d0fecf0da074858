package parser

import (
	"errors"
	"strings"
	"testing"

	"kinit/test/winsim/powershell/unknown"
)

// FuzzParse holds the parser to: no text makes it panic or hang, and what it refuses
// is a mistake of PowerShell or something that the simulator does not know.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "1", "$x = @{ a = 1; 'b' = \"$y $(z) ${w}\" }", "if ($a -eq 1) { b -c:$d e,f 2>&1 | g } elseif (h) { } else { }",
		"function F { param([Parameter(Mandatory)][int[]]$a = @(1)) begin { } process { } end { } }",
		"@'\nx\n'@", "@\"\n$x`n\n\"@", "[Foo.Bar[string,int]]::Baz($x, [byte[]]$y)[1..2].z++", "switch -Regex (x) { a { } default { } }",
		"try { throw } catch [A], [B] { } finally { }", ":l foreach ($i in 1,2) { continue l }", "for (;;) { break }", "& $x @y -z", "1KB..0x1F -f 1.5e3l",
		"<# c #> # d", "a`\nb", "-not !$x -join ','", strings.Repeat("(", 1000), strings.Repeat("$(", 300), "\"$($(\"", "$x:", "\u2018", "a\x00b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		block, err := Parse("", text)
		var mistake *Error
		if err == nil && block == nil || err != nil && !errors.As(err, &mistake) && !unknown.Is(err) {
			t.Errorf("%q: %v, %v", text, block, err)
		}
		if mistake != nil && mistake.Error() == "" {
			t.Errorf("%q: an error without words", text)
		}
	})
}
