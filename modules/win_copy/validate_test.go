package wincopy

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"dest = \"C:/a\"\ncontent = \"x\"":                 "",
		`dest = "C:/a"`:                                    "want exactly one of content, content_base64, content_secret and source; null counts as left out",
		"dest = \"C:/a\"\ncontent = \"x\"\nsource = \"y\"": "want exactly one of content, content_base64, content_secret and source; null counts as left out",
		"dest = \"C:/a\"\nstate = \"absent\"":              "",
		"dest = \"C:/a\"\nstate = \"gone\"":                `state is "gone", want one of present, absent`,
		"dest = \"/a\"\ncontent = \"x\"":                   `dest is "/a", want a path with its drive, such as "C:/kinit/file"`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
