package hostile

import (
	"reflect"
	"unsafe"

	"golang.org/x/crypto/ssh"
)

// Conn is a connection after the login.
type Conn struct{ *ssh.ServerConn }

// Send sends a packet of any type. The library has no way to send most types, so its own
// function is called by its name.
func (c *Conn) Send(packet []byte) error {
	own := reflect.ValueOf(c.ServerConn.Conn).Elem().FieldByName("transport")
	return writePacket(own.Elem().UnsafePointer(), append([]byte(nil), packet...))
}

//go:linkname writePacket golang.org/x/crypto/ssh.(*handshakeTransport).writePacket
func writePacket(transport unsafe.Pointer, packet []byte) error
