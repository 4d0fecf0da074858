package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/internal/instance"
	"kinit/engine/module"
	"kinit/engine/secret"
)

var one = instance.Instance{ID: "ONE", Made: time.Date(2026, 11, 22, 18, 45, 10, 0, time.UTC), By: "alice@ws", Spec: "site.hcl"}

// ofInstance is a machine whose marks are of an instance; begun counts what came before its
// first mark.
func ofInstance(t *testing.T, i instance.Instance, begun *int) *Machine {
	t.Helper()
	m := machine(t, &secret.Redactor{})
	m.Belongs(i, func() error { *begun++; return nil })
	return m
}

func wantFound(t *testing.T, m *Machine, want Found) {
	t.Helper()
	got, err := m.Found(t.Context(), "k8s")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, found (-want +got):\n%s", err, diff)
	}
}

func owned(m *Machine, parts ...string) string {
	return filepath.Join(append([]string{m.settings.Manifests, "k8s", "owned"}, parts...)...)
}

func TestTheInstanceIsNotedBeforeTheFirstMark(t *testing.T) {
	begun := 0
	m := ofInstance(t, one, &begun)
	wantFound(t, m, Found{})
	h := m.Bind("k8s", nil)
	if h.Instance() != "ONE" || m.Bind("", nil).Instance() != "" {
		t.Errorf("instance %q, and %q without an owner", h.Instance(), m.Bind("", nil).Instance())
	}
	marks := []module.Mark{{Kind: "file", ID: "/etc/a"}, {Kind: "file", ID: "/etc/b"}, {Kind: "unit", ID: "a.service"}}
	own(t, h, marks...)
	wantMarks(t, h, marks...)
	wantFound(t, m, Found{Instance: one})
	if begun != 1 {
		t.Errorf("begun %d times", begun)
	}
	text, err := os.ReadFile(owned(m, "file", "%2Fetc%2Fa.json"))
	var got storedMark
	if err = errors.Join(err, json.Unmarshal(text, &got)); err != nil || got.Instance != "ONE" {
		t.Errorf("%v, the mark is of %q", err, got.Instance)
	}
	info, err := os.Stat(owned(m, "instance.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", err, info)
	}
}

func TestNothingIsMarkedForAnInstanceThatCannotBegin(t *testing.T) {
	m := machine(t, &secret.Redactor{})
	m.Belongs(one, func() error { return errors.New("disk full") })
	err := m.Bind("k8s", nil).Own(t.Context(), module.Mark{Kind: "file", ID: "/etc/a"})
	if err == nil || err.Error() != "mark file /etc/a: disk full" {
		t.Errorf("error %v", err)
	}
	wantFound(t, m, Found{})
}

func TestMarksOfAnotherInstanceAreForeign(t *testing.T) {
	begun := 0
	m := ofInstance(t, one, &begun)
	mine, theirs := module.Mark{Kind: "file", ID: "/etc/mine"}, module.Mark{Kind: "file", ID: "/etc/theirs"}
	own(t, m.Bind("k8s", nil), mine)
	for id, unmarked := range map[string]bool{"TWO": false, "THREE": true} {
		m.Belongs(instance.Instance{ID: id, Unmarked: unmarked}, nil)
		own(t, m.Bind("k8s", nil), theirs)
		m.Belongs(one, nil)
		h := m.Bind("k8s", nil)
		wantMarks(t, h, mine)
		name := owned(m, "file", "%2Fetc%2Ftheirs.json")
		want := "the mark of file /etc/theirs: " + name + " is of another instance of k8s; look whose the thing is, and remove both by hand if nothing needs them"
		if err := h.Own(t.Context(), theirs); err == nil || err.Error() != "look for "+want {
			t.Errorf("own: %v, want look for %s", err, want)
		}
		if err := h.Disown(t.Context(), theirs); err == nil || err.Error() != "remove "+want {
			t.Errorf("disown: %v, want remove %s", err, want)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMarksOfNoInstanceAreOld(t *testing.T) {
	begun := 0
	m := machine(t, &secret.Redactor{})
	mark := module.Mark{Kind: "file", ID: "/etc/a"}
	own(t, m.Bind("k8s", nil), mark)
	wantFound(t, m, Found{Old: true})
	adopted := one
	adopted.Unmarked = true
	m.Belongs(adopted, func() error { begun++; return nil })
	if err := m.Adopt(t.Context(), "k8s"); err != nil || begun != 1 {
		t.Errorf("%v, begun %d times", err, begun)
	}
	wantFound(t, m, Found{Instance: adopted})
	wantMarks(t, m.Bind("k8s", nil), mark)
}

func TestWhatNamesNoInstanceIsAnError(t *testing.T) {
	m := machine(t, &secret.Redactor{})
	own(t, m.Bind("k8s", nil), module.Mark{Kind: "file", ID: "/etc/a"})
	for _, text := range []string{"{", "{}"} {
		if err := os.WriteFile(owned(m, "instance.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := m.Found(t.Context(), "k8s")
		if want := "read whose k8s is on localhost: " + owned(m, "instance.json") + " names no instance: "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("of %q: %v, want %s", text, err, want)
		}
	}
}

func TestAFailureOfBeginIsToldOnceWithoutTryingAgain(t *testing.T) {
	tries := 0
	lookup := func(context.Context, string) (Settings, error) {
		tries++
		return Settings{}, fmt.Errorf("try %d failed", tries)
	}
	connections := NewConnectionsWith(lookup, nil, nil)
	t.Cleanup(func() { _ = connections.Close() })
	wants := func(m *Machine, err error, want string) {
		t.Helper()
		if m != nil || err == nil || err.Error() != want {
			t.Errorf("%v, %v, want %s", m, err, want)
		}
	}
	m, err := connections.Begin(t.Context(), "a", nil)
	wants(m, err, "try 1 failed")
	m, err = connections.Get(t.Context(), "a")
	wants(m, err, "try 1 failed")
	m, err = connections.Get(t.Context(), "a")
	wants(m, err, "try 2 failed")
}

func TestWhatHasBegunIsWhatGetReturns(t *testing.T) {
	connections, made := counted(t, map[string]Settings{"a": {}})
	first, err := connections.Begin(t.Context(), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := connections.Get(t.Context(), "a"); err != nil || again != first || made.Load() != 1 {
		t.Errorf("%v, another machine: %v, %d connections", err, again != first, made.Load())
	}
}
