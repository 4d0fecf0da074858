package lists_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/lists"
)

func TestMapKeepsTheOrderAndMakesNothingOfNothing(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"2", "1"}, lists.Map([]int{2, 1}, strconv.Itoa)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("nothing becomes %v, want nil", got)
	}
}

func TestCountIsOfTheConditionsThatHold(t *testing.T) {
	t.Parallel()
	if got := lists.Count(true, false, true); got != 2 {
		t.Errorf("counts %d, want 2", got)
	}
	if got := lists.Count(); got != 0 {
		t.Errorf("nothing counts %d, want 0", got)
	}
}
