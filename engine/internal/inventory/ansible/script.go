package ansible

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
	"kinit/engine/internal/subprocess"
)

// Program is an inventory script.
type Program struct {
	Name    string        // as the user wrote it, for messages
	Path    string        // absolute
	Environ []string      // KEY=value pairs
	Timeout time.Duration // for all of its runs together
	// Decrypt decrypts what Ansible Vault has encrypted.
	Decrypt func(text string) (string, error)
}

// The limits of a script, for all of its runs together.
const (
	mostOutput = 16 << 20 // bytes
	mostValues = 250_000
	mostDepth  = 32
	mostLines  = 3 // of its standard error that are shown
)

// Read runs a script once with --list, and once a host with --host when its list
// has no _meta with the variables of hosts. It returns what the script says and the
// texts that the places in it are in.
func (p Program) Read(ctx context.Context) (*source.Document, []*source.Text) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	left := &room{bytes: mostOutput, values: mostValues}
	text, problems := p.output(ctx, left, "--list")
	if problems != nil {
		return &source.Document{Collector: diag.Collector{Diags: problems}}, nil
	}
	texts := []*source.Text{text}
	doc := Listing(text)
	if doc.Diags.HasErrors() || hasMeta(text) {
		return doc, texts
	}
	for _, h := range doc.Hosts {
		text, problems := p.output(ctx, left, "--host", h.Name)
		if problems != nil {
			doc.Tell(problems)
			return doc, texts
		}
		texts = append(texts, text)
		readHost(text, h, doc)
	}
	return doc, texts
}

func hasMeta(text *source.Text) bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(text.Bytes, &top) != nil {
		return false
	}
	var data struct{ Hostvars json.RawMessage }
	return json.Unmarshal(top[meta], &data) == nil && data.Hostvars != nil
}

// output runs the script and returns what it printed, with one value a line, so
// that places in it can be shown.
func (p Program) output(ctx context.Context, left *room, args ...string) (*source.Text, diag.List) {
	stdout, err := p.run(ctx, args, left.bytes)
	command := strings.Join(append([]string{p.Name}, args...), " ")
	if err != nil {
		return nil, diag.List{{Summary: "Inventory script failed", Detail: fmt.Sprintf("%s: %v.", command, err), Cause: err}}
	}
	values, err := bounds.JSON(stdout, left.values, mostDepth)
	left.bytes, left.values = left.bytes-len(stdout), left.values-values
	if err != nil {
		return nil, diag.List{{Summary: "Inventory script failed", Detail: fmt.Sprintf("What %s printed cannot be read: %v.", command, err), Cause: err}}
	}
	var indented bytes.Buffer
	if json.Indent(&indented, stdout, "", "  ") == nil {
		stdout = indented.Bytes()
	}
	text := source.NewText(command, stdout)
	text.Decrypt = p.Decrypt
	return text, nil
}

// room is what a script may still print.
type room struct{ bytes, values int }

// run runs the script, and describes what went wrong.
func (p Program) run(ctx context.Context, args []string, most int) ([]byte, error) {
	script := subprocess.Program{Argv: append([]string{p.Path}, args...), Environ: append([]string{}, p.Environ...), Most: most}
	stdout, said, err := script.Output(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("it took more than %s and was ended", p.Timeout)
	case errors.Is(err, exec.ErrWaitDelay):
		err = errors.New("it ended, and processes that it started still hold its output: let them close it, as by >/dev/null 2>&1")
	case err == nil:
		return stdout, nil
	}
	if said != "" {
		lines := strings.Split(said, "\n") // the reason is usually at the end
		return nil, fmt.Errorf("%w: it said: %s", err, strings.Join(lines[max(0, len(lines)-mostLines):], "\n"))
	}
	return nil, err
}

// readHost reads what a script printed for one host.
func readHost(text *source.Text, h *source.Host, doc *source.Document) {
	if len(bytes.TrimSpace(text.Bytes)) == 0 {
		return
	}
	root, problems := tree.JSON(text)
	if own := object(root, problems, &doc.Collector); own != nil {
		vars(own, h.Vars)
	}
}
