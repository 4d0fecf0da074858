package lock

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/test/grammar"
	"kinit/test/winsim/winhost"
)

func TestScriptOfTheLockIsOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	at := place{folder: windowsFolder, owner: folderName("it's c1"), token: "it's me/FIRST"}
	grammar.Check(t, grammar.Script{Name: "take", Text: at.windowsCommand(operation{name: "take", dead: anybody}).PowerShell})
}

func TestALockOnWindows(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	at := func(token string) place {
		return place{folder: windowsFolder, owner: folderName("it's c1"), token: token}
	}
	do := func(token string, o operation) answer {
		t.Helper()
		a, err := at(token).do(t.Context(), h, o)
		if err != nil {
			t.Fatalf("%s by %s: %v", o.name, token, err)
		}
		return a
	}
	there := func(name string) bool {
		_, err := h.Files().Stat(t.Context(), name)
		return err == nil
	}
	if a := do("me/FIRST", take()); a != (answer{taken: true, folder: windowsFolder}) || !there(at("me/FIRST").link()) {
		t.Errorf("a free lock: %+v", a)
	}
	if a := do("me/FIRST", renew()); !a.renewed {
		t.Errorf("one's own lock: %+v", a)
	}
	if a := do("SECOND", take()); a.taken || a.holder != "me/FIRST" {
		t.Errorf("somebody else's lock: %+v", a)
	}
	if a := do("SECOND", operation{name: "take", dead: "me/FIRST"}); a != (answer{taken: true, folder: windowsFolder, was: "me/FIRST"}) {
		t.Errorf("the lock of a run that has died: %+v", a)
	}
	if there(at("me/FIRST").link()) || !there(at("SECOND").link()) {
		t.Error("the file is not that of the run that has taken over")
	}
	if a := do("me/FIRST", renew()); a != (answer{holder: "SECOND"}) {
		t.Errorf("a lock that was taken over: %+v", a)
	}
	if err := h.Files().Write(t.Context(), "C:/ProgramData/kinit/locks/it%27s%20c1/holder", strings.NewReader("SECOND 1 2 0\n"), module.Attr{}); err != nil {
		t.Fatal(err)
	}
	if a := do("THIRD", take()); a != (answer{taken: true, folder: windowsFolder, was: "SECOND"}) {
		t.Errorf("a dead lock: %+v", a)
	}
	do("SECOND", operation{name: "release"})
	if !there(at("THIRD").link()) {
		t.Error("somebody else's release removed the lock")
	}
	for range 2 {
		do("THIRD", operation{name: "release"})
	}
	if there("C:/ProgramData/kinit") {
		t.Error("empty folders are left")
	}
}
