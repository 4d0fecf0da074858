package source

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRangeCountsLinesAndGraphemeClusters(t *testing.T) {
	t.Parallel()
	text := NewText("hosts", []byte("ab\nħé x\r\n\n"))
	tests := map[string]struct {
		from, to int
		want     string
	}{
		"in the first line":           {0, 2, "hosts:1,1-3"},
		"letters of two bytes":        {3, 7, "hosts:2,1-3"},
		"behind them":                 {8, 9, "hosts:2,4-5"},
		"over lines":                  {1, 5, "hosts:1,2-2,2"},
		"the end":                     {12, 99, "hosts:4,1-1"},
		"before the beginning":        {-5, 1, "hosts:1,1-2"},
		"an end before the beginning": {2, 1, "hosts:1,3-3"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := text.Range(test.from, test.to)
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	text := NewText("f", []byte("  one \r\ntwo\n"))
	want := []string{"f:1,1-7", "f:2,1-4", "f:3,1-1"}
	for i, line := range want {
		if got := text.Range(text.Line(i + 1)).String(); got != line {
			t.Errorf("line %d is %s, want %s", i+1, got, line)
		}
	}
	if got := text.LineRange(1).String(); got != "f:1,3-6" {
		t.Errorf("without spaces it is %s", got)
	}
	if got := fmt.Sprint(text.Lines(), text.Range(text.Line(9))); got != "3 f:3,1-1" {
		t.Errorf("got %s", got)
	}
}

func TestOffsetCountsCharacters(t *testing.T) {
	t.Parallel()
	text := NewText("f", []byte("a\nħb\n"))
	for want, at := range map[int][2]int{0: {1, 1}, 2: {2, 1}, 4: {2, 2}, 5: {2, 9}} {
		if got := text.Offset(at[0], at[1]); got != want {
			t.Errorf("line %d, column %d is at %d, want %d", at[0], at[1], got, want)
		}
	}
}
