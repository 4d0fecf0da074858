package ssh

import (
	"bytes"
	"cmp"
	"crypto/rsa"
	"fmt"
	"os"
	"slices"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/transport"
)

// krlMagic begins a list of revoked keys in the binary form that ssh-keygen -k makes.
const krlMagic = "SSHKRL\n\x00"

// fewestBits is OpenSSH's RequiredRSASize if a configuration gives none.
const fewestBits = 1024

// safe refuses a key of the machine that RevokedHostKeys, CASignatureAlgorithms or RequiredRSASize forbid.
func (v *verifier) safe(key gossh.PublicKey) error {
	keys := []gossh.PublicKey{key}
	if cert, ok := key.(*gossh.Certificate); ok {
		keys = []gossh.PublicKey{cert.Key, cert.SignatureKey}
		if list := v.config.Algorithms.Authorities; list != "" && !slices.Contains(v.config.authorityAlgorithms(), cert.Signature.Format) {
			return v.refuse(key, "CASignatureAlgorithms does not allow %s, by which the authority has signed its certificate", cert.Signature.Format)
		}
	}
	revoked, err := v.revoked()
	if err != nil {
		return err
	}
	for _, part := range keys {
		if slices.ContainsFunc(revoked, func(r gossh.PublicKey) bool { return same(r, part) }) {
			return v.refuse(key, "%s, which RevokedHostKeys names, has %s", v.config.RevokedHostKeys, show(part))
		}
		if bits := v.config.tooShort(part); bits > 0 {
			return v.refuse(key, "%s has %d bits, fewer than the %d of RequiredRSASize", show(part), bits, cmp.Or(v.config.RSASize, fewestBits))
		}
	}
	return nil
}

func (v *verifier) refuse(key gossh.PublicKey, format string, args ...any) error {
	return fmt.Errorf("%w: %s offers %s: %s", transport.ErrHostKey, v.config.label(), show(key), fmt.Sprintf(format, args...))
}

// revoked reads the file of RevokedHostKeys. As with ssh, no host is accepted if it cannot be read.
func (v *verifier) revoked() ([]gossh.PublicKey, error) {
	file := v.config.RevokedHostKeys
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(expand(file))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: RevokedHostKeys: %w", transport.ErrHostKey, err)
	case bytes.HasPrefix(text, []byte(krlMagic)):
		return nil, fmt.Errorf("%w: RevokedHostKeys: %s is a binary list of ssh-keygen -k, which kinit does not read: list the public keys in a text file", transport.ErrHostKey, file)
	}
	var all []gossh.PublicKey
	for number, line := range bytes.Split(text, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		key, _, _, _, err := gossh.ParseAuthorizedKey(line)
		if err != nil {
			return nil, fmt.Errorf("%w: RevokedHostKeys: %s line %d is no public key: %w", transport.ErrHostKey, file, number+1, err)
		}
		all = append(all, key)
	}
	return all, nil
}

// authorityAlgorithms are the signatures that certificates of hosts may have.
func (c Config) authorityAlgorithms() []string {
	usual := []string{
		gossh.KeyAlgoED25519, gossh.KeyAlgoECDSA256, gossh.KeyAlgoECDSA384, gossh.KeyAlgoECDSA521,
		gossh.KeyAlgoSKED25519, gossh.KeyAlgoSKECDSA256, gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256,
	}
	return choose(c.Algorithms.Authorities, usual, []string{gossh.KeyAlgoRSA})
}

// tooShort returns the bits of an RSA key with too few of them, and 0 for all others.
func (c Config) tooShort(key gossh.PublicKey) int {
	crypto, ok := key.(gossh.CryptoPublicKey)
	if !ok {
		return 0
	}
	public, ok := crypto.CryptoPublicKey().(*rsa.PublicKey)
	if !ok || public.N.BitLen() >= cmp.Or(c.RSASize, fewestBits) {
		return 0
	}
	return public.N.BitLen()
}

// plainKey is the key in a certificate, or the key itself.
func plainKey(key gossh.PublicKey) gossh.PublicKey {
	if cert, ok := key.(*gossh.Certificate); ok {
		return cert.Key
	}
	return key
}
