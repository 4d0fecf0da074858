package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
)

// errQuit is the reason of tasks that did not run because the user quit.
var errQuit = errors.New("no more tasks were wanted")

// asker asks before each task, one question at a time.
type asker struct {
	screen *view.Text
	tty    *os.File
	input  *bufio.Reader
	quit   context.CancelFunc // ends the run

	mu   sync.Mutex
	all  bool // run all further tasks
	done bool // run no further task
}

// stepwise makes an action ask before each task, on the terminal of the process.
func stepwise(do app.Action, screen *view.Text) app.Action {
	return func(ctx context.Context, o engine.Options) *engine.Report {
		tty, err := os.Open("/dev/tty")
		if err != nil {
			return &engine.Report{Diagnostics: diag.List{{Summary: "No terminal", Detail: "--step could not open the terminal: " + err.Error() + "."}}}
		}
		defer tty.Close()
		ctx, quit := context.WithCancel(ctx)
		defer quit()
		a := &asker{screen: screen, tty: tty, input: bufio.NewReader(tty), quit: quit}
		o.Confirm = a.confirm
		return do(ctx, o)
	}
}

func (a *asker) confirm(ctx context.Context, task, host string, steps []string) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for !a.all && !a.done {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		answer, err := a.screen.Ask(question(task, host, steps), "Do it? [y]es, [n]o, [a]ll, [q]uit:", func() (string, error) { return a.line(ctx) })
		if err != nil {
			return false, err
		}
		switch answer {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		case "a", "all":
			a.all = true
		case "q", "quit":
			a.done = true
			a.quit()
		}
	}
	if a.done {
		return false, errQuit
	}
	return true, nil
}

func question(task, host string, steps []string) []string {
	lines := []string{task + " on " + host}
	if steps == nil {
		return append(lines, "  what it changes is known when it is tried")
	}
	for _, step := range steps {
		for line := range strings.SplitSeq(strings.TrimRight(step, "\n"), "\n") {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// line reads an answer until ctx ends.
func (a *asker) line(ctx context.Context) (string, error) {
	answer, err := command.ReadLine(ctx, a.tty, a.input)
	if errors.Is(err, io.EOF) { // Ctrl-D
		return "quit", nil
	}
	return answer, err
}
