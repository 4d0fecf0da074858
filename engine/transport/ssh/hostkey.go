package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"kinit/engine/lists"
	"kinit/engine/transport"
	"kinit/engine/trust"
)

// verifier decides whether a host key is the right one.
type verifier struct {
	config  Config
	files   []string              // the known_hosts files that exist
	check   gossh.HostKeyCallback // of the files; nil if keys are given instead
	known   []gossh.PublicKey     // keys on record for this machine
	certs   bool                  // the files name certificate authorities
	refusal error                 // why the last key was not accepted
	key     string                // the fingerprint of the last key that was accepted
}

// newVerifier reads the keys on record.
func newVerifier(c Config) (*verifier, error) {
	v := &verifier{config: c}
	if len(c.HostKeys) > 0 {
		return v, v.pin(c.HostKeys)
	}
	return v, v.load(c.KnownHosts)
}

// KnownKeys returns the fingerprints of the keys that a machine may have, sorted: of the
// given keys, or else of those in known_hosts. It does not connect.
func KnownKeys(c Config) ([]string, error) {
	v, err := newVerifier(c.complete())
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
		v.files = append(v.files, expand(file))
		v.certs = v.certs || bytes.Contains(text, []byte("@cert-authority"))
	}
	check, err := knownhosts.New(v.files...)
	if err != nil {
		return fmt.Errorf("%w: read the known hosts: %w", transport.ErrHostKey, err)
	}
	v.check = check
	for _, want := range v.lookup(unknownKey{}) {
		v.known = append(v.known, want.Key)
	}
	return nil
}

// unknownKey is a key that no machine has: looking it up returns the keys on record.
type unknownKey struct{}

func (unknownKey) Type() string                          { return "none" }
func (unknownKey) Marshal() []byte                       { return nil }
func (unknownKey) Verify([]byte, *gossh.Signature) error { return errors.New("no key") }

// lookup returns the keys on record under the address, or else under the name.
func (v *verifier) lookup(key gossh.PublicKey) []knownhosts.KnownKey {
	for _, name := range v.names() {
		mismatch, ok := errors.AsType[*knownhosts.KeyError](v.check(name, somewhere, key))
		if ok && len(mismatch.Want) > 0 {
			return mismatch.Want
		}
	}
	return nil
}

// names returns the names that a machine may have in known_hosts.
func (v *verifier) names() []string {
	names := []string{v.config.address()}
	if name := net.JoinHostPort(v.config.Name, strconv.Itoa(v.config.Port)); name != names[0] {
		names = append(names, name)
	}
	return names
}

// somewhere replaces the remote address, which does not exist behind a jump host; only the
// name matters.
var somewhere = &net.TCPAddr{IP: net.IPv4zero}

// algorithms returns the algorithms to ask the server for: those of the keys on record
// first, so that a server with several keys shows the known one.
func (v *verifier) algorithms() []string {
	var first []string
	for _, key := range v.known {
		first = append(first, algorithmsOf(key)...)
	}
	all := gossh.SupportedAlgorithms().HostKeys
	if v.certs {
		first = append(slices.DeleteFunc(slices.Clone(all), isPlain), first...)
	}
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
	if v.check == nil {
		return v.verifyPinned(key)
	}
	var mismatch *knownhosts.KeyError
	for _, name := range v.names() {
		err := v.check(name, somewhere, key)
		if err == nil {
			return nil
		}
		if !errors.As(err, &mismatch) {
			return fmt.Errorf("%w: %s offers %s: %w", transport.ErrHostKey, v.config.label(), show(key), err)
		}
		if len(mismatch.Want) > 0 {
			return v.changed(key, mismatch.Want)
		}
	}
	return v.unknown(key)
}

func (v *verifier) verifyPinned(key gossh.PublicKey) error {
	same := func(want gossh.PublicKey) bool { return bytes.Equal(want.Marshal(), key.Marshal()) }
	if slices.ContainsFunc(v.known, same) {
		return nil
	}
	return fmt.Errorf("%w: %s offers %s, which is not the key given for it: %s",
		transport.ErrHostKey, v.config.label(), show(key), strings.Join(lists.Map(v.known, show), ", "))
}

// changed returns an error that names where the different key is on record.
func (v *verifier) changed(key gossh.PublicKey, wants []knownhosts.KnownKey) error {
	places := lists.Map(wants, func(want knownhosts.KnownKey) string {
		return fmt.Sprintf("%s:%d has %s", want.Filename, want.Line, show(want.Key))
	})
	return fmt.Errorf("%w: the host key of %s has CHANGED: it offers %s, but %s. "+
		"Somebody may be listening, or the machine was installed again. Compare the fingerprint on the machine itself; "+
		"if it is right, remove that line: ssh-keygen -R '%s'",
		transport.ErrHostKey, v.config.label(), show(key), strings.Join(places, " and "),
		knownhosts.Normalize(v.config.address()))
}

// unknown returns an error that names the line to add.
func (v *verifier) unknown(key gossh.PublicKey) error {
	return fmt.Errorf("%w: the host key of %s is unknown: it offers %s. "+
		"Compare the fingerprint on the machine itself (ssh-keygen -lf /etc/ssh/ssh_host_%s_key.pub), "+
		"then add this line to %s, or what \"ssh-keyscan -p %d %s\" prints:\n%s",
		transport.ErrHostKey, v.config.label(), show(key), fileType(key), expand(v.config.KnownHosts[0]),
		v.config.Port, v.config.Address, knownhosts.Line([]string{v.config.address()}, key))
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
