package spec

import "testing"

func TestDescriptionMayBeFoldedOverSeveralLines(t *testing.T) {
	t.Parallel()
	loaded, problems := Load(sources(t, map[string]string{"disk/x.hcl": `
variable "port" {
  description = fold(<<-EOT
    Where the shop listens.
      Ports below 1024
    are for root.

    It is 8080 by default.
    EOT
  )
}
`}), "./x.hcl")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := "Where the shop listens. Ports below 1024 are for root.\nIt is 8080 by default."
	if got := loaded.Root.Variables[0].Description; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
