package need

import "testing"

func TestRequiredIsTheWordItselfOrAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words, what string
		want        bool
	}{
		{"", "podman", false},
		{"sshd,podman", "podman", true},
		{"podmantest", "podman", false},
		{"all", "podman", true},
		{"sshd", "podman", false},
	} {
		if got := Required(c.words, c.what); got != c.want {
			t.Errorf("Required(%q, %q) = %v, want %v", c.words, c.what, got, c.want)
		}
	}
}
