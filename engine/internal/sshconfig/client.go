package sshconfig

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"kinit/engine/internal/subprocess"
)

// The limits of one call of ssh -G. A command of Match exec may take its time.
const (
	clientTimeout = 30 * time.Second
	mostOutput    = 1 << 20 // bytes
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

// ask runs ssh -G, which prints all options of a host and does not connect.
func (c *client) ask(ctx context.Context, host string, arguments []string) (options, error) {
	timed, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	argv := append(append([]string{c.path, "-G", "-T"}, arguments...), "--", host)
	text, said, err := subprocess.Program{Argv: argv, Environ: c.environ, Most: mostOutput}.Output(timed)
	_, refused := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return printed(string(text)), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		err = fmt.Errorf("ssh -G took more than %s; a command of Match exec may wait", clientTimeout)
	case refused && said != "":
		err = errors.New(strings.ReplaceAll(said, "\r", ""))
	}
	return nil, fmt.Errorf("the SSH configuration of %s: %w", host, err)
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

// arguments returns the arguments of ssh for what counts more than the configuration.
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
