package podman

import (
	"slices"
	"testing"

	"kinit/engine/module/moduletest"
)

func TestLabelsTellOwnersOfOneNameApart(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.SetInstance("MINE")
	c := Client{Host: h}
	want := []string{"--label", "kinit.config=abc", "--label", "kinit.owner=k8s.MINE"}
	if got := c.LabelArgs("abc"); !slices.Equal(got, want) {
		t.Errorf("options %q, want %q", got, want)
	}
	for owner, want := range map[string]struct {
		ours bool
		text string
	}{
		"k8s.MINE":  {true, "pod p exists and is not owned by cluster k8s but by k8s: remove it or use another name"},
		"k8s.OTHER": {false, "pod p exists and is not owned by cluster k8s but by another k8s: remove it or use another name"},
		"k8s":       {false, "pod p exists and is not owned by cluster k8s but by another k8s: remove it or use another name"},
		"lab.X":     {false, "pod p exists and is not owned by cluster k8s but by lab: remove it or use another name"},
		"":          {false, "pod p exists and is not owned by cluster k8s (it has no mark of kinit): remove it or use another name"},
	} {
		labels := map[string]string{"kinit.config": "abc", "kinit.owner": owner}
		if got := c.Ours(labels); got != want.ours {
			t.Errorf("%q is ours: %v", owner, got)
		}
		if got := c.Foreign("pod p", labels).Error(); got != want.text {
			t.Errorf("of %q: %q, want %q", owner, got, want.text)
		}
	}
}
