package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
	"kinit/modules"
	"kinit/test/sequences"
)

// inProcess runs a command of kinit in this process, or in one of its own that is killed.
func inProcess(call sequences.Call) sequences.Result {
	environ := []string{"HOME=" + call.Home, "PATH=" + os.Getenv("PATH")}
	if call.Kill > 0 {
		return killed(call, environ)
	}
	var result sequences.Result
	var out, errs bytes.Buffer
	a := &app.App{
		Version: "test", Args: append([]string{"kinit"}, call.Args...), Cwd: call.Dir, Environ: environ, In: strings.NewReader(""),
		Out: view.Screen{Writer: &out}, Err: view.Screen{Writer: &errs},
		Kinds: modules.All, Now: func() time.Time { return time.Now().Add(call.Clock) },
		Sleep:   func(ctx context.Context, _ time.Time) error { return ctx.Err() },
		Signals: func() (<-chan os.Signal, func()) { return nil, func() {} },
		Leave:   func(int) {},
	}
	counter := &counted{call: call.OnEvent}
	watched := func(do app.Action) app.Action {
		return func(ctx context.Context, o engine.Options) *engine.Report {
			counter.next = o.Events
			o.Events = counter
			report := do(ctx, o)
			result.Tasks += len(report.Results)
			return report
		}
	}
	a.Engine = app.Engine{Run: watched(engine.Run), Plan: engine.Plan, Validate: engine.Validate}
	result.Code = run(a)
	result.Out, result.Err = out.String(), errs.String()
	return result
}

// counted counts the events of a run.
type counted struct {
	next event.Sink
	call func(n int)
	mu   sync.Mutex
	n    int
}

func (c *counted) Emit(e event.Event) {
	c.mu.Lock()
	c.n++
	n := c.n
	c.mu.Unlock()
	if c.call != nil {
		c.call(n)
	}
	if c.next != nil {
		c.next.Emit(e)
	}
}

// killed runs a command in a process of its own, and kills it when it has printed so many events.
func killed(call sequences.Call, environ []string) sequences.Result {
	cmd := exec.Command("kinit", append(call.Args, "--output", "json")...)
	cmd.Dir, cmd.Env = call.Dir, environ
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		panic("start a process of kinit: " + err.Error())
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		if n++; n == call.Kill {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	return sequences.Result{Code: cmd.ProcessState.ExitCode(), Tasks: n, Err: errs.String()}
}

// Settings of the sequences in the environment. Without any, a sample with a new seed runs for some seconds.
const (
	sequencesFrom  = "KINIT_SEQUENCES"       // FROM+N: N seeds from FROM on
	sequencesTime  = "KINIT_SEQUENCES_TIME"  // for how long
	sequencesKinds = "KINIT_SEQUENCES_KINDS" // the kinds of commands, separated by spaces
)

// sequenceKinds are the kinds of commands that sequences have if nothing else is said.
var sequenceKinds = []string{
	"run", "count", "hosts", "vars", "sibling", "driver", "cidr", "renamed", "place", "rebalance", "only", "limit", "stop", "start", "cleanup", "purge", "recreate", "replace",
	"evacuate", "lost", "down", "up", "edit", "ci", "aliases", "other", "plan", "status", "kill", "cut", "full", "clock", "two", "backup", "restore",
}

// hostsOfSequence is how many hosts a sequence has.
const hostsOfSequence = 3

// progressOfSequences is after how many sequences the test says how far it is.
const progressOfSequences = 100

// mostFindings ends a test that finds fault after fault.
const mostFindings = 20

// Random sequences of commands keep foreign objects and data, and reach what is declared: see docs/faults.md.
func TestSequencesOfCommandsHarmNothing(t *testing.T) {
	t.Parallel()
	from, count, limit, workers := uint64(time.Now().UnixNano()%1_000_000_000), uint64(1)<<32, 20*time.Second, 2
	if text := os.Getenv(sequencesFrom); text != "" {
		if _, err := fmt.Sscanf(text, "%d+%d", &from, &count); err != nil {
			t.Fatalf("%s is FROM+N, as in 1+20000: %v", sequencesFrom, err)
		}
		limit, workers = 24*time.Hour, 4
	}
	if text := os.Getenv(sequencesTime); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	kinds := sequenceKinds
	if text := os.Getenv(sequencesKinds); text != "" {
		kinds = strings.Fields(text)
	}
	t.Logf("the first seed is %d", from)
	begin, dir := time.Now(), t.TempDir()
	var next, findings atomic.Uint64
	var known sync.Map
	next.Store(from)
	var all sync.WaitGroup
	for worker := range workers {
		rack := sequences.NewRack(t, 1+worker*hostsOfSequence, hostsOfSequence)
		bench := sequences.Bench{Rack: rack, Dir: filepath.Join(dir, strconv.Itoa(worker)), Program: inProcess}
		all.Go(func() {
			for time.Since(begin) < limit && findings.Load() < mostFindings {
				seed := next.Add(1) - 1
				if seed >= from+count {
					return
				}
				if done := seed - from; done > 0 && done%progressOfSequences == 0 {
					t.Logf("%d sequences in %v", done, time.Since(begin).Round(time.Second))
				}
				finding, err := bench.Try(sequences.New(seed, bench.Names(), kinds...))
				if err != nil {
					t.Errorf("seed %d: the test itself failed: %v", seed, err)
					return
				}
				if finding == nil {
					continue
				}
				findings.Add(1)
				if _, again := known.LoadOrStore(finding.Key, true); again {
					t.Errorf("seed %d: %s again", seed, finding.Rule)
				} else {
					t.Errorf("seed %d: %s", seed, finding.Text)
				}
			}
		})
	}
	all.Wait()
	upTo := min(next.Load(), from+count)
	t.Logf("%d sequences, from seed %d, with %d findings, in %v; go on with FROM=%d", upTo-from, from, findings.Load(), time.Since(begin).Round(time.Second), upTo)
}
