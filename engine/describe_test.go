package engine

import (
	"strings"
	"testing"

	"kinit/engine/event"
)

func TestSecretsInBlocksAreMaskedAndLinesKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	redact := strings.NewReplacer("hunter22", "***", "one\ntwo", "***").Replace
	blocks := []event.Block{
		{Text: "task \"a\" \"b\" {\n  x = \"hunter22\"\n}"},
		{Text: "task \"a\" \"b\" {\n  x = <<E\none\ntwo\nE\n}"},
	}
	redactBlocks(blocks, redact)
	if got, want := blocks[0].Text, "task \"a\" \"b\" {\n  x = \"***\"\n}"; got != want {
		t.Errorf("a secret of one line: got %q, want %q", got, want)
	}
	if got, want := blocks[1].Text, "task \"a\" \"b\" {\n  ***\n\n\n\n"; got != want {
		t.Errorf("a secret of several lines: got %q, want %q", got, want)
	}
}
