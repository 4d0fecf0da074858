package e2e

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sampleVariable is an environment variable: the number of the part that a sample runs, so that a
// run can be repeated. Without it the part is chosen by chance.
const sampleVariable = "KINIT_SAMPLE"

// choose says which of several parts of a test run: one of them, and all with KINIT_ALL=1.
func choose(t *testing.T, parts ...string) func(part string) bool {
	t.Helper()
	if os.Getenv("KINIT_ALL") != "" {
		return func(part string) bool { return slices.Contains(parts, part) }
	}
	n := rand.IntN(len(parts))
	if text := os.Getenv(sampleVariable); text != "" {
		given, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			t.Fatalf("%s: %v", sampleVariable, err)
		}
		n = int(given) % len(parts)
	}
	progress(t, "a sample: %q of %q; %s=%d repeats it, KINIT_ALL=1 runs all", parts[n], strings.Join(parts, ", "), sampleVariable, n)
	return func(part string) bool { return part == parts[n] }
}
