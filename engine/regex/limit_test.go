package regex

import (
	"strings"
	"testing"
	"time"
)

func TestExpressionThatTakesTooLongIsStopped(t *testing.T) {
	t.Parallel()
	re, err := Compile(`^(a+)+(?!b)$`)
	if err != nil {
		t.Fatal(err)
	}
	re.rich.MatchTimeout = 200 * time.Millisecond
	_, err = re.Match(strings.Repeat("a", 40) + "c")
	want := `the expression "^(a+)+(?!b)$" needs more than 200ms for the text: make it simpler, as with fewer ".*"`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
