package ansible

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ansiblecore"
	"kinit/modules/internal/content"
)

//go:embed host.py
var runner string

// call calls the module on the host, in check mode or for real.
func (t *Task) call(ctx context.Context, h module.Host, s sent, check bool) (*result, error) {
	for _, value := range t.SecretArgs {
		h.AddSecret(value)
	}
	built, err := t.core.Build(ctx, ansiblecore.Request{Module: s.module, Args: s.args, Python: t.Python})
	switch {
	case errors.Is(err, ansiblecore.ErrUnknown):
		return nil, fmt.Errorf("module: %w as %s: %s", err, t.Module, howToGet(t.Module))
	case err != nil:
		return nil, err
	}
	if err := t.ofController(built); err != nil {
		return nil, err
	}
	payload := built.Real
	if check {
		payload = built.Check
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{t.Python, "-"}, AsLogin: true, Stdin: strings.NewReader(program(payload, s.content))})
	found, err := t.read(h, out, err)
	if found != nil {
		t.conceal(ctx, h, s, found)
	}
	return found, err
}

// howToGet says how to get a module that ansible-core does not have.
func howToGet(name string) string {
	parts := strings.Split(name, ".")
	if len(parts) < 3 || builtin(name) != "" {
		return "\"ansible-doc --list\" shows all; one of a collection needs its full name, such as \"community.general.ufw\""
	}
	return fmt.Sprintf("\"ansible-galaxy collection install %s.%s\" gets its collection, and \"ansible-doc --list %s.%s\" shows the modules of it",
		parts[0], parts[1], parts[0], parts[1])
}

// program returns what the host's Python reads.
func program(payload string, content []byte) string {
	given := "None"
	if content != nil {
		given = `"` + base64.StdEncoding.EncodeToString(content) + `"`
	}
	return fmt.Sprintf("PAYLOAD = \"%s\"\nCONTENT = %s\n%s", payload, given, runner)
}

// codeMissing is the shell's exit code if there is no such program.
const codeMissing = 127

func (t *Task) read(h module.Host, out module.Output, err error) (*result, error) {
	exit, ended := errors.AsType[*module.ExitError](err)
	if err != nil && !ended {
		return nil, err
	}
	if ended && exit.Code == codeMissing && strings.TrimSpace(out.Stdout) == "" {
		return nil, fmt.Errorf("python: the host has no %s, which Ansible's modules need: install Python there, as by a task with kinit's package and name python3, or name another path", t.Python)
	}
	found, wrong := parse(out.Stdout)
	if wrong != nil {
		return nil, fmt.Errorf("%s: %w; it said:\n%s", t.Module, wrong, h.Redact(module.Tail(strings.TrimSpace(out.Stderr+"\n"+out.Stdout), 8)))
	}
	found.failed = found.failed || ended
	if found.failed && !t.judged {
		return found, found.err(t.Module)
	}
	return found, nil
}

// copyDiff returns the diff of a copy, whose module makes none.
func (t *Task) copyDiff(ctx context.Context, h module.Host, s sent) string {
	dest := ""
	if s.content == nil || t.hasLines() || privateMode(s.args["mode"]) || json.Unmarshal(s.args["dest"], &dest) != nil || !strings.HasPrefix(dest, "/") {
		return ""
	}
	info, err := h.Files().Stat(ctx, dest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return content.Diff(dest, nil, s.content)
	case err != nil:
		return ""
	case !info.Mode.IsRegular() || info.Mode.Perm()&0o044 == 0: // others than its owner must not read it
		return ""
	}
	before, err := module.ReadFile(ctx, h.Files(), dest)
	if err != nil {
		return ""
	}
	return content.Diff(dest, before, s.content)
}
