package ntlm

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"testing"
	"time"
)

// asked are the flags that the test's client asks for.
const asked = flagUnicode | flagExtendedSession | flagSeal | flag128

// client is a client of its own making, which can be told to be wrong.
type client struct {
	hash      []byte
	user      string
	now       time.Time
	bindings  []byte
	integrity bool
	flags     uint32
	alter     func(message []byte)
}

// answer makes an AUTHENTICATE_MESSAGE for the challenge.
func (c client) answer(t *testing.T, negotiate, challenge []byte) []byte {
	t.Helper()
	pairs := []pair{}
	if c.integrity {
		pairs = append(pairs, pair{avFlags, []byte{avFlagHasIntegrity, 0, 0, 0}})
	}
	if c.bindings != nil {
		pairs = append(pairs, pair{avChannelBindings, c.bindings})
	}
	temp := append([]byte{1, 1, 0, 0, 0, 0, 0, 0}, binary.LittleEndian.AppendUint64(nil, filetime(c.now))...)
	temp = append(temp, make([]byte, 12)...)
	temp = append(temp, encodePairs(pairs)...)
	responseKey := hmacMD5(c.hash, utf16le("ADMINISTRATOR"))
	proof := hmacMD5(responseKey, challenge[24:32], temp)
	base := hmacMD5(responseKey, proof)

	fields := [][]byte{nil, append(proof, temp...), nil, utf16le(c.user), nil, nil}
	m := binary.LittleEndian.AppendUint32(append([]byte{}, signature...), typeAuthenticate)
	offset := atIntegrity + 16
	for _, field := range fields {
		m = appendField(m, len(field), offset)
		offset += len(field)
	}
	m = binary.LittleEndian.AppendUint32(m, c.flags)
	m = append(m, version...)
	m = append(m, make([]byte, 16)...)
	for _, field := range fields {
		m = append(m, field...)
	}
	if c.integrity {
		copy(m[atIntegrity:], hmacMD5(base, negotiate, challenge, m))
	}
	if c.alter != nil {
		c.alter(m)
	}
	return m
}

func TestWrongAnswersAreLogonFailures(t *testing.T) {
	t.Parallel()
	hash, bindings := bytes.Repeat([]byte{7}, 16), bytes.Repeat([]byte{9}, 16)
	now := time.Unix(1_700_000_000, 0)
	right := client{now: now, hash: hash, user: "Administrator", bindings: bindings, integrity: true, flags: asked}
	for name, c := range map[string]struct {
		change func(*client)
		want   string
	}{
		"right":              {func(*client) {}, ""},
		"wrong password":     {func(c *client) { c.hash = make([]byte, 16) }, `logon failure: wrong password of "Administrator"`},
		"unknown user":       {func(c *client) { c.user = "stranger" }, `logon failure: no user "stranger"`},
		"clock of last week": {func(c *client) { c.now = now.Add(-7 * 24 * time.Hour) }, "logon failure: the client's time is 168h0m0s away"},
		"clock of yesterday": {func(c *client) { c.now = now.Add(-24 * time.Hour) }, ""},
		"another channel":    {func(c *client) { c.bindings = hash }, "logon failure: not the binding of this TLS channel"},
		"no channel":         {func(c *client) { c.bindings = nil }, "logon failure: not the binding of this TLS channel"},
		"altered flags": {func(c *client) { c.alter = func(m []byte) { m[atFlags+2] ^= 0x40 } },
			"logon failure: the handshake was altered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := Server{
				Computer: "WIN1", Bindings: bindings, RequireBindings: true, Rand: rand.Reader,
				NTHash: func(user string) ([]byte, bool) { return hash, user == "Administrator" },
				Now:    func() time.Time { return now },
			}
			negotiate := binary.LittleEndian.AppendUint32(append([]byte{}, signature...), typeNegotiate)
			negotiate = binary.LittleEndian.AppendUint32(negotiate, asked)
			handshake, challenge, err := server.Challenge(negotiate)
			if err != nil {
				t.Fatal(err)
			}
			chosen := right
			c.change(&chosen)
			_, _, err = handshake.Authenticate(chosen.answer(t, negotiate, challenge))
			if c.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !errors.Is(err, ErrLogon) || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestBrokenMessagesAreErrors(t *testing.T) {
	t.Parallel()
	server := vectorServer(t)
	handshake, _, err := server.Challenge(vectorNegotiate(t))
	if err != nil {
		t.Fatal(err)
	}
	whole := unhex(t, vectorAuthenticate)
	for size := range len(whole) {
		if _, _, err := handshake.Authenticate(whole[:size]); err == nil {
			t.Errorf("accepted although cut to %d of %d bytes", size, len(whole))
		}
	}
}
