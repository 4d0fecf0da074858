package winhostname

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New:  func() module.Task { return moduletest.Decode(t, Kind(), `name = "compute-0"`) },
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}
