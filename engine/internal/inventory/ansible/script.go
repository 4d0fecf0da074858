package ansible

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
)

// Program is an inventory script.
type Program struct {
	Name    string        // as the user wrote it, for messages
	Path    string        // absolute
	Environ []string      // KEY=value pairs
	Timeout time.Duration // for all of its runs together
}

// The limits of a script.
const (
	mostOutput = 64 << 20        // bytes
	mostErrors = 4 << 10         // bytes of its standard error that are kept
	mostLines  = 3               // of these that are shown
	patience   = time.Second / 2 // for its streams to close after it ended: a process that left its group may hold them
)

// Read runs a script once with --list, and once a host with --host when its list
// has no _meta with the variables of hosts. It returns what the script says and the
// texts that the places in it are in.
func (p Program) Read(ctx context.Context) (*source.Document, []*source.Text) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	text, problems := p.output(ctx, "--list")
	if problems != nil {
		return &source.Document{Collector: diag.Collector{Diags: problems}}, nil
	}
	texts := []*source.Text{text}
	doc := Listing(text)
	if doc.Diags.HasErrors() || hasMeta(text) {
		return doc, texts
	}
	for _, h := range doc.Hosts {
		text, problems := p.output(ctx, "--host", h.Name)
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
func (p Program) output(ctx context.Context, args ...string) (*source.Text, diag.List) {
	stdout, err := p.run(ctx, args)
	command := strings.Join(append([]string{p.Name}, args...), " ")
	if err != nil {
		return nil, diag.List{{Summary: "Inventory script failed", Detail: fmt.Sprintf("%s: %v.", command, err), Cause: err}}
	}
	var indented bytes.Buffer
	if json.Indent(&indented, stdout, "", "  ") == nil {
		stdout = indented.Bytes()
	}
	return source.NewText(command, stdout), nil
}

// run runs the script in a process group of its own, which ends with the context.
func (p Program) run(ctx context.Context, args []string) ([]byte, error) {
	stdout, stderr := &head{}, &tail{}
	folder, err := os.MkdirTemp("", "kinit-inventory-") // relative names in it lead to no other user's files
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Dir, cmd.Env = folder, append([]string{}, p.Environ...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = patience
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		if err = ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it took more than %s and was ended", p.Timeout)
		}
	case stdout.full: // that it failed to write is only the consequence
		err = fmt.Errorf("it printed more than %d bytes", mostOutput)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = errors.New("it ended, and processes that it started still hold its output: let them close it, as by >/dev/null 2>&1")
	}
	if err == nil {
		return stdout.bytes, nil
	}
	if said := stderr.lastLines(); said != "" {
		return nil, fmt.Errorf("%w: it said: %s", err, said)
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

// head keeps what is written to it, and fails when it is too much.
type head struct {
	bytes []byte
	full  bool // it was too much
}

// Write keeps p when there is room for it.
func (h *head) Write(p []byte) (int, error) {
	if h.full = len(h.bytes)+len(p) > mostOutput; h.full {
		return 0, io.ErrShortWrite
	}
	h.bytes = append(h.bytes, p...)
	return len(p), nil
}

// tail keeps the end of what is written to it.
type tail struct{ bytes []byte }

// Write keeps the end of all there was.
func (t *tail) Write(p []byte) (int, error) {
	t.bytes = append(t.bytes, p...)
	t.bytes = t.bytes[max(0, len(t.bytes)-mostErrors):]
	return len(p), nil
}

// lastLines is the end of what a script said, where its reason usually is.
func (t *tail) lastLines() string {
	lines := strings.Split(strings.TrimSpace(string(t.bytes)), "\n")
	return strings.TrimSuffix(strings.Join(lines[max(0, len(lines)-mostLines):], "\n"), ".")
}
