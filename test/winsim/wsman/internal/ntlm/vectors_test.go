package ntlm

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

// The values of MS-NLMP 4.2.1 and 4.2.4: user "User" of domain "Domain" with the
// password "Password", at time 0, answers the challenge 0123456789abcdef and
// chooses the session key 5555….
const (
	vectorHash         = "a4f49c406510bdcab6824ee7c30fd852"
	vectorChallenge    = "0123456789abcdef"
	vectorAuthenticate = `
		4e544c4d53535000 03000000 18001800 6c000000 54005400 84000000 0c000c00
		48000000 08000800 54000000 10001000 5c000000 10001000 d8000000 358288e2
		0501280a0000000f 44006f006d00610069006e00 5500730065007200
		43004f004d0050005500540045005200 86c35097ac9cec102554764a57cccc19
		aaaaaaaaaaaaaaaa 68cd0ab851e51c96aabc927bebef6a1c 0101000000000000
		0000000000000000 aaaaaaaaaaaaaaaa 00000000
		02000c0044006f006d00610069006e00 01000c00530065007200760065007200
		0000000000000000 c5dad2544fc9799094ce1ce90bc9d03e`
	vectorSealed    = "54e50165bf1936dc996020c1811b0f06fb5f"
	vectorSignature = "010000007fb38ec5c55d497600000000"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func vectorServer(t testing.TB) *Server {
	hash := unhex(t, vectorHash)
	return &Server{
		Computer: "Server",
		NTHash:   func(user string) ([]byte, bool) { return hash, user == "User" },
		Rand:     bytes.NewReader(unhex(t, vectorChallenge)),
		Now:      func() time.Time { return fromFiletime(0) },
	}
}

// vectorNegotiate asks for what the specification's example has negotiated.
func vectorNegotiate(t testing.TB) []byte {
	return unhex(t, "4e544c4d53535000 01000000 358208e2 0000000000000000 0000000000000000 0501280a0000000f")
}

func TestTheSpecificationsAuthenticateMessageIsAccepted(t *testing.T) {
	t.Parallel()
	handshake, challenge, err := vectorServer(t).Challenge(vectorNegotiate(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(challenge[24:32]); got != vectorChallenge {
		t.Fatalf("challenge %s, want %s", got, vectorChallenge)
	}
	id, session, err := handshake.Authenticate(unhex(t, vectorAuthenticate))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Identity{User: "User", Domain: "Domain", Workstation: "COMPUTER"}); id != want {
		t.Errorf("identity %+v, want %+v", id, want)
	}
	message, err := session.Unseal(unhex(t, vectorSealed), unhex(t, vectorSignature))
	if err != nil {
		t.Fatal(err)
	}
	if want := utf16le("Plaintext"); !bytes.Equal(message, want) {
		t.Errorf("unsealed %x, want %x", message, want)
	}
}

func TestKeysAreTheSpecifications(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{0x55}, 16)
	for _, c := range []struct{ constant, want string }{
		{clientSealing, "59f600973cc4960a25480a7c196e4c58"},
		{clientSigning, "4788dc861b4782f35d43fd98fe1a2d39"},
	} {
		if got := hex.EncodeToString(derive(key, c.constant)); got != c.want {
			t.Errorf("%q: %s, want %s", c.constant, got, c.want)
		}
	}
}

func TestAnAlteredSealedMessageIsRefused(t *testing.T) {
	t.Parallel()
	handshake, _, err := vectorServer(t).Challenge(vectorNegotiate(t))
	if err != nil {
		t.Fatal(err)
	}
	_, session, err := handshake.Authenticate(unhex(t, vectorAuthenticate))
	if err != nil {
		t.Fatal(err)
	}
	sealed := unhex(t, vectorSealed)
	sealed[3] ^= 1
	if _, err := session.Unseal(sealed, unhex(t, vectorSignature)); err == nil || err.Error() != "NTLM message: wrong signature" {
		t.Errorf("error %v", err)
	}
}
