package winfacts

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return Kind().New() }, Host: winhost.New(t, winhost.Options{Language: "de-DE"}), NoSteps: true})
}
