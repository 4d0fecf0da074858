// Package ntlm is the server's side of NTLM, written from MS-NLMP: it challenges a
// client, verifies its NTLMv2 response, and seals and signs messages afterwards.
//
// NTLMv1 is refused, as Windows Server 2025 does. Numbers in comments are sections
// of MS-NLMP.
package ntlm

import (
	"errors"
	"io"
	"time"
)

// ErrLogon says that the client's message was understood and that its answer to the
// challenge, its channel binding or its integrity code is wrong.
var ErrLogon = errors.New("logon failure")

// maxLifetime is how far the client's time may be from the server's (3.1.1.1).
const maxLifetime = 36 * time.Hour

// Server holds what does not change between handshakes.
type Server struct {
	// Computer is the NetBIOS name of the machine, and of the domain of its local
	// accounts.
	Computer string
	// NTHash finds NTOWFv1 of a user's password.
	NTHash func(user string) (hash []byte, ok bool)
	// Bindings are what Bindings made of the certificate of the TLS channel, or nil
	// without TLS.
	Bindings []byte
	// RequireBindings refuses clients that send no channel binding. A wrong one is
	// always refused.
	RequireBindings bool
	// Rand gives the server's challenges.
	Rand io.Reader
	// Now is the server's clock.
	Now func() time.Time
}

// Handshake is a challenge that waits for its answer.
type Handshake struct {
	server     *Server
	challenge  [8]byte
	negotiate  []byte // the three messages as they travelled, for the integrity code
	challenged []byte
}

// Identity is who the client has proved to be.
type Identity struct {
	User, Domain, Workstation string
}
