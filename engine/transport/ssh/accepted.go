package ssh

import (
	"io"

	gossh "golang.org/x/crypto/ssh"
)

// noting returns the keys for a handshake. A server asks a key to sign only after it has accepted it, so if a login is
// refused after a signature, the key is not the reason.
func (k *keys) noting() []gossh.Signer {
	var all []gossh.Signer
	for i, s := range k.signers {
		note := func() { k.accepted.Store(&k.names[i]) }
		switch signer := s.(type) {
		case gossh.MultiAlgorithmSigner:
			all = append(all, notingMulti{noting{signer, note}, signer})
		case gossh.AlgorithmSigner:
			all = append(all, noting{signer, note})
		default:
			all = append(all, s)
		}
	}
	return all
}

// noting is a key that notes when it signs.
type noting struct {
	gossh.AlgorithmSigner
	note func()
}

// Sign signs with the key's own algorithm.
func (s noting) Sign(rand io.Reader, data []byte) (*gossh.Signature, error) {
	s.note()
	return s.AlgorithmSigner.Sign(rand, data)
}

// SignWithAlgorithm signs with an algorithm.
func (s noting) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*gossh.Signature, error) {
	s.note()
	return s.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

// notingMulti is such a key that is limited to some algorithms.
type notingMulti struct {
	noting
	multi gossh.MultiAlgorithmSigner
}

// Algorithms returns the algorithms that the key may be used with.
func (s notingMulti) Algorithms() []string { return s.multi.Algorithms() }
