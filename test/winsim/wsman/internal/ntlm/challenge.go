package ntlm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// headerChallenge is the size of a challenge before its payload (2.2.1.2).
const headerChallenge = 56

// Challenge answers a client's first message (3.2.5.1.1).
func (s *Server) Challenge(negotiate []byte) (*Handshake, []byte, error) {
	if typeOf(negotiate) != typeNegotiate {
		return nil, nil, errors.New("NTLM message: not a NEGOTIATE_MESSAGE")
	}
	r := reader{message: negotiate}
	asked := r.uint32(12)
	if r.err != nil {
		return nil, nil, r.err
	}
	if asked&flagExtendedSession == 0 || asked&(flagUnicode|flagOEM) == 0 {
		return nil, nil, fmt.Errorf("NTLM message: flags %#08x: extended session security and a character set are needed", asked)
	}
	h := &Handshake{server: s, negotiate: negotiate}
	if _, err := io.ReadFull(s.Rand, h.challenge[:]); err != nil {
		return nil, nil, fmt.Errorf("make a challenge: %w", err)
	}
	h.challenged = s.encodeChallenge(asked, h.challenge)
	return h, h.challenged, nil
}

func (s *Server) encodeChallenge(asked uint32, challenge [8]byte) []byte {
	flags, target, info := negotiated(asked), utf16le(s.Computer), s.targetInfo()
	if flags&flagOEM != 0 {
		target = []byte(s.Computer)
	}
	m := append([]byte{}, signature...)
	m = binary.LittleEndian.AppendUint32(m, typeChallenge)
	m = appendField(m, len(target), headerChallenge)
	m = binary.LittleEndian.AppendUint32(m, flags)
	m = append(m, challenge[:]...)
	m = append(m, make([]byte, 8)...) // reserved
	m = appendField(m, len(info), headerChallenge+len(target))
	m = append(m, version...)
	m = append(m, target...)
	return append(m, info...)
}

// targetInfo is what a machine outside of a domain says of itself. With its time in
// it, clients answer with the server's time and need no clock of their own.
func (s *Server) targetInfo() []byte {
	name := utf16le(s.Computer)
	return encodePairs([]pair{
		{avDomainName, name},
		{avComputerName, name},
		{avDNSDomainName, name},
		{avDNSComputerName, name},
		{avTimestamp, binary.LittleEndian.AppendUint64(nil, filetime(s.Now()))},
	})
}

func appendField(m []byte, size, offset int) []byte {
	m = binary.LittleEndian.AppendUint16(m, uint16(size))
	m = binary.LittleEndian.AppendUint16(m, uint16(size))
	return binary.LittleEndian.AppendUint32(m, uint32(offset))
}

// epoch is 1970 as a FILETIME, in seconds since 1601; a FILETIME has steps of 100 ns.
const (
	epoch = 11644473600
	steps = 10_000_000
)

func filetime(t time.Time) uint64 {
	return uint64(t.Unix()+epoch)*steps + uint64(t.Nanosecond()/100)
}

func fromFiletime(ft uint64) time.Time {
	return time.Unix(int64(ft/steps)-epoch, int64(ft%steps)*100)
}
