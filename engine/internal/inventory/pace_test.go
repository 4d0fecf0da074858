package inventory

import "testing"

func TestAGroupSaysHowSlowItsHostsAre(t *testing.T) {
	t.Parallel()
	inv, diags := Load(t.Context(), folder(t, map[string]string{"i.hcl": `
host "a" {}
host "b" { pace = 2.5 }
host "c" {}
group "emulated" {
  hosts = ["a", "b"]
  pace  = 7
}
`}), []string{"i.hcl"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for name, want := range map[string]float64{"a": 7, "b": 2.5, "c": 0} {
		if got := inv.Host(name).Pace; got != want {
			t.Errorf("%s has the pace %v, want %v", name, got, want)
		}
	}
}
