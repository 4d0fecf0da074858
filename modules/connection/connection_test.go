package connection

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New:  func() module.Task { return moduletest.Decode(t, Kind(), "reset = true") },
		Host: moduletest.LocalHost(t, ""), NoSteps: true,
	})
}
