package ssh

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/trust"
)

// identity is an IdentityFile.
type identity struct {
	file    string
	public  gossh.PublicKey // nil if it is not known
	signer  gossh.Signer    // nil if the file has no private key that can be used
	cert    *gossh.Certificate
	locked  []byte // the private key in PEM, if it has a passphrase
	problem string // why there is no signer
}

// readIdentity reads a file with a private or a public key, and what is beside it: FILE.pub is its public key, and
// FILE-cert.pub its certificate.
func readIdentity(file string) *identity {
	id := &identity{file: file, cert: readCertificate(file + "-cert.pub")}
	if id.cert == nil {
		id.cert = readCertificate(file + "-cert")
	}
	text, err := os.ReadFile(file)
	if err == nil && parsePublic(text) == nil { // a public key may be open
		err = trust.Key(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		id.problem = file + " is missing"
	case err != nil:
		id.problem = err.Error()
		return id
	default:
		id.parse(text)
	}
	if id.public == nil {
		id.public = readPublic(file + ".pub")
	}
	return id
}

func (id *identity) parse(text []byte) {
	signer, err := gossh.ParsePrivateKey(text)
	var locked *gossh.PassphraseMissingError
	switch {
	case err == nil:
		id.signer, id.public = signer, signer.PublicKey()
	case errors.As(err, &locked):
		id.public, id.locked = locked.PublicKey, text
		id.problem = id.file + " has a passphrase: add it to ssh-agent, or run kinit on a terminal, where it asks"
	default:
		id.public = parsePublic(text)
		if id.problem = id.file + " is no private key that can be read"; id.public != nil {
			id.problem = id.file + " is a public key, whose private key the agent does not have"
		}
	}
}

func parsePublic(text []byte) gossh.PublicKey {
	key, _, _, _, err := gossh.ParseAuthorizedKey(bytes.TrimSpace(text))
	if err != nil {
		return nil
	}
	return key
}

func readPublic(file string) gossh.PublicKey {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return parsePublic(text)
}

func readCertificate(file string) *gossh.Certificate {
	cert, _ := readPublic(file).(*gossh.Certificate)
	return cert
}

// arrange puts the keys into the order in which ssh offers them: certificates, keys of the agent that a file chooses, the
// agent's other keys, keys that are in files only. With Config.FilesFirst the latter are the first.
func (k *keys) arrange(c Config, files []*identity, agent []gossh.Signer) {
	k.offerLocked(c, files, agent)
	chosen := func(signer gossh.Signer) bool {
		return slices.ContainsFunc(files, func(id *identity) bool { return id.public != nil && same(id.public, signer.PublicKey()) })
	}
	private := func(key gossh.PublicKey) gossh.Signer {
		for _, signer := range slices.Concat(signersOf(files), agent) {
			if same(signer.PublicKey(), key) {
				return signer
			}
		}
		return nil
	}
	if c.FilesFirst {
		k.addFiles(c, files)
	}
	k.addCertificates(c, files, private)
	var others []gossh.Signer
	for _, signer := range agent {
		if chosen(signer) {
			k.offer(c, "agent", signer)
		} else if !c.IdentitiesOnly {
			others = append(others, signer)
		}
	}
	for _, signer := range others {
		k.offer(c, "agent", signer)
	}
	if !c.FilesFirst {
		k.addFiles(c, files)
	}
	for _, id := range files {
		if id.signer == nil && !slices.ContainsFunc(agent, func(s gossh.Signer) bool { return id.public != nil && same(s.PublicKey(), id.public) }) {
			k.skipped = append(k.skipped, id.problem)
		}
	}
}

// offerLocked makes keys with a passphrase usable that the agent does not have, if there is a user to ask.
func (k *keys) offerLocked(c Config, files []*identity, agent []gossh.Signer) {
	if c.Prompter == nil {
		return
	}
	for _, id := range files {
		if id.locked == nil || id.public == nil || slices.ContainsFunc(agent, func(s gossh.Signer) bool { return same(s.PublicKey(), id.public) }) {
			continue
		}
		id.signer = lockedSigner{id.public, func() (gossh.Signer, error) {
			defer k.login.hold()()
			signer, err := c.Prompter.unlock(k.login.ctx, id.file, id.locked)
			if err != nil {
				k.login.fail(err)
			}
			return signer, err
		}}
	}
}

func (k *keys) addFiles(c Config, files []*identity) {
	for _, id := range files {
		if id.signer != nil {
			k.offer(c, id.file, id.signer)
		}
	}
}

// addCertificates offers the certificates whose private key is at hand: those of CertificateFile, then those beside keys.
func (k *keys) addCertificates(c Config, files []*identity, private func(gossh.PublicKey) gossh.Signer) {
	add := func(name string, cert *gossh.Certificate) {
		if signer := private(cert.Key); signer == nil {
			k.skipped = append(k.skipped, name+" is a certificate of a key that is neither in a file nor in the agent")
		} else if certified, err := gossh.NewCertSigner(cert, signer); err != nil {
			k.skipped = append(k.skipped, name+": "+err.Error())
		} else {
			k.offer(c, name, certified)
		}
	}
	for _, file := range c.CertificateFiles {
		if file == "none" {
			continue
		}
		if cert := readCertificate(expand(file)); cert != nil {
			add(expand(file), cert)
		} else {
			k.skipped = append(k.skipped, expand(file)+" is no certificate that can be read")
		}
	}
	for _, id := range files {
		if id.cert != nil {
			add(id.file+"-cert.pub", id.cert)
		}
	}
}

func signersOf(files []*identity) []gossh.Signer {
	var all []gossh.Signer
	for _, id := range files {
		if id.signer != nil {
			all = append(all, id.signer)
		}
	}
	return all
}

// offer adds a key if Config.Algorithms allows it.
func (k *keys) offer(c Config, name string, signer gossh.Signer) {
	if bits := c.tooShort(plainKey(signer.PublicKey())); bits > 0 {
		k.skipped = append(k.skipped, fmt.Sprintf("%s: it has %d bits, fewer than the %d of RequiredRSASize", name, bits, cmp.Or(c.RSASize, fewestBits)))
		return
	}
	if c.Algorithms.PublicKeys == "" {
		k.add(name, signer)
		return
	}
	allowed := c.signingAlgorithms(signer.PublicKey())
	able, ok := signer.(gossh.AlgorithmSigner)
	if len(allowed) == 0 || !ok {
		k.skipped = append(k.skipped, name+": PubkeyAcceptedAlgorithms does not allow "+signer.PublicKey().Type())
		return
	}
	limited, err := gossh.NewSignerWithAlgorithms(able, allowed)
	if err != nil {
		k.skipped = append(k.skipped, name+": "+err.Error())
		return
	}
	k.add(name, limited)
}
