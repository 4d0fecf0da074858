package wintemplate

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"dest = \"C:/a\"\ntemplate = \"x\"":           "",
		`dest = "C:/a"`:                               "template is missing, want the text to fill",
		"dest = \"C:/a\"\ntemplate = \"x\"\nvars = 1": "vars is no object, want { name = value … }",
		"dest = \"a\"\ntemplate = \"x\"":              `dest is "a", want a path with its drive, such as "C:/kinit/file"`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
