// Package sshkey is the module ssh_key: a key pair in OpenSSH's form on the host.
//
// It authorizes nobody; where the public key goes is another task's matter.
package sshkey

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/hostfile"
)

// Task is an SSH key pair. A private key that is there is kept.
//
// Outputs:
//   - path: path of the private key
//   - public_key: the public key, one line with the comment
//   - private_key: the private key in OpenSSH's PEM form; secret
//   - fingerprint: hash of the public key, such as "SHA256:…"
//
// Errors:
//   - path has something else than a private key without passphrase: move it away, or
//     use another path
type Task struct {
	// Path is where the private key is on the host; the public key is beside it, with ".pub".
	Path string `hcl:"path"`
	// Type is the type of a new key: "ed25519", the default and the only one.
	Type string `hcl:"type,optional"`
	// Comment is what the public key says of itself. Default none.
	Comment string `hcl:"comment,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional"`
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "ssh_key", New: func() module.Task {
		return &Task{Type: "ed25519", State: "present"}
	}}
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	switch {
	case !path.IsAbs(t.Path):
		return fmt.Errorf("path is %q, expected an absolute path", t.Path)
	case t.Type != "ed25519":
		return fmt.Errorf("type is %q, expected \"ed25519\"", t.Type)
	case strings.ContainsAny(t.Comment, "\r\n"):
		return errors.New("comment has a line break, expected one line")
	case t.State != "present" && t.State != "absent":
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
	}
	return nil
}

// state is what is on the host.
type state struct {
	hasPrivate, hasPublic bool
	private, public       string
	signer                ssh.Signer // nil when the private key cannot be read
}

func (t *Task) publicPath() string { return t.Path + ".pub" }

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.private, s.hasPrivate, err = hostfile.Read(ctx, h, t.Path); err != nil {
		return s, err
	}
	if s.public, s.hasPublic, err = hostfile.Read(ctx, h, t.publicPath()); err != nil {
		return s, err
	}
	if s.hasPrivate {
		s.signer, err = ssh.ParsePrivateKey([]byte(s.private))
	}
	if err != nil {
		return s, fmt.Errorf("%s is no private key that kinit can read (%w): move it away, or use another path", t.Path, err)
	}
	return s, nil
}

// publicLine is the public key with the comment, as authorized_keys has it.
func (t *Task) publicLine(signer ssh.Signer) string {
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
	return strings.TrimSpace(line+" "+t.Comment) + "\n"
}

// Plan compares what is on the host with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.absent(ctx, h, s)
	}
	if s.hasPrivate && s.hasPublic && s.public == t.publicLine(s.signer) {
		return nil, nil
	}
	text := "make ssh key " + t.Path
	if s.hasPrivate {
		text = "write public key " + t.publicPath()
	}
	if s.hasPublic {
		if err := t.mayReplace(ctx, h, t.publicPath()); err != nil {
			return nil, err
		}
	}
	return []module.Step{module.NewStep(text, t.make)}, nil
}

// make keeps a private key that is there, so that it may be repeated.
func (t *Task) make(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if !s.hasPrivate {
		if s.signer, err = t.writePrivate(ctx, h); err != nil {
			return err
		}
	}
	return hostfile.Put(ctx, h, t.publicPath(), t.publicLine(s.signer), module.Attr{Mode: 0o644})
}

func (t *Task) writePrivate(ctx context.Context, h module.Host) (ssh.Signer, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(key, t.Comment)
	if err != nil {
		return nil, fmt.Errorf("encode the key: %w", err)
	}
	text := string(pem.EncodeToMemory(block))
	h.AddSecret(secret.Value(text))
	if err := hostfile.Put(ctx, h, t.Path, text, module.Attr{Mode: 0o600}); err != nil {
		return nil, err
	}
	return ssh.NewSignerFromKey(key)
}

func (t *Task) absent(ctx context.Context, h module.Host, s state) ([]module.Step, error) {
	var files []string
	if s.hasPrivate {
		files = append(files, t.Path)
	}
	if s.hasPublic {
		files = append(files, t.publicPath())
	}
	var steps []module.Step
	for _, file := range files {
		if err := t.mayReplace(ctx, h, file); err != nil {
			return nil, err
		}
		steps = append(steps, module.NewStep("remove "+file, func(ctx context.Context, h module.Host) error {
			return hostfile.Drop(ctx, h, file)
		}))
	}
	return steps, nil
}

func (t *Task) mayReplace(ctx context.Context, h module.Host, file string) error {
	return claim.Free(ctx, h, file, "move it away, or use another path")
}

// SecretOutputs names the values that are secret.
func (t *Task) SecretOutputs() []string { return []string{"private_key"} }

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"path": cty.String, "public_key": cty.String, "private_key": cty.String, "fingerprint": cty.String,
	}
}

// Outputs reads both keys; the private one is a secret from then on.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	fingerprint := ""
	if s.signer != nil {
		fingerprint = ssh.FingerprintSHA256(s.signer.PublicKey())
	}
	h.AddSecret(secret.Value(s.private))
	return map[string]cty.Value{
		"path": cty.StringVal(t.Path), "fingerprint": cty.StringVal(fingerprint),
		"public_key":  cty.StringVal(strings.TrimSpace(s.public)),
		"private_key": cty.StringVal(s.private),
	}, nil
}

var (
	_ module.Confidential = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
)
