package ssh

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

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

	accepted atomic.Pointer[string] // the name of a key that the server accepted

	agent   net.Conn
	socket  string       // of the agent
	signing atomic.Int32 // signatures that the agent was asked for and has not given
	stuck   atomic.Bool  // it had not given one when its time was up

	login *login // the handshake that they are for
}

// loadKeys collects the keys of a config in the order in which they are offered. An unusable key is no error if another
// one is accepted.
func loadKeys(ctx context.Context, c Config) *keys {
	k := &keys{}
	for i, pem := range c.PrivateKeys {
		k.parse(fmt.Sprintf("private key %d", i+1), []byte(pem.Reveal()))
	}
	var files []*identity
	for _, file := range c.IdentityFiles {
		if file != "none" {
			files = append(files, readIdentity(expand(file)))
		}
	}
	var agent []gossh.Signer
	if c.UseAgent && c.AgentSocket != "none" {
		agent = k.askAgent(ctx, cmp.Or(expand(c.AgentSocket), os.Getenv("SSH_AUTH_SOCK")), c.HandshakeTimeout)
	}
	k.arrange(c, files, agent)
	return k
}

// askAgent returns the agent's keys. It skips an agent that does not answer within the time.
func (k *keys) askAgent(ctx context.Context, socket string, within time.Duration) []gossh.Signer {
	if socket == "" {
		k.skipped = append(k.skipped, "no agent: SSH_AUTH_SOCK is not set")
		return nil
	}
	k.socket = socket
	timed, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	signers, err := k.listAgent(timed, socket)
	switch {
	case err != nil && timed.Err() != nil:
		k.skipped = append(k.skipped, silentAgent(socket, "answer", within))
	case err != nil:
		k.skipped = append(k.skipped, "agent: "+err.Error())
	}
	return lists.Map(signers, func(signer gossh.Signer) gossh.Signer {
		if able, ok := signer.(gossh.AlgorithmSigner); ok {
			return agentSigner{able, k}
		}
		return signer
	})
}

// largestAgent is the most, in bytes, that is read of an agent during one handshake: its list of keys, and signatures. The
// library's own limit is 16 MiB for each answer.
const largestAgent = 256 << 10

// listAgent connects to the agent and asks for its keys.
func (k *keys) listAgent(ctx context.Context, socket string) ([]gossh.Signer, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	k.agent = conn
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return agent.NewClient(struct {
		io.Reader
		io.Writer
	}{io.LimitReader(conn, largestAgent), conn}).Signers()
}

// silentAgent describes an agent that did not do something in time, and what to do about it.
func silentAgent(socket, what string, within time.Duration) string {
	return fmt.Sprintf("the agent at %s did not %s within %s: check it with \"ssh-add -l\" and confirm its question if it asks one, "+
		"or unset SSH_AUTH_SOCK and name a key in identity_file", socket, what, within)
}

// agentSigner is a key of the agent. It counts the signatures that are waited for.
type agentSigner struct {
	gossh.AlgorithmSigner
	keys *keys
}

// Sign asks the agent for a signature.
func (s agentSigner) Sign(rand io.Reader, data []byte) (*gossh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm asks the agent for a signature of an algorithm.
func (s agentSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*gossh.Signature, error) {
	s.keys.signing.Add(1)
	defer s.keys.signing.Add(-1)
	return s.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

func (k *keys) parse(name string, pem []byte) {
	signer, err := gossh.ParsePrivateKey(pem)
	if err != nil {
		k.skipped = append(k.skipped, name+" is no private key that can be read")
		return
	}
	k.add(name, signer)
}

func (k *keys) add(name string, signer gossh.Signer) {
	key := signer.PublicKey()
	if slices.ContainsFunc(k.signers, func(known gossh.Signer) bool { return same(known.PublicKey(), key) }) {
		return
	}
	k.signers = append(k.signers, signer)
	k.names = append(k.names, fmt.Sprintf("%s (%s %s)", name, key.Type(), fingerprint(key)))
}

// fingerprint is that of a key, or of the key in a certificate, as ssh prints it.
func fingerprint(key gossh.PublicKey) string {
	if cert, ok := key.(*gossh.Certificate); ok {
		key = cert.Key
	}
	return gossh.FingerprintSHA256(key)
}

// listed lists the keys after a word, and the skipped ones, one in each line.
func (k *keys) listed(word string) string {
	lines := lists.Map(k.names, func(name string) string { return "  " + word + " " + name })
	for _, reason := range k.skipped {
		lines = append(lines, "  not tried: "+reason)
	}
	if len(lines) == 0 {
		return "  there was no key to try"
	}
	return strings.Join(lines, "\n")
}

// giveUp ends the work with the agent, and records whether a signature was waited for.
func (k *keys) giveUp() {
	k.stuck.Store(k.signing.Load() > 0)
	k.Close()
}

func (k *keys) Close() {
	if k.agent != nil {
		_ = k.agent.Close()
	}
}
