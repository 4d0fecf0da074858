package winfile

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`path = "C:/a"`:                        "",
		`path = "/a"`:                          `path is "/a", want a path with its drive, such as "C:/kinit/file"`,
		"path = \"C:/a\"\nstate = \"present\"": `state is "present", want one of directory, file, absent`,
		"path = \"C:/a\"\nstate = \"absent\"\nprivate = true": `owner and private are of what is there, want neither with state = "absent"`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
