// Package process is the contract between the servers of the simulated Windows
// node and the machine behind them.
//
// The servers (wsman, sshd) know protocols: how a command line arrives, how its
// streams travel and how it is ended. What the line does is the machine's: it
// gives a Runner. Who may log in is the machine's too: it gives a Login.
package process

import (
	"context"
	"io"

	"golang.org/x/crypto/ssh"
)

// Command is what a server was asked to start.
type Command struct {
	// Line is a command line for cmd.exe, as it stands after "cmd.exe /c ", when
	// Args is nil. Else it is the name or path of a program.
	Line string
	// Args are the arguments that the program named by Line gets, exactly and
	// without any further parsing. They are nil over WinRM, whose server joins
	// command and arguments with spaces and gives them to cmd.exe. Over SSH, Line is
	// powershell.exe and Args are -c and the line that the client sent, because
	// that is how the default shell is called; without a line there is nothing but
	// an empty, non-nil list, and the shell is interactive.
	Args []string
	// User is who logged in, as Login knows the name.
	User string
	// Stdin is never nil. It ends with io.EOF when the client says so, and fails
	// when the connection or the shell behind it is gone.
	Stdin io.Reader
	// Stdout and Stderr are never nil. A Write blocks while the client reads
	// nothing, and fails once the process was terminated.
	Stdout, Stderr io.Writer
	// Env are variables that the client set, besides the machine's own.
	Env map[string]string
	// Dir is the working directory that the client chose, as a Windows path; empty
	// when it chose none.
	Dir string
	// CodePage is the console's code page that the client asked for, such as 65001
	// for UTF-8, or 0 when it left that to the machine.
	CodePage int
}

// Runner runs commands as the machine. It is called by several goroutines at the
// same time.
type Runner interface {
	// Run runs the command to its end and returns its exit code, all 32 bits as
	// Windows has them. ctx ends when the process is terminated; Run then stops its
	// work and returns soon, and what it returns is not looked at. A program that
	// does not exist is no error of Run: the shell says so on Stderr and has an
	// exit code for it. An error means that the machine does not know how to do
	// what was asked, and tests fail with it.
	Run(ctx context.Context, c Command) (exitCode uint32, err error)
}

// Login tells who may log in. Names of users are compared as Windows does, without
// regard to case, by the implementation. It is called by several goroutines at the
// same time.
type Login interface {
	// Password reports whether the password is the user's.
	Password(user, password string) bool
	// NTHash is MD4 of the user's password in UTF-16LE, 16 bytes, which NTLM needs
	// in place of the password (MS-NLMP 3.3.1, NTOWFv1). ok is false for a user
	// that does not exist.
	NTHash(user string) (hash []byte, ok bool)
	// Certificate is the user that a client certificate is mapped to, by the
	// upper-case hexadecimal SHA-1 digest of the certificate.
	Certificate(thumbprint string) (user string, ok bool)
	// Key reports whether the SSH key is in the user's list of authorized keys.
	Key(user string, key ssh.PublicKey) bool
}
