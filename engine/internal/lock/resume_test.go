package lock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"kinit/engine/internal/host"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
	"kinit/test/winsim/winhost"
)

// killedAt makes a shell kill itself before the command with this number. Commands of the functions that only
// look are not counted.
const killedAt = `set -T
trap 'case ${FUNCNAME[0]-} in enter | clock | record | alive | at_work | state | connection | left) ;;
*) n=$((n + 1)); [ "$n" -ne %d ] || kill -KILL $$ ;;
esac' DEBUG
`

// takeKilledAt runs the take of a lock, and reports whether it was killed before the end.
func takeKilledAt(t *testing.T, p place, dead string, step int) bool {
	t.Helper()
	argv := p.command(moduletest.LocalHost(t, ""), operation{name: "take", dead: dead}).Argv
	argv[0], argv[2] = "bash", fmt.Sprintf(killedAt, step)+argv[2]
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err == nil {
		return false
	}
	if exit, ok := err.(*exec.ExitError); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("killed before command %d: %v\n%s", step, err, out)
	}
	return true
}

// atWork is a run with a command whose child does not know its run and ignores SIGTERM.
type atWork struct {
	token, command, child string
}

func newAtWork(t *testing.T, w around) atWork {
	t.Helper()
	dir, unique := t.TempDir(), rand.Text() // processes are searched on the whole machine
	first := machineOf(t, host.Settings{Name: "h1", Local: true}, "FIRST"+unique)
	r := atWork{token: "me@here/1/FIRST" + unique}
	if _, err := w.place(r.token).do(t.Context(), first.Bind("", nil), take()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		line := fmt.Sprintf("echo $$ >%[1]s/command; env -i /usr/bin/setsid -w /bin/sh -c 'echo $$ >%[1]s/child; trap \"\" TERM; while :; do sleep 1; done'; :", dir)
		_, _ = first.Conn().Exec(context.WithoutCancel(t.Context()), transport.Process{Line: line, Fence: w.place(r.token).link()})
	}()
	r.command, r.child = pid(t, dir+"/command"), pid(t, dir+"/child")
	t.Cleanup(func() {
		if runs(r.child) {
			killed(t, r.child)
		}
		_ = first.Conn().Close()
		<-ended
	})
	return r
}

// killWorkers is how many takeovers are killed at the same time. Each mostly waits for processes to end.
const killWorkers = 4

// TestTakeoverKilledAtAnyCommandEndsTheOldRunNextTime kills the script that takes a lock over before each of its
// commands in turn, in a usual test run before some of them. The next take ends all processes of the old run, and
// leaves no file of the first.
func TestTakeoverKilledAtAnyCommandEndsTheOldRunNextTime(t *testing.T) {
	t.Parallel()
	stride := 8
	if os.Getenv("KINIT_EVERY_FAULT") != "" {
		stride = 1
	}
	for worker := range killWorkers {
		t.Run(fmt.Sprint("worker", worker), func(t *testing.T) {
			t.Parallel()
			for step := 1 + worker*stride; takeoverContinues(t, step); step += killWorkers * stride {
			}
		})
	}
}

// takeoverContinues kills a takeover before a command, and checks the next one. It reports whether the command
// was reached and all was well.
func takeoverContinues(t *testing.T, step int) (reached bool) {
	t.Run(fmt.Sprint(step), func(t *testing.T) {
		w := nowhere(t)
		old := newAtWork(t, w)
		reached = takeKilledAt(t, w.place("you@there/2/SECOND"), old.token, step)
		third := machineOf(t, host.Settings{Name: "h1", Local: true}, "THIRD"+rand.Text())
		a, err := w.place("you@there/3/THIRD").do(t.Context(), third.Bind("", nil), operation{name: "take", dead: anybody})
		if err != nil || !a.taken {
			t.Fatalf("got %+v, %v", a, err)
		}
		if runs(old.command) || runs(old.child) {
			t.Errorf("after the takeover the command runs: %v, its child: %v", runs(old.command), runs(old.child))
		}
		left, _ := filepath.Glob(filepath.Join(w.folder, "c1", "*"))
		if names := fmt.Sprint(left); len(left) != 2 || !strings.Contains(names, "/holder") || !strings.Contains(names, "/run.THIRD") {
			t.Errorf("the folder of the lock has %s", names)
		}
	})
	return reached && !t.Failed()
}

// TestTakeoverOnWindowsCutAtAnyLineCanBeRepeated ends the script before each of its lines in turn. The lock always
// has a holder afterwards, and a later take leaves no file of the runs before.
func TestTakeoverOnWindowsCutAtAnyLineCanBeRepeated(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(windowsScript, "\n")
	h := winhost.New(t, winhost.Options{})
	for cut := range lines {
		at := func(token string) place {
			return place{folder: windowsFolder, owner: fmt.Sprint("c", cut), token: token}
		}
		do := func(token string, o operation) answer {
			t.Helper()
			a, err := at(token).do(t.Context(), h, o)
			if err != nil {
				t.Fatalf("cut before line %d, %s by %s: %v", cut+1, o.name, token, err)
			}
			return a
		}
		do("FIRST", take())
		c := at("SECOND").command(h, operation{name: "take", dead: "FIRST"})
		script, ok := strings.CutSuffix(c.PowerShell, windowsScript)
		if !ok {
			t.Fatal("the command does not end with the script")
		}
		c.PowerShell = script + strings.Join(lines[:cut], "") + "exit 7\n" + strings.Join(lines[cut:], "")
		_, err := h.Run(t.Context(), c)
		if exit, ended := errors.AsType[*module.ExitError](err); err != nil && (!ended || exit.Code != 7) {
			t.Fatalf("cut before line %d: %v", cut+1, err)
		}
		holder := do("THIRD", take()).holder
		if holder != "FIRST" && holder != "SECOND" {
			t.Errorf("cut before line %d, the holder is %q", cut+1, holder)
		}
		if a := do("THIRD", operation{name: "take", dead: holder}); !a.taken {
			t.Errorf("cut before line %d: %+v", cut+1, a)
		}
		left, err := h.Files().List(t.Context(), path.Join(windowsFolder, at("").owner))
		names := lists.Map(left, func(f module.FileInfo) string { return f.Name })
		if err != nil || !slices.Equal(names, []string{"holder", "run.THIRD"}) {
			t.Errorf("cut before line %d, the folder of the lock has %q, %v", cut+1, names, err)
		}
	}
}
