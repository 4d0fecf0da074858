package moduletest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
)

func TestScriptAnswersInOrderAndRepeatsTheLast(t *testing.T) {
	t.Parallel()
	h := NewFakeHost(t, "")
	h.On("uptime").Out("one\n").Fail(3, "gone\n")
	var got []string
	for range 3 {
		out, err := h.Run(t.Context(), module.Command{Argv: []string{"uptime"}})
		text := out.Stdout
		if exit := (*module.ExitError)(nil); errors.As(err, &exit) {
			text = exit.Error()
		}
		got = append(got, text)
	}
	want := []string{"one\n", "command ended with code 3: gone\n$ uptime", "command ended with code 3: gone\n$ uptime"}
	if !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
}

func TestUnscriptedCommandFailsTheTestWithItsArguments(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	h := NewFakeHost(r, "")
	_, err := h.Run(t.Context(), module.Command{Argv: []string{"rm", "-rf", "/a b"}})
	if want := "unscripted command: rm -rf '/a b'"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if !r.Failed() {
		t.Error("the test was not failed")
	}
}

func TestHandlerSeesStandardInputAndChangesAreRecorded(t *testing.T) {
	t.Parallel()
	h := NewFakeHost(t, "")
	h.Handle(func(c Call) (Reply, bool) {
		return Reply{Stdout: strings.ToUpper(c.Stdin), Changes: true}, c.Argv[0] == "tee"
	})
	out, err := h.Run(t.Context(), module.Command{Argv: []string{"tee", "x"}, Stdin: strings.NewReader("hi")})
	if err != nil || out.Stdout != "HI" {
		t.Errorf("answer %q, %v", out.Stdout, err)
	}
	if want := []string{"tee x"}; !slices.Equal(h.Changes(), want) {
		t.Errorf("changes %q, want %q", h.Changes(), want)
	}
}

func TestTheFirstMarkOfAThingStays(t *testing.T) {
	t.Parallel()
	h := NewFakeHost(t, "demo")
	ctx := t.Context()
	for _, m := range []module.Mark{{Kind: "file", ID: "/a"}, {Kind: "file", ID: "/b"}, {Kind: "file", ID: "/a", Keep: true}} {
		if err := h.Own(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Disown(ctx, module.Mark{Kind: "file", ID: "/b"}); err != nil {
		t.Fatal(err)
	}
	got, err := h.Marks(ctx)
	if want := []module.Mark{{Kind: "file", ID: "/a"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("marks %v %v, want %v", got, err, want)
	}
}
