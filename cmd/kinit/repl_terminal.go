package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// onTerminal reads lines from an editor with a history and completion by Tab.
func (s *evaluator) onTerminal(in *os.File) error {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return fmt.Errorf("prepare the terminal: %w", err)
	}
	defer term.Restore(fd, before)
	editor := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, s.out.Writer}, "> ")
	if columns, rows := s.out.Size(); columns > 0 {
		_ = editor.SetSize(columns, rows)
	}
	editor.AutoCompleteCallback = s.completer(editor)
	s.out.Writer, s.err.Writer = editor, editor
	s.print("Expressions, or :help. Ctrl-D leaves.")
	for {
		line, err := editor.ReadLine()
		if err == io.EOF {
			s.print("") // the prompt stands on the last line
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a line: %w", err)
		}
		if !s.line(line) {
			return nil
		}
	}
}

// mostShown is the most names that Tab shows.
const mostShown = 60

// completer completes the word before the cursor on Tab, as far as it is unambiguous, and
// shows the names if it is not.
func (s *evaluator) completer(out io.Writer) func(string, int, rune) (string, int, bool) {
	return func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		word := lastWord(line[:pos])
		names := s.scope.Names(word)
		longest := common(names)
		if len(names) > 1 && longest == word {
			shown := names[:min(len(names), mostShown)]
			_, _ = io.WriteString(out, strings.Join(shown, "  ")+"\n")
		}
		if len(longest) <= len(word) {
			return line, pos, true
		}
		before := line[:pos-len(word)] + longest
		return before + line[pos:], len(before), true
	}
}

func lastWord(text string) string {
	start := strings.LastIndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	})
	return text[start+1:]
}

// common returns the common prefix of all names.
func common(names []string) string {
	if len(names) == 0 {
		return ""
	}
	prefix := names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
