package sshconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The limits of one call of ssh -G. A command of Match exec may take its time.
const (
	clientTimeout = 30 * time.Second
	mostOutput    = 1 << 20 // bytes
	patience      = time.Second / 2
)

// client is the program ssh.
type client struct {
	path     string
	environ  []string
	defaults func(ctx context.Context) (options, error) // without any configuration
}

func newClient(path string, environ []string) *client {
	c := &client{path: path, environ: environ}
	kept := make(chan options, 1)
	kept <- nil
	c.defaults = func(ctx context.Context) (options, error) {
		known := <-kept
		defer func() { kept <- known }()
		if known != nil {
			return known, nil
		}
		var err error
		known, err = c.ask(ctx, "localhost", []string{"-F", "none"})
		return known, err
	}
	return c
}

// options asks ssh for the options of a host. Those that equal the defaults of ssh are left out: what the configuration
// does not say stays kinit's to choose.
func (c *client) options(ctx context.Context, host string, given Given) (options, error) {
	all, err := c.ask(ctx, host, given.arguments())
	if err != nil {
		return nil, err
	}
	defaults, err := c.defaults(ctx)
	if err != nil {
		return nil, err
	}
	for name, values := range defaults {
		if name != "hostname" && slices.Equal(all[name], values) {
			delete(all, name)
		}
	}
	if strings.EqualFold(all.first("hostname"), host) {
		delete(all, "hostname")
	}
	for _, name := range []string{"hostname", "userknownhostsfile"} { // their tokens are replaced already
		for i, value := range all[name] {
			all[name][i] = strings.ReplaceAll(value, "%", "%%")
		}
	}
	return all, nil
}

// ask runs ssh -G, which prints all options of a host and does not connect. A private folder is its working folder,
// so that relative names in the configuration lead to no other user's files.
func (c *client) ask(ctx context.Context, host string, arguments []string) (options, error) {
	ctx, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	folder, err := os.MkdirTemp("", "kinit-ssh-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	stdout, stderr := &head{}, &head{}
	cmd := exec.CommandContext(ctx, c.path, append(append([]string{"-G", "-T"}, arguments...), "--", host)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, c.environ, stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = patience
	err = cmd.Run()
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("the SSH configuration of %s: ssh -G took more than %s; a command of Match exec may wait", host, clientTimeout)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		said := strings.TrimSuffix(strings.TrimSpace(stderr.String()), ".")
		return nil, fmt.Errorf("the SSH configuration of %s: %s", host, strings.ReplaceAll(said, "\r", ""))
	case stdout.full:
		return nil, fmt.Errorf("the SSH configuration of %s: ssh -G printed more than %d bytes", host, mostOutput)
	}
	return printed(stdout.String()), nil
}

// printed reads what ssh -G prints: a line for each option, or for each of several files of keys.
func printed(text string) options {
	known, all := keywords(), options{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		k, ok := known[lower(name)]
		switch {
		case !ok || rest == "":
		case k.kind == list:
			all.add(k, strings.Fields(rest))
		default:
			all.add(k, []string{rest})
		}
	}
	return all
}

// arguments are what ssh gets of what is given beside the configuration.
func (g Given) arguments() []string {
	var all []string
	if g.File != "" {
		all = append(all, "-F", g.File)
	}
	for _, option := range g.Options {
		all = append(all, "-o", option)
	}
	if g.User != "" {
		all = append(all, "-l", g.User)
	}
	if g.Port != 0 {
		all = append(all, "-p", strconv.Itoa(g.Port))
	}
	return all
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	full bool
}

// Write keeps what there is room for.
func (h *head) Write(p []byte) (int, error) {
	room := mostOutput - h.Len()
	h.full = h.full || len(p) > room
	h.Buffer.Write(p[:min(len(p), room)])
	return len(p), nil
}
