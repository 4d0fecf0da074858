package wintemplate

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), `dest = "C:/Windows/Temp/app.toml"
template = "name = $${name}\n"
vars = { name = "web" }
private = true`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `dest = "C:/Windows/Temp/app.toml"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}
