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
		if got := moduletest.Mistake(t, moduletest.Decode(t, Kind(), args)); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}
