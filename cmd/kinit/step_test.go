package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"kinit/cmd/kinit/view"
)

// newAsker asks on a pipe, whose other end is returned.
func newAsker(t *testing.T, p *program) (*asker, *os.File) {
	t.Helper()
	input, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = input.Close(), answers.Close() })
	screen := view.NewText(view.Options{Out: p.App.Out, Err: p.App.Err, Quiet: true, Now: p.Now})
	return &asker{screen: screen, tty: input, input: bufio.NewReader(input), quit: func() {}}, answers
}

func TestAnInterruptEndsAQuestionAndTheOnesThatWait(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	a, _ := newAsker(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := a.confirm(ctx, "task.file.a", "web1", []string{"write it"})
			ended <- err
		}()
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	for range 2 {
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the question goes on")
		}
	}
}

func TestQuestionsShowStepsWithDiffsAndAreAskedAgain(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	a, answers := newAsker(t, p)
	if _, err := answers.WriteString("perhaps\n N \n"); err != nil {
		t.Fatal(err)
	}
	yes, err := a.confirm(t.Context(), "task.file.a", "web1", []string{"change /etc/motd\n-a\n+b"})
	if yes || err != nil {
		t.Errorf("got %v, %v", yes, err)
	}
	once := "task.file.a on web1\n  change /etc/motd\n  -a\n  +b\nDo it? [y]es, [n]o, [a]ll, [q]uit: "
	if got := p.err.String(); got != once+once {
		t.Errorf("got %q", got)
	}
}

func TestWhatCannotBeToldIsAskedForToo(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	a, answers := newAsker(t, p)
	if _, err := answers.WriteString("all\n"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time without a question
		if yes, err := a.confirm(t.Context(), "task.wait.a", "web1", nil); !yes || err != nil {
			t.Errorf("got %v, %v", yes, err)
		}
	}
	want := "task.wait.a on web1\n  what it changes is known when it is tried\nDo it? [y]es, [n]o, [a]ll, [q]uit: "
	if got := p.err.String(); got != want {
		t.Errorf("got %q", got)
	}
}
