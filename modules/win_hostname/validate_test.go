package winhostname

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`name = "compute-0"`:        "",
		`name = "a23456789012345"`:  "",
		`name = "a234567890123456"`: `name is "a234567890123456", want at most 15 letters, digits and "-" inside`,
		`name = "a_b"`:              `name is "a_b", want at most 15 letters, digits and "-" inside`,
		`name = "a-"`:               `name is "a-", want at most 15 letters, digits and "-" inside`,
		`name = "12"`:               `name is "12", want at least one letter in it: Windows takes no number for a name`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
