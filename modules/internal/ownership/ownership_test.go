package ownership

import (
	"context"
	"errors"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, owner string
		marks       []module.Mark
		kinds       []string
		want        string
	}{
		{name: "a host without an owner"},
		{name: "own mark", owner: "demo", marks: []module.Mark{{Kind: "file", ID: "/a"}}},
		{name: "own mark of the kind", owner: "demo", marks: []module.Mark{{Kind: "file", ID: "/a"}}, kinds: []string{"file"}},
		{name: "mark of another kind", owner: "demo", marks: []module.Mark{{Kind: "unit", ID: "/a"}}, kinds: []string{"file"},
			want: "/a exists and is not owned by cluster demo: move it"},
		{name: "no mark", owner: "demo", want: "/a exists and is not owned by cluster demo: move it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := moduletest.NewFakeHost(t, c.owner)
			for _, m := range c.marks {
				if err := h.Own(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if err := Free(t.Context(), h, "/a", "move it", c.kinds...); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

func TestASignatureIsTheNameAndTheInstance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ owner, instance, want string }{
		{"", "", ""}, {"", "MINE", ""}, {"demo", "", "demo"}, {"demo", "MINE", "demo.MINE"},
	} {
		h := moduletest.NewFakeHost(t, c.owner)
		h.SetInstance(c.instance)
		if got := Signature(h); got != c.want || Name(got) != c.owner {
			t.Errorf("%q and %q give %q of %q, want %q", c.owner, c.instance, got, Name(got), c.want)
		}
	}
}

func TestAnotherOwnerOfTheNameIsTold(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	h.SetInstance("MINE")
	for signature, want := range map[string]struct {
		namesake bool
		who      string
	}{
		"demo.MINE":  {false, "cluster demo"},
		"demo.OTHER": {true, "another cluster demo"},
		"demo":       {true, "another cluster demo"},
		"else.MINE":  {false, "cluster else"},
	} {
		if got := Namesake(h, signature); got != want.namesake {
			t.Errorf("%s is a namesake: %v", signature, got)
		}
		if got := Who(signature, Signature(h)); got != want.who {
			t.Errorf("%s is %q, want %q", signature, got, want.who)
		}
	}
	if Namesake(h, "") || Namesake(moduletest.NewFakeHost(t, ""), "") {
		t.Error("no owner is a namesake")
	}
}

func TestReleaseRemovesEveryMarkOfTheThing(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	for _, m := range []module.Mark{{Kind: "file", ID: "/a"}, {Kind: "download", ID: "/a"}, {Kind: "file", ID: "/b"}} {
		if err := h.Own(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := Release(t.Context(), h, "/a"); err != nil {
		t.Fatal(err)
	}
	marks, err := h.Marks(t.Context())
	if err != nil || len(marks) != 1 || marks[0].ID != "/b" {
		t.Errorf("marks %v, %v, want the one of /b", marks, err)
	}
}

func TestUndoGetsWhatWasKeptAndRemovesTheMark(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	if err := Keep(t.Context(), h, "hostname", "name", map[string]string{"live": "a"}); err != nil {
		t.Fatal(err)
	}
	mark, marked, err := Of(t.Context(), h, "name", "hostname")
	if err != nil || !marked {
		t.Fatalf("marked %t, %v", marked, err)
	}
	failed := errors.New("the host is busy")
	got := Undo(t.Context(), h, mark, func(context.Context, module.Host, module.Mark) error { return failed })
	if _, marked, err := Of(t.Context(), h, "name"); !errors.Is(got, failed) || !marked || err != nil {
		t.Errorf("%v, marked %t, %v, want the mark of what is not undone", got, marked, err)
	}
	prior := ""
	steps := UndoStep("name the host a", mark, func(_ context.Context, _ module.Host, m module.Mark) error {
		prior = m.Prior
		return nil
	})
	if err := steps[0].Do(t.Context(), h); err != nil || prior != `{"live":"a"}` {
		t.Errorf("%v, the mark has %q", err, prior)
	}
	if _, marked, err := Of(t.Context(), h, "name"); marked || err != nil {
		t.Errorf("marked %t, %v, want no mark", marked, err)
	}
}
