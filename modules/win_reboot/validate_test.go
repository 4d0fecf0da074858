package winreboot

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                "",
		`within = "soon"`: `within is "soon", want a duration such as "10m"`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}
