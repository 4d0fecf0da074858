package fingerprint

import "testing"

func TestOfDependsOnEachPart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, parts := range [][]string{nil, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"1 a"}} {
		sum := Of(parts...)
		if len(sum) != 64 || seen[sum] != nil {
			t.Errorf("%q has %s, and so has %q", parts, sum, seen[sum])
		}
		seen[sum] = append([]string{}, parts...)
	}
}
