// Package ansiblecore has the ansible-core of the machine kinit runs on build payloads:
// programs for Python that hold one of Ansible's modules with its arguments.
package ansiblecore

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"kinit/engine/module"
)

// Request asks for the payloads of a module.
type Request struct {
	Module string                     `json:"module"` // such as ansible.builtin.file
	Args   map[string]json.RawMessage `json:"args"`
	Python string                     `json:"python"` // the interpreter on the host
}

// Payloads are a module's programs, in base64.
type Payloads struct {
	Name   string `json:"name"`   // the module's full name
	Action bool   `json:"action"` // ansible-core calls code of the controller before the module
	Python bool   `json:"python"` // the payload is a program that Python reads from standard input
	Check  string `json:"check"`  // for check mode
	Real   string `json:"real"`

	found []string // files and folders on Ansible's search paths that the payload is made of
}

// The errors of Build.
var (
	// ErrMissing is the error if no ansible-core is installed.
	ErrMissing = errors.New("ansible-core is missing on the machine kinit runs on: install it there, " +
		"as by \"apt install ansible-core\" or \"pipx install ansible-core\"")
	// ErrUnknown is the error if ansible-core finds no module of the name.
	ErrUnknown = errors.New("ansible-core on the machine kinit runs on has no such module")
)

// Builder builds payloads, and keeps the last ones: hosts on which a task has the same
// arguments share one.
type Builder struct {
	programs string        // the folders to search for ansible-core, as in PATH; empty means PATH
	turns    chan struct{} // as many as builds may run at the same time
	kept     kept
}

// New returns a builder.
func New() *Builder {
	return &Builder{turns: make(chan struct{}, runtime.NumCPU())}
}

// In returns a builder that searches for ansible-core in folders instead of those of PATH.
func In(programs string) *Builder {
	b := New()
	b.programs = programs
	return b
}

//go:embed build.py
var script string

// patience is how long the streams of the killed program may take to close.
const patience = 2 * time.Second

// Build returns the payloads of a module.
func (b *Builder) Build(ctx context.Context, r Request) (*Payloads, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(request)
	if p := b.kept.get(key); p != nil {
		return p, ctx.Err()
	}
	select {
	case b.turns <- struct{}{}:
		defer func() { <-b.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p := b.kept.get(key); p != nil { // another task has built it meanwhile
		return p, ctx.Err()
	}
	p, err := b.build(ctx, request)
	if err != nil {
		return nil, err
	}
	b.kept.put(key, p)
	return p, nil
}

func (b *Builder) build(ctx context.Context, request []byte) (*Payloads, error) {
	python, err := b.interpreter()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "kinit-ansible-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for ansible-core: %w", err)
	}
	defer os.RemoveAll(scratch)
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the configuration of Ansible: %w", err)
	}
	environ, err := environment(os.Environ(), cwd, os.Getenv("HOME"))
	if err != nil {
		return nil, err
	}
	var answer, problems bytes.Buffer
	// Isolated, and in a folder of its own: Python would import modules from the working directory, where another
	// user may have put them.
	cmd := exec.CommandContext(ctx, python, "-I", "-c", script)
	cmd.Dir = scratch
	cmd.Env = append(environ, "ANSIBLE_LOCAL_TEMP="+scratch, "ANSIBLE_DEPRECATION_WARNINGS=False", "ANSIBLE_NOCOLOR=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), &answer, &problems
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = patience
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("ansible-core on the machine kinit runs on ended with %w: %s", err, module.Tail(problems.String(), 3))
	}
	payloads, err := parse(answer.Bytes())
	if err != nil {
		return nil, err
	}
	return payloads, trusted(environ, payloads.found)
}

func parse(answer []byte) (*Payloads, error) {
	var said struct {
		Payloads
		Found   []string `json:"found"`
		Problem string   `json:"problem"`
		Text    string   `json:"text"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, fmt.Errorf("ansible-core on the machine kinit runs on answered no JSON: %w", err)
	}
	switch said.Problem {
	case "":
		said.Payloads.found = said.Found
		return &said.Payloads, nil
	case "missing":
		return nil, fmt.Errorf("%w (%s)", ErrMissing, said.Text)
	case "unknown":
		return nil, ErrUnknown
	}
	return nil, fmt.Errorf("ansible-core on the machine kinit runs on cannot build it: %s", strings.TrimSpace(said.Text))
}
