package git

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/shell"
)

func (t *Task) run(ctx context.Context, h module.Host, args ...string) (string, error) {
	return t.git(ctx, h, append([]string{"-C", t.Dest}, args...)...)
}

// git runs git and returns what it prints, without the line end.
func (t *Task) git(ctx context.Context, h module.Host, args ...string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: t.user.Git(args...), Env: t.env()})
	if exit := (*module.ExitError)(nil); errors.As(err, &exit) {
		if exit.Code == 127 {
			return "", fmt.Errorf("git is not installed: install it with a package task before: %w", err)
		}
		exit.Command = h.Redact(shell.POSIX(append([]string{"git"}, args...)...))
	}
	return strings.TrimRight(out.Stdout, "\n"), err
}

// env disables git's questions, and passes the login so that only its own user
// can see it.
func (t *Task) env() map[string]string {
	env := map[string]string{"GIT_TERMINAL_PROMPT": "0"}
	command := []string{"ssh", "-o", "BatchMode=yes"}
	if t.IdentityFile != "" {
		command = append(command, "-i", t.IdentityFile, "-o", "IdentitiesOnly=yes")
	}
	env["GIT_SSH_COMMAND"] = shell.POSIX(command...)
	if header := t.header(); header != "" {
		env["GIT_CONFIG_COUNT"] = "1"
		env["GIT_CONFIG_KEY_0"] = "http." + t.site() + ".extraHeader"
		env["GIT_CONFIG_VALUE_0"] = header
	}
	return env
}

// site returns the repository's server; the login is for no other server, such as that
// of a submodule.
func (t *Task) site() string {
	u, err := url.Parse(t.Repository)
	if err != nil {
		return t.Repository
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}

// header returns the login in the format of HTTP (RFC 7617).
func (t *Task) header() string {
	if t.Username == "" {
		return ""
	}
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(t.Username+":"+t.Password.Reveal()))
}

// tellSecrets registers the password in both its forms.
func (t *Task) tellSecrets(h module.Host) {
	if t.Password == "" {
		return
	}
	h.AddSecret(t.Password, secret.Value(strings.TrimPrefix(t.header(), "Authorization: Basic ")))
}
