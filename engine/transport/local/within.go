package local

import (
	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/sftpfs"
)

// Within returns this machine as it is seen by what a command starts, such as nsenter
// with the namespaces of a process: the command gets a program and its arguments behind
// its own.
func Within(argv ...string) *Conn {
	c := &Conn{done: make(chan struct{})}
	c.as = &other{user: become.User{Name: argv[0], Enter: argv}, conn: c, helper: newHelper()}
	c.files = sftpfs.New(c.as, c.Exec)
	return c
}
