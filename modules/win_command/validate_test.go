package wincommand

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`argv = ["x"]`:                                         "",
		`argv = []`:                                            "argv is empty, want a program and its arguments",
		"argv = [\"x\"]\nok_codes = []":                        "ok_codes is empty, want at least one exit code",
		"argv = [\"x\"]\ndir = \"/work\"":                      `dir is "/work", want a path with its drive, such as "C:/kinit/file"`,
		"argv = [\"x\"]\ncreates = \"C:\\\\a\"":                `creates is "C:\\a", want slashes: "C:/a"`,
		"argv = [\"x\"]\nread_only = true\ncreates = \"C:/x\"": "read_only runs the command every time, want no creates, removes, unless or only_if beside it",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
