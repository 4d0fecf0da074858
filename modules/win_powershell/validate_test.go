package winpowershell

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`script = "Get-Date"`:           "",
		`script = " "`:                  "script is empty, want text for PowerShell",
		"script = \"x\"\narguments = 1": "arguments is no object, want { name = value … }",
		"script = \"x\"\narguments = { a = [{ Name = 1, name = 2 }] }": `arguments has the names "Name" and "name", which are the same to PowerShell`,
		"script = \"x\"\narguments = { \"\" = 1 }":                     "arguments has an empty name, which PowerShell cannot read",
		"script = \"x\"\nremoves = \"x\"":                              `removes is "x", want a path with its drive, such as "C:/kinit/file"`,
		"script = \"x\"\nread_only = true\nunless = \"x\"":             "read_only runs the command every time, want no creates, removes, unless or only_if beside it",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
