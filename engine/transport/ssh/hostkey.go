package ssh

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"kinit/engine/lists"
	"kinit/engine/transport"
	"kinit/engine/trust"
)

// verifier decides whether a host key is the right one.
type verifier struct {
	ctx      context.Context // of the connection
	config   Config
	pinned   bool              // keys are given instead of files
	lines    []knownKey        // of the known_hosts files
	own      []knownKey        // those about this machine that are not revoked
	exact    bool              // own has the machine's name with its port, so it can contradict a key
	problems []string          // with lines of these files
	known    []gossh.PublicKey // keys on record for this machine
	refusal  error             // why the last key was not accepted
	key      string            // the fingerprint of the last key that was accepted
}

// newVerifier reads the keys on record.
func newVerifier(ctx context.Context, c Config) (*verifier, error) {
	v := &verifier{ctx: ctx, config: c}
	if len(c.HostKeys) > 0 {
		v.pinned = true
		return v, v.pin(c.HostKeys)
	}
	if err := v.load(c.KnownHosts); err != nil {
		return v, err
	}
	if c.KnownHostsCommand != nil {
		text, err := c.KnownHostsCommand(ctx, nil)
		if err != nil {
			return v, fmt.Errorf("%w: %w", transport.ErrHostKey, err)
		}
		v.read("KnownHostsCommand", text)
	}
	v.match()
	for _, line := range v.own {
		if line.marker == "" {
			v.known = append(v.known, line.key)
		}
	}
	return v, nil
}

// KnownKeys returns the fingerprints of the keys that a machine may have, sorted: of the
// given keys, or else of those in known_hosts. It does not connect, and runs no command.
func KnownKeys(c Config) ([]string, error) {
	c.KnownHostsCommand = nil
	v, err := newVerifier(context.Background(), c.complete())
	if err != nil {
		return nil, err
	}
	keys := lists.Map(v.known, show)
	slices.Sort(keys)
	return keys, nil
}

func (v *verifier) pin(lines []string) error {
	for _, line := range lines {
		key, _, _, _, err := gossh.ParseAuthorizedKey([]byte(line))
		if err != nil {
			return fmt.Errorf("%w: the host key %q given for %s is no public key: %w",
				transport.ErrHostKey, line, v.config.Name, err)
		}
		v.known = append(v.known, key)
	}
	return nil
}

