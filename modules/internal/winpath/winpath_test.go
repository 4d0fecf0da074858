package winpath

import (
	"strings"
	"testing"
)

func TestCheckSaysWhatIsWrongWithAPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, want string }{
		{"C:/kinit/file.txt", ""},
		{"d:/with blank/ümlaut", ""},
		{"C:/console/nullable.txt", ""},
		{"", `dest is empty, want a path such as "C:/kinit/file"`},
		{`C:\kinit\file`, `dest is "C:\\kinit\\file", want slashes: "C:/kinit/file"`},
		{"/etc/motd", `dest is "/etc/motd", want a path with its drive, such as "C:/kinit/file"`},
		{"C:kinit", `dest is "C:kinit", want a path with its drive, such as "C:/kinit/file"`},
		{"C:/", "dest is the root of a drive, want a path below it"},
		{"C:/a/../b", `dest is "C:/a/../b", want it without empty, "." or ".." parts: "C:/b"`},
		{"C:/a/", `dest is "C:/a/", want it without empty, "." or ".." parts: "C:/a"`},
		{"C:/a:b", `dest is "C:/a:b", and Windows cannot have "a:b": it has one of <>:"|?* in it`},
		{"C:/a\tb", `dest is "C:/a\tb", and Windows cannot have "a\tb": it has a control character in it`},
		{"C:/a./b", `dest is "C:/a./b", and Windows cannot have "a.": it ends with a dot or a space`},
		{"C:/a/nul.txt", `dest is "C:/a/nul.txt", and Windows cannot have "nul.txt": it is the name of a device`},
		{"C:/" + strings.Repeat("a", 257), "dest has 260 characters, want at most 259"},
	} {
		got := ""
		if err := Check("dest", c.path); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}

func TestNativeHasBackslashes(t *testing.T) {
	t.Parallel()
	if got := Native("C:/a b/c"); got != `C:\a b\c` {
		t.Errorf("%s", got)
	}
}
