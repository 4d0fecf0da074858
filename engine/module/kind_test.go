package module

import "testing"

func TestKindSaysWhichHostsItWorksOnAndWhatToUseElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		kind Kind
		os   OS
		want string
	}{
		{"a module without families works on Linux", Kind{Name: "sysctl"}, Linux, ""},
		{"and not on Windows", Kind{Name: "sysctl"}, Windows,
			"the module sysctl works on Linux hosts, and this one runs Windows: there is no module for that on Windows hosts"},
		{"its counterpart is named", Kind{Name: "service", Elsewhere: "win_service"}, Windows,
			"the module service works on Linux hosts, and this one runs Windows: use win_service"},
		{"a module of Windows on Linux", Kind{Name: "win_service", OS: []OS{Windows}, Elsewhere: "service"}, Linux,
			"the module win_service works on Windows hosts, and this one runs Linux: use service"},
		{"a module of both", Kind{Name: "debug", OS: []OS{Linux, Windows}}, Windows, ""},
	} {
		got := ""
		if err := c.kind.On(c.os); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