func (v *verifier) load(files []string) error {
	rules := trust.From(os.Environ())
	for _, file := range files {
		if file == "none" || file == os.DevNull {
			continue
		}
		check := rules.Named
		if slices.Contains(ownKnownHosts(), file) {
			check = rules.Found
		}
		if err := check(expand(file)); err != nil {
			return fmt.Errorf("%w: %s is %w", transport.ErrHostKey, file, err)
		}
		text, err := os.ReadFile(expand(file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", transport.ErrHostKey, err)
		}
		v.read(expand(file), text)
	}
	return nil
}

func (v *verifier) read(file string, text []byte) {
	lines, problems := readKnown(file, text)
	v.lines, v.problems = append(v.lines, lines...), append(v.problems, problems...)
}

// match finds the lines about this machine. ssh looks for its name with the port first, then, where there is no line, for
// its name alone.
func (v *verifier) match() {
	for i, name := range v.names() {
		v.exact = i < v.withPort()
		v.own = slices.DeleteFunc(slices.Clone(v.lines), func(line knownKey) bool { return line.marker == revokedMarker || !line.is(name) })
		if len(v.own) > 0 {
			return
		}
	}
}

// names returns the names that a machine may have in known_hosts, the best one first. An alias has no port.
func (v *verifier) names() []string {
	c := v.config
	if c.HostKeyAlias != "" {
		return []string{c.HostKeyAlias}
	}
	hosts := slices.Compact([]string{c.Address, c.Name})
	if c.Port == defaultPort {
		return hosts
	}
	return append(lists.Map(hosts, func(host string) string { return knownName(host, c.Port) }), hosts...)
}

// withPort is how many of the names are the machine's with its port.
func (v *verifier) withPort() int {
	if c := v.config; c.HostKeyAlias == "" && c.Port != defaultPort {
		return len(v.names()) / 2
	}
	return len(v.names())
}

// algorithms returns the algorithms to ask the server for: those of the keys on record
// first, so that a server with several keys shows the known one.
func (v *verifier) algorithms() []string {
	var first []string
	for _, key := range v.known {
		first = append(first, algorithmsOf(key)...)
	}
	all := v.config.hostKeyAlgorithms()
	if slices.ContainsFunc(v.own, func(line knownKey) bool { return line.marker == authorityMarker }) {
		first = append(slices.DeleteFunc(slices.Clone(all), isPlain), first...)
	}
	first = slices.DeleteFunc(first, func(name string) bool { return !slices.Contains(all, name) })
	for _, name := range all {
		if !slices.Contains(first, name) {
			first = append(first, name)
		}
	}
	return first
}

func isPlain(algorithm string) bool { return !strings.Contains(algorithm, "-cert-") }

// algorithmsOf lists the ways in which a key can sign; RSA without SHA-1.
func algorithmsOf(key gossh.PublicKey) []string {
	if key.Type() == gossh.KeyAlgoRSA {
		return []string{gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}

// verify is the callback of the handshake.
func (v *verifier) verify(_ string, _ net.Addr, key gossh.PublicKey) error {
	if v.refusal = v.verifyKey(key); v.refusal == nil {
		v.key = gossh.FingerprintSHA256(key)
	}
	return v.refusal
}

func (v *verifier) verifyKey(key gossh.PublicKey) error {
	if err := v.safe(key); err != nil {
		return err
	}
	if v.pinned {
		return v.verifyPinned(key)
	}
	plain := key
	cert, isCert := key.(*gossh.Certificate)
	if isCert {
		plain = cert.SignatureKey
	}
	for _, line := range v.lines {
		if line.marker == revokedMarker && (same(line.key, plain) || same(line.key, key)) && v.concerns(line) {
			return fmt.Errorf("%w: %s offers %s, which %s says is revoked", transport.ErrHostKey, v.config.label(), show(key), line.place())
		}
	}
	if v.config.KnownHostsCommand != nil && !accepts(v.own, key) {
		text, err := v.config.KnownHostsCommand(v.ctx, key)
		if err != nil {
			return fmt.Errorf("%w: %w", transport.ErrHostKey, err)
		}
		v.read("KnownHostsCommand", text)
		v.match()
	}
	if isCert {
		if slices.ContainsFunc(v.own, func(line knownKey) bool { return line.marker == authorityMarker && same(line.key, plain) }) {
			return v.verifyCertificate(cert)
		}
		key = cert.Key // without an authority for this host, its plain key may be on record
	}
	lines := slices.DeleteFunc(slices.Clone(v.own), func(line knownKey) bool { return line.marker != "" })
	switch {
	case slices.ContainsFunc(lines, func(line knownKey) bool { return same(line.key, key) }):
		return nil
	case len(lines) > 0 && v.exact:
		return v.changed(key, lines)
	}
	return v.unknown(key)
}

// concerns reports whether a line is about one of the machine's names.
func (v *verifier) concerns(line knownKey) bool { return slices.ContainsFunc(v.names(), line.is) }

// accepts reports whether a key, or the authority that signed it, is on a line.
func accepts(lines []knownKey, key gossh.PublicKey) bool {
	return slices.ContainsFunc(lines, func(line knownKey) bool {
		cert, isCert := key.(*gossh.Certificate)
		if line.marker == authorityMarker {
			return isCert && same(line.key, cert.SignatureKey)
		}
		return line.marker == "" && same(line.key, key)
	})
}

// verifyCertificate checks a certificate of an authority for this machine: its time, and the names in it.
func (v *verifier) verifyCertificate(cert *gossh.Certificate) error {
	checker := &gossh.CertChecker{IsHostAuthority: func(gossh.PublicKey, string) bool { return true }}
	name := cmp.Or(v.config.HostKeyAlias, v.config.Address)
	err := checker.CheckHostKey(asAddress(name, v.config.Port), nil, cert)
	if err == nil || v.config.HostKeyAlias != "" || v.config.Name == name {
		return v.refused(cert, err)
	}
	return v.refused(cert, checker.CheckHostKey(asAddress(v.config.Name, v.config.Port), nil, cert))
}

func (v *verifier) refused(cert *gossh.Certificate, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: the certificate of %s (%s, for %s) is not valid for it: %w", transport.ErrHostKey,
		v.config.label(), show(cert.Key), strings.Join(cert.ValidPrincipals, ", "), err)
}

func same(a, b gossh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }

func (v *verifier) verifyPinned(key gossh.PublicKey) error {
	if slices.ContainsFunc(v.known, func(want gossh.PublicKey) bool { return same(want, key) }) {
		return nil
	}
	return fmt.Errorf("%w: %s offers %s, which is not the key given for it: %s",
		transport.ErrHostKey, v.config.label(), show(key), strings.Join(lists.Map(v.known, show), ", "))
}

// changed returns an error that names where the different key is on record.
func (v *verifier) changed(key gossh.PublicKey, lines []knownKey) error {
	places := lists.Map(lines, func(line knownKey) string { return line.place() + " has " + show(line.key) })
	return fmt.Errorf("%w: the host key of %s has CHANGED: it offers %s, but %s. "+
		"Somebody may be listening, or the machine was installed again. Compare the fingerprint on the machine itself; "+
		"if it is right, remove that line: ssh-keygen -R '%s'",
		transport.ErrHostKey, v.config.label(), show(key), strings.Join(places, " and "),
		v.names()[0])
}

// unknown returns an error that names the line to add.
func (v *verifier) unknown(key gossh.PublicKey) error {
	text := fmt.Sprintf("the host key of %s is unknown: it offers %s. "+
		"Compare the fingerprint on the machine itself (ssh-keygen -lf /etc/ssh/ssh_host_%s_key.pub), "+
		"then add this line to %s, or what \"ssh-keyscan -p %d %s\" prints:\n%s",
		v.config.label(), show(key), fileType(key), v.config.recordFile(),
		v.config.Port, v.config.Address, knownhosts.Line([]string{v.names()[0]}, key))
	if len(v.problems) > 0 {
		text += "\nNot used: " + strings.Join(v.problems, "\nNot used: ")
	}
	return fmt.Errorf("%w: %s", transport.ErrHostKey, text)
}

// recordFile is the file that gets the keys of new machines.
func (c Config) recordFile() string {
	for _, file := range c.KnownHosts {
		if file != "none" && file != os.DevNull {
			return expand(file)
		}
	}
	return expand(ownKnownHosts()[0])
}

// show formats a key as OpenSSH does.
func show(key gossh.PublicKey) string {
	return key.Type() + " " + gossh.FingerprintSHA256(key)
}

// fileType returns the key type of the name of the server's key file.
func fileType(key gossh.PublicKey) string {
	switch {
	case key.Type() == gossh.KeyAlgoED25519:
		return "ed25519"
	case strings.HasPrefix(key.Type(), "ecdsa-"):
		return "ecdsa"
	}
	return "rsa"
}
