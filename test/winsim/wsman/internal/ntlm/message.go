package ntlm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"
)

var (
	signature = []byte("NTLMSSP\x00")
	// version is the server's (2.2.2.10): 10.0, build 20348, NTLMSSP_REVISION_W2K3.
	version = []byte{10, 0, 0x7c, 0x4f, 0, 0, 0, 15}
)

const (
	typeNegotiate    = 1
	typeChallenge    = 2
	typeAuthenticate = 3
)

// IsMessage reports whether a token is a message of NTLM, and not one that is wrapped
// in another protocol.
func IsMessage(token []byte) bool { return bytes.HasPrefix(token, signature) }

// IsNegotiate reports whether a message begins a handshake.
func IsNegotiate(message []byte) bool { return typeOf(message) == typeNegotiate }

func typeOf(message []byte) uint32 {
	if !IsMessage(message) || len(message) < 12 {
		return 0
	}
	return binary.LittleEndian.Uint32(message[8:])
}

// reader takes fields of a message apart and remembers the first error.
type reader struct {
	message []byte
	err     error
}

func (r *reader) uint32(at int) uint32 {
	if r.err != nil || at+4 > len(r.message) {
		r.fail("it ends before offset %d", at+4)
		return 0
	}
	return binary.LittleEndian.Uint32(r.message[at:])
}

// payload is what the length and offset at a place point to.
func (r *reader) payload(at int) []byte {
	if at+8 > len(r.message) {
		r.fail("it ends before offset %d", at+8)
		return nil
	}
	size := int(binary.LittleEndian.Uint16(r.message[at:]))
	offset := int(binary.LittleEndian.Uint32(r.message[at+4:]))
	if offset > len(r.message) || size > len(r.message)-offset {
		r.fail("the field at offset %d points behind its end", at)
		return nil
	}
	return r.message[offset : offset+size]
}

// text is a name in the message's character set. Of OEM code pages, only what all
// have in common is understood.
func (r *reader) text(at int, flags uint32) string {
	raw := r.payload(at)
	if flags&flagUnicode == 0 {
		if bytes.ContainsFunc(raw, func(c rune) bool { return c > 0x7f }) {
			r.fail("the text at offset %d is no ASCII", at)
		}
		return string(raw)
	}
	if len(raw)%2 != 0 {
		r.fail("the text at offset %d is no UTF-16", at)
		return ""
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = errors.New("NTLM message: " + fmt.Sprintf(format, args...))
	}
}

// utf16le is a text in UTF-16, little-endian.
func utf16le(text string) []byte {
	units := utf16.Encode([]rune(text))
	raw := make([]byte, 0, 2*len(units))
	for _, unit := range units {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return raw
}

// pair is one attribute with its value (2.2.2.1).
type pair struct {
	id    uint16
	value []byte
}

func encodePairs(pairs []pair) []byte {
	var raw []byte
	for _, p := range append(pairs, pair{id: avEnd}) {
		raw = binary.LittleEndian.AppendUint16(raw, p.id)
		raw = binary.LittleEndian.AppendUint16(raw, uint16(len(p.value)))
		raw = append(raw, p.value...)
	}
	return raw
}

func decodePairs(raw []byte) (map[uint16][]byte, error) {
	pairs := map[uint16][]byte{}
	for len(raw) >= 4 {
		id, size := binary.LittleEndian.Uint16(raw), int(binary.LittleEndian.Uint16(raw[2:]))
		if id == avEnd {
			return pairs, nil
		}
		if size > len(raw)-4 {
			break
		}
		pairs[id] = raw[4 : 4+size]
		raw = raw[4+size:]
	}
	return nil, errors.New("NTLM message: the list of attributes has no end")
}
