package windownload

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"dest = \"C:/a\"\nstate = \"absent\"":                    "",
		"dest = \"a\"":                                           `dest is "a", want a path with its drive, such as "C:/kinit/file"`,
		"dest = \"C:/a\"\nurl = \"ftp://h/a\"":                   `url is "ftp://h/a", want a full URL with http or https`,
		"dest = \"C:/a\"\nurl = \"https://joe:pass@h/a\"":        `url is "https://joe:xxxxx@h/a", want it without user and password, which the host's list of processes would show`,
		"dest = \"C:/a\"\nurl = \"http://h/a\"\nsha256 = \"12\"": `sha256 is "12", want 64 hex digits`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
