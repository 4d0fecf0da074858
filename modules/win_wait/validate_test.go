package winwait

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                       "want exactly one of port, path, service and script",
		"port = 1\nservice = \"a\"":              "want exactly one of port, path, service and script",
		"port = 70000":                           "port is 70000, want 1 to 65535",
		"port = 1\nwithin = \"x\"":               `within is "x", want a duration such as "90s"`,
		"service = \"a\"\nservice_state = \"x\"": `service_state is "x", want one of running, stopped, paused`,
		`path = "/a"`:                            `path is "/a", want a path with its drive, such as "C:/kinit/file"`,
		`script = "$true"`:                       "",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
