package engine_test

import (
	"testing"

	"kinit/engine"
)

// TestThrottleLetsOneInstanceWorkAtATime: an instance fails while another one has the folder.
func TestThrottleLetsOneInstanceWorkAtATime(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "shell" "alone" {
  host     = "localhost"
  for_each = ["a", "b", "c", "d"]
  throttle = 1
  commands = "mkdir TMP/turn && sleep 0.1 && rmdir TMP/turn"
}
`)
	o.Forks = 4
	r := engine.Run(t.Context(), o)
	equal(t, "problems", problems(r), "")
	equal(t, "tasks", len(r.Results), 4)
}
