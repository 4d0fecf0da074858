package ansible

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWords has what the function split of Python's module shlex says to the same
// lines, with comments.
func TestWords(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`a b=c`:            `a@0-1|b=c@2-5`,
		`a  b="c d"	e`:     `a@0-1|b=c d@3-10|e@11-12`,
		`a b='c "d" \'`:    `a@0-1|b=c "d" \@2-13`,
		`"c \" \\ \n" d`:   `c " \ \n@0-12|d@13-14`,
		`a\ b\#c d\e`:      `a b#c@0-7|de@8-11`,
		`a"b"'c'd`:         `abcd@0-8`,
		`a # b`:            `a@0-1`,
		`a#b c`:            `a@0-1`,
		`"a#b" 'c # d'`:    `a#b@0-5|c # d@6-13`,
		`""`:               `@0-2`,
		``:                 ``,
		`   `:              ``,
		`ħ=ü "€ x"`:        `ħ=ü@0-5|€ x@6-13`,
		`x={'a': 1} y=[1]`: `x={a:@0-7|1}@8-10|y=[1]@11-16`,
	}
	for line, want := range tests {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			all, err := words(line)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range all {
				got = append(got, fmt.Sprintf("%s@%d-%d", w.text, w.from, w.to))
			}
			if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
