package ntlm

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Places in an AUTHENTICATE_MESSAGE (2.2.1.3).
const (
	atResponse    = 20
	atDomain      = 28
	atUser        = 36
	atWorkstation = 44
	atSessionKey  = 52
	atFlags       = 60
	atIntegrity   = 72
)

// Places in an NTLMv2 response (2.2.2.7 and 2.2.2.8): behind the proof of 16 bytes
// come versions, the time, the client's challenge and its attributes.
const (
	sizeProof = 16
	atTime    = sizeProof + 8
	atPairs   = sizeProof + 28
)

// Authenticate verifies the client's answer to the challenge (3.2.5.1.2) and
// returns who it is and the session that its messages are sealed in, nil when the
// client asked for no sealing. A wrong answer is ErrLogon.
func (h *Handshake) Authenticate(message []byte) (Identity, *Session, error) {
	if typeOf(message) != typeAuthenticate {
		return Identity{}, nil, errors.New("NTLM message: not an AUTHENTICATE_MESSAGE")
	}
	r := reader{message: message}
	response, flags := r.payload(atResponse), r.uint32(atFlags)
	id := Identity{User: r.text(atUser, flags), Domain: r.text(atDomain, flags), Workstation: r.text(atWorkstation, flags)}
	encryptedKey := r.payload(atSessionKey)
	if r.err != nil {
		return Identity{}, nil, r.err
	}
	base, err := h.verify(id, response)
	if err != nil {
		return id, nil, err
	}
	key, err := exportedKey(base, encryptedKey, flags)
	if err != nil {
		return id, nil, err
	}
	if err := h.verifyAttributes(message, response, key); err != nil {
		return id, nil, err
	}
	session, err := newSession(flags, key)
	return id, session, err
}

// verify returns the session's base key (3.3.2).
func (h *Handshake) verify(id Identity, response []byte) ([]byte, error) {
	if len(response) < atPairs {
		return nil, fmt.Errorf("%w: an NTLMv2 response is needed, these are %d bytes", ErrLogon, len(response))
	}
	hash, ok := h.server.NTHash(id.User)
	if !ok {
		return nil, fmt.Errorf("%w: no user %q", ErrLogon, id.User)
	}
	responseKey := hmacMD5(hash, utf16le(strings.ToUpper(id.User)+id.Domain))
	proof := hmacMD5(responseKey, h.challenge[:], response[sizeProof:])
	if !hmac.Equal(proof, response[:sizeProof]) {
		return nil, fmt.Errorf("%w: wrong password of %q", ErrLogon, id.User)
	}
	return hmacMD5(responseKey, proof), nil
}

// exportedKey is the key that the client chose, or the base key when it chose none.
func exportedKey(base, encrypted []byte, flags uint32) ([]byte, error) {
	if flags&flagKeyExchange == 0 {
		return base, nil
	}
	if len(encrypted) != 16 {
		return nil, fmt.Errorf("NTLM message: a session key of %d bytes, not 16", len(encrypted))
	}
	cipher, err := rc4.NewCipher(base)
	if err != nil {
		return nil, err
	}
	key := make([]byte, len(encrypted))
	cipher.XORKeyStream(key, encrypted)
	return key, nil
}

// verifyAttributes looks at what the client's response vouches for: the time, the
// channel and the integrity of the handshake.
func (h *Handshake) verifyAttributes(message, response, key []byte) error {
	sent := fromFiletime(binary.LittleEndian.Uint64(response[atTime:]))
	if skew := h.server.Now().Sub(sent).Abs(); skew > maxLifetime {
		return fmt.Errorf("%w: the client's time is %s away", ErrLogon, skew)
	}
	pairs, err := decodePairs(response[atPairs:])
	if err != nil {
		return err
	}
	if err := h.verifyBindings(pairs[avChannelBindings]); err != nil {
		return err
	}
	if flags := pairs[avFlags]; len(flags) == 4 && binary.LittleEndian.Uint32(flags)&avFlagHasIntegrity != 0 {
		return h.verifyIntegrity(message, key)
	}
	return nil
}

func (h *Handshake) verifyBindings(got []byte) error {
	given := len(got) == md5.Size && !bytes.Equal(got, make([]byte, md5.Size))
	if h.server.Bindings == nil || !given && !h.server.RequireBindings {
		return nil
	}
	if !hmac.Equal(got, h.server.Bindings) {
		return fmt.Errorf("%w: not the binding of this TLS channel", ErrLogon)
	}
	return nil
}

// verifyIntegrity checks the code over the three messages of the handshake.
func (h *Handshake) verifyIntegrity(message, key []byte) error {
	if len(message) < atIntegrity+md5.Size {
		return errors.New("NTLM message: no room for the integrity code that it announces")
	}
	zeroed := bytes.Clone(message)
	clear(zeroed[atIntegrity : atIntegrity+md5.Size])
	want := hmacMD5(key, h.negotiate, h.challenged, zeroed)
	if !hmac.Equal(want, message[atIntegrity:atIntegrity+md5.Size]) {
		return fmt.Errorf("%w: the handshake was altered", ErrLogon)
	}
	return nil
}

func hmacMD5(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(md5.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}
