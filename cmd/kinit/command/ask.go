package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/secret"
)

// ReadLine reads an answer from a terminal until ctx ends: without spaces around it, in lower case. The end of the
// input, such as Ctrl-D, is io.EOF.
func ReadLine(ctx context.Context, tty *os.File, input *bufio.Reader) (string, error) {
	_ = tty.SetReadDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	text, err := input.ReadString('\n')
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.Is(err, io.EOF) {
		return "", io.EOF
	}
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.ToLower(strings.TrimSpace(text)), nil
}

// confirmRemovals asks on the terminal of the process about what a run removes and no flag names. Everything but yes
// is no.
func confirmRemovals(screen *view.Text) engine.ConfirmRemovals {
	return func(ctx context.Context, removals []engine.Removal) (bool, error) {
		tty, err := os.Open("/dev/tty")
		if err != nil {
			return false, fmt.Errorf("the terminal cannot be opened to ask about removals: %w", err)
		}
		defer tty.Close()
		return askRemovals(ctx, screen, tty, removals)
	}
}

// prompter asks for one-time codes and passphrases on the terminal of the process, one at a time. They are in no output.
func prompter(screen *view.Text, redactor *secret.Redactor) func(context.Context, string) (secret.Value, error) {
	return func(ctx context.Context, question string) (secret.Value, error) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return "", fmt.Errorf("the terminal cannot be opened to ask: %w", err)
		}
		defer tty.Close()
		answer, err := screen.Ask(nil, question, func() (string, error) {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return readHidden(ctx, tty)
		})
		redactor.Add(answer)
		return secret.Value(answer), err
	}
}

// readHidden reads a line from a terminal without echo, until ctx ends.
func readHidden(ctx context.Context, tty *os.File) (string, error) {
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		return "", err
	}
	text, err := firstOf(func() ([]byte, error) { // after the end of ctx it ends with the program
		text, err := term.ReadPassword(int(tty.Fd()))
		_, _ = io.WriteString(tty, "\n")
		return text, err
	}, ctx.Done(), func() error { return errors.Join(ctx.Err(), term.Restore(int(tty.Fd()), before)) })
	return string(text), err
}

func askRemovals(ctx context.Context, screen *view.Text, tty *os.File, removals []engine.Removal) (bool, error) {
	lines := []string{"This run removes:"}
	for _, r := range removals {
		lines = append(lines, "  "+r.Object()+": "+r.Why)
	}
	answer, err := screen.Ask(lines, "Remove this? [y/N]", func() (string, error) { return ReadLine(ctx, tty, bufio.NewReader(tty)) })
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return answer == "y" || answer == "yes", err
}
