// Package sshkey is the module ssh_key: a key pair in OpenSSH's format on the host.
//
// It grants no access; another task distributes the public key.
package sshkey

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Task is an SSH key pair. An existing private key is kept, unless replace is true.
//
// Errors:
//   - path has something other than a private key without passphrase: move it away, or
//     use another path
type Task struct {
	// Path is the path of the private key on the host; the public key is beside it, with ".pub".
	Path string `hcl:"path" path:"absolute"`
	// Type is the type of a new key.
	Type string `hcl:"type,optional" enum:"ed25519,rsa,ecdsa" default:"ed25519"`
	// Bits is the length of a new key: 2048 to 16384 with rsa, 256, 384 or 521 with ecdsa. Default
	// 3072 with rsa and 256 with ecdsa.
	Bits int `hcl:"bits,optional"`
	// Replace makes a new key if the existing one has another type or, where bits is given, another length.
	Replace bool `hcl:"replace,optional"`
	// Comment is the comment of the public key. Default none.
	Comment string `hcl:"comment,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ssh_key"})
}

func (t *Task) Validate() error {
	switch {
	case strings.ContainsAny(t.Comment, "\r\n"):
		return errors.New("comment has a line break, expected one line")
	case t.Bits == 0:
		return nil
	case t.Type == "rsa" && (t.Bits < 2048 || t.Bits > 16384):
		return fmt.Errorf("bits is %d, want 2048 to 16384 with type = \"rsa\"", t.Bits)
	case t.Type == "ecdsa" && curves()[t.Bits] == nil:
		return fmt.Errorf("bits is %d, want 256, 384 or 521 with type = \"ecdsa\"", t.Bits)
	case t.Type == "ed25519":
		return fmt.Errorf("bits is %d, but keys of type = \"ed25519\" have one length: remove bits", t.Bits)
	}
	return nil
}

// state is the state of the files on the host.
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

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return hostfile.PlanDrop(ctx, h, advice, t.Path, t.publicPath())
	}
	if s.hasPrivate && s.hasPublic && s.public == t.publicLine(s.signer) && !t.replaces(s) {
		return nil, nil
	}
	text := "make ssh key " + t.Path
	switch {
	case t.replaces(s):
		text = fmt.Sprintf("replace ssh key %s, which is of %s, by one of %s", t.Path, describe(s.signer.PublicKey()), t.wanted())
		if err := t.mayReplace(ctx, h, t.Path); err != nil {
			return nil, err
		}
	case s.hasPrivate:
		text = "write public key " + t.publicPath()
	}
	if s.hasPublic {
		if err := t.mayReplace(ctx, h, t.publicPath()); err != nil {
			return nil, err
		}
	}
	return module.OneStep(text, t.make), nil
}

// make keeps an existing private key that is as wanted, so that it can be repeated.
func (t *Task) make(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if !s.hasPrivate || t.replaces(s) {
		if s.signer, err = t.writePrivate(ctx, h); err != nil {
			return err
		}
	}
	return hostfile.Put(ctx, h, t.publicPath(), t.publicLine(s.signer), module.Attr{Mode: 0o644})
}

func (t *Task) writePrivate(ctx context.Context, h module.Host) (ssh.Signer, error) {
	key, err := t.generate()
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

func (t *Task) mayReplace(ctx context.Context, h module.Host, file string) error {
	return ownership.Free(ctx, h, file, advice)
}

// advice is what to do about a file that is not the owner's.
const advice = "move it away, or use another path"

type Outputs struct {
	Path        string       `cty:"path" arg:"path,content"` // path of the private key
	PublicKey   string       `cty:"public_key"`              // the public key, one line with the comment
	PrivateKey  secret.Value `cty:"private_key"`             // the private key in OpenSSH's PEM form; secret
	Fingerprint string       `cty:"fingerprint"`             // hash of the public key, such as "SHA256:…"
}

// Outputs reads both keys and registers the private one as a secret.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	fingerprint := ""
	if s.signer != nil {
		fingerprint = ssh.FingerprintSHA256(s.signer.PublicKey())
	}
	h.AddSecret(secret.Value(s.private))
	return Outputs{
		Path: t.Path, Fingerprint: fingerprint,
		PublicKey: strings.TrimSpace(s.public), PrivateKey: secret.Value(s.private),
	}, nil
}

// curves are those of ecdsa, by bits.
func curves() map[int]elliptic.Curve {
	return map[int]elliptic.Curve{256: elliptic.P256(), 384: elliptic.P384(), 521: elliptic.P521()}
}

// length is that of a new key.
func (t *Task) length() int {
	switch {
	case t.Bits != 0:
		return t.Bits
	case t.Type == "rsa":
		return 3072
	}
	return 256
}

func (t *Task) generate() (crypto.Signer, error) {
	switch t.Type {
	case "rsa":
		return rsa.GenerateKey(rand.Reader, t.length())
	case "ecdsa":
		return ecdsa.GenerateKey(curves()[t.length()], rand.Reader)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return key, err
}

// traits are the type and length of a key; the type is empty for those that kinit does not make.
func traits(key ssh.PublicKey) (kind string, bits int) {
	known, is := key.(ssh.CryptoPublicKey)
	if !is {
		return "", 0
	}
	switch key := known.CryptoPublicKey().(type) {
	case *rsa.PublicKey:
		return "rsa", key.N.BitLen()
	case *ecdsa.PublicKey:
		return "ecdsa", key.Curve.Params().BitSize
	case ed25519.PublicKey:
		return "ed25519", 256
	}
	return "", 0
}

func describe(key ssh.PublicKey) string {
	if kind, bits := traits(key); kind != "" {
		return fmt.Sprintf("type %s with %d bits", kind, bits)
	}
	return "type " + key.Type()
}

func (t *Task) wanted() string { return fmt.Sprintf("type %s with %d bits", t.Type, t.length()) }

// replaces reports whether a key of the wanted type and length replaces the private key.
func (t *Task) replaces(s state) bool {
	if !t.Replace || s.signer == nil {
		return false
	}
	kind, bits := traits(s.signer.PublicKey())
	return kind != t.Type || t.Bits != 0 && bits != t.Bits
}
