package ntlm

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"errors"
)

// SizeSignature is the size of a message's signature (2.2.2.9).
const SizeSignature = 16

// Constants that keys are derived with (3.4.5.2 and 3.4.5.3), from the client to
// the server and back.
const (
	clientSigning = "session key to client-to-server signing key magic constant\x00"
	serverSigning = "session key to server-to-client signing key magic constant\x00"
	clientSealing = "session key to client-to-server sealing key magic constant\x00"
	serverSealing = "session key to server-to-client sealing key magic constant\x00"
)

// Session seals and unseals messages. It belongs to one connection, whose messages
// come one after the other.
type Session struct {
	incoming, outgoing direction
}

// direction is one half of a session.
type direction struct {
	signKey    []byte
	seal       *rc4.Cipher
	sequence   uint32
	encryptSum bool // whether the signature's checksum is sealed, too
}

// newSession returns no session when the client asked for no sealing.
func newSession(flags uint32, key []byte) (*Session, error) {
	if flags&flagSeal == 0 {
		return nil, nil
	}
	in, err := newDirection(flags, key, clientSigning, clientSealing)
	if err != nil {
		return nil, err
	}
	out, err := newDirection(flags, key, serverSigning, serverSealing)
	if err != nil {
		return nil, err
	}
	return &Session{incoming: in, outgoing: out}, nil
}

func newDirection(flags uint32, key []byte, signing, sealing string) (direction, error) {
	strength := key[:5]
	switch {
	case flags&flag128 != 0:
		strength = key
	case flags&flag56 != 0:
		strength = key[:7]
	}
	seal, err := rc4.NewCipher(derive(strength, sealing))
	return direction{signKey: derive(key, signing), seal: seal, encryptSum: flags&flagKeyExchange != 0}, err
}

func derive(key []byte, constant string) []byte {
	sum := md5.Sum(append(append([]byte{}, key...), constant...))
	return sum[:]
}

// Seal encrypts a message of the server and signs it (3.4.6).
func (s *Session) Seal(message []byte) (sealed, signature []byte) {
	sealed = make([]byte, len(message))
	s.outgoing.seal.XORKeyStream(sealed, message)
	return sealed, s.outgoing.sign(message)
}

// Unseal decrypts a message of the client and verifies its signature (3.4.7).
func (s *Session) Unseal(sealed, signature []byte) ([]byte, error) {
	message := make([]byte, len(sealed))
	s.incoming.seal.XORKeyStream(message, sealed)
	if !hmac.Equal(signature, s.incoming.sign(message)) {
		return nil, errors.New("NTLM message: wrong signature")
	}
	return message, nil
}

// sign makes the signature of the next message (3.4.4.2).
func (d *direction) sign(message []byte) []byte {
	sequence := binary.LittleEndian.AppendUint32(nil, d.sequence)
	d.sequence++
	sum := hmacMD5(d.signKey, sequence, message)[:8]
	if d.encryptSum {
		d.seal.XORKeyStream(sum, sum)
	}
	signature := binary.LittleEndian.AppendUint32(nil, 1)
	signature = append(signature, sum...)
	return append(signature, sequence...)
}
