package diag

import "testing"

func TestHintsSayWhatToWriteInstead(t *testing.T) {
	t.Parallel()
	const loop = ` A loop is for_each, which takes a map, an object or a set, as in: for_each = toset(["a", "b"]). Its element is each.key and each.value.`
	for given, want := range map[string]string{
		"with_fileglob": loop,
		"loop":          loop,
		"whne":          ` Did you mean "when"?`,
		"unlike":        "",
	} {
		if got := Hint(given, []string{"when", "host"}); got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
	for given, want := range map[string]string{
		"apt":                   " What Ansible calls apt is kinit's module package.",
		"community.general.ufw": ` One of Ansible's modules is called by kinit's module ansible: task "ansible" "x" { module = "community.general.ufw", args = { … } }, each on a line of its own.`,
		"copi":                  ` Did you mean "copy"?`,
	} {
		if got := HintModule(given, []string{"copy", "package"}); got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}
