package local

import (
	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/sftpfs"
)

// Within returns this machine as a command such as nsenter with the namespaces of a process
// sees it: each program and its arguments are appended to argv.
func Within(argv ...string) *Conn {
	c := &Conn{done: make(chan struct{})}
	c.as = &other{user: become.User{Name: argv[0], Enter: argv}, conn: c, helper: newHelper()}
	c.files = sftpfs.New(c.as, c.Exec)
	return c
}
