package ssh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"kinit/engine/lists"
)

// keys holds the keys for one handshake. Close it after the handshake: the agent signs
// through its connection.
type keys struct {
	signers []gossh.Signer
	names   []string // of the signers, for messages
	skipped []string // keys that could not be used and why
	agent   net.Conn
}

// loadKeys collects the keys of a config: given ones, files, the agent. An unusable key is
// no error if another one is accepted.
func loadKeys(ctx context.Context, c Config) *keys {
	k := &keys{}
	for i, pem := range c.PrivateKeys {
		k.parse(fmt.Sprintf("private key %d", i+1), []byte(pem.Reveal()))
	}
	for _, file := range c.IdentityFiles {
		k.read(expand(file))
	}
	if c.UseAgent {
		k.askAgent(ctx, os.Getenv("SSH_AUTH_SOCK"))
	}
	return k
}

func (k *keys) read(file string) {
	pem, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k.skipped = append(k.skipped, file+" is missing")
	case err != nil:
		k.skipped = append(k.skipped, err.Error())
	default:
		k.parse(file, pem)
	}
}

func (k *keys) parse(name string, pem []byte) {
	signer, err := gossh.ParsePrivateKey(pem)
	var locked *gossh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		k.skipped = append(k.skipped, name+" has a passphrase: add it to ssh-agent")
	case err != nil:
		k.skipped = append(k.skipped, name+" is no private key that can be read")
	default:
		k.add(name, signer)
	}
}

// askAgent adds the agent's keys that are not in the list yet.
func (k *keys) askAgent(ctx context.Context, socket string) {
	if socket == "" {
		k.skipped = append(k.skipped, "no agent: SSH_AUTH_SOCK is not set")
		return
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		k.skipped = append(k.skipped, "agent: "+err.Error())
		return
	}
	k.agent = conn
	// An agent that hangs must not block connecting.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		k.skipped = append(k.skipped, "agent: "+err.Error())
		return
	}
	for _, signer := range signers {
		k.add("agent", signer)
	}
}

func (k *keys) add(name string, signer gossh.Signer) {
	print := gossh.FingerprintSHA256(signer.PublicKey())
	same := func(known gossh.Signer) bool { return gossh.FingerprintSHA256(known.PublicKey()) == print }
	if slices.ContainsFunc(k.signers, same) {
		return
	}
	k.signers = append(k.signers, signer)
	k.names = append(k.names, fmt.Sprintf("%s (%s %s)", name, signer.PublicKey().Type(), print))
}

// String lists the tried and the skipped keys, one in each line.
func (k *keys) String() string {
	lines := lists.Map(k.names, func(name string) string { return "  tried " + name })
	for _, reason := range k.skipped {
		lines = append(lines, "  not tried: "+reason)
	}
	if len(lines) == 0 {
		return "  there was no key to try"
	}
	return strings.Join(lines, "\n")
}

func (k *keys) Close() {
	if k.agent != nil {
		_ = k.agent.Close()
	}
}
