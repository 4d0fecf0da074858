package ovn

import (
	"errors"
	"testing"
)

// TestASecondOnlyRowIsARace is what a database says that was made a moment ago, when
// two clients make the only row of a table at the same time.
func TestASecondOnlyRowIsARace(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		`constraint violation: transaction causes "NB_Global" table to contain 2 rows, greater than the schema-defined limit of 1 row(s)`: true,
		`constraint violation: Transaction causes multiple rows in "Logical_Router" table to have identical values`:                       false,
	}
	for text, want := range cases {
		err := failure(nil, errors.New(text))
		if errors.Is(err, errRace) != want {
			t.Errorf("%s: a race: %v, want %v", text, !want, want)
		}
		if got := err.Error(); !want && got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}
