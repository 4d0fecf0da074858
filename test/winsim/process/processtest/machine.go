// Package processtest has a machine with a handful of programs, enough to tell
// whether a server carries lines, streams, exit codes and logins as it should.
package processtest

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/process"
)

// User and Password are those of the machine's one account.
const (
	User     = "Administrator"
	Password = `Gleis 3, "8:15" <ab>`
)

var (
	_ process.Runner = (*Machine)(nil)
	_ process.Login  = (*Machine)(nil)
)

// Machine runs the programs that its method run lists. Its zero value is ready.
type Machine struct {
	// Thumbprint is the client certificate that User may log in with.
	Thumbprint string
	// PublicKey is the SSH key that User may log in with.
	PublicKey ssh.PublicKey
}

// Run runs a line of cmd.exe, or powershell.exe, whose scripts are such lines too.
func (m *Machine) Run(ctx context.Context, c process.Command) (uint32, error) {
	words := append(strings.Fields(c.Line), c.Args...)
	if strings.EqualFold(strings.TrimSuffix(strings.ToLower(words[0]), ".exe"), "powershell") {
		script, err := script(words[1:])
		if err != nil {
			return 0, err
		}
		words = strings.Fields(script)
	}
	return m.run(ctx, c, words)
}

// script is the line in the arguments of powershell.exe.
func script(args []string) (string, error) {
	last := args[len(args)-1]
	for _, arg := range args {
		if !strings.EqualFold(arg, "-EncodedCommand") {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(last)
		if err != nil {
			return "", err
		}
		units := make([]uint16, len(raw)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(raw[2*i:])
		}
		return string(utf16.Decode(units)), nil
	}
	return last, nil
}

// run is the list of programs.
func (m *Machine) run(ctx context.Context, c process.Command, words []string) (uint32, error) {
	rest := strings.Join(words[1:], " ")
	switch strings.ToLower(words[0]) {
	case "echo":
		return write(c.Stdout, rest+"\r\n")
	case "complain":
		_, err := write(c.Stderr, rest+"\r\n")
		return 3, err
	case "exit":
		code, err := strconv.ParseUint(rest, 10, 32)
		return uint32(code), err
	case "cat":
		_, err := io.Copy(c.Stdout, c.Stdin)
		return 0, err
	case "zeros":
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return 0, err
		}
		_, err = io.CopyN(c.Stdout, zeros{}, n)
		return 0, err
	case "hang":
		_, _ = write(c.Stdout, "hanging\r\n")
		<-ctx.Done()
		return 0, nil
	case "about":
		return write(c.Stdout, fmt.Sprintf("%s in %s with %s on %d\r\n", c.User, c.Dir, c.Env[rest], c.CodePage))
	}
	return 0, fmt.Errorf("the machine has no program %q", words[0])
}

func write(w io.Writer, text string) (uint32, error) {
	_, err := io.WriteString(w, text)
	return 0, err
}

// zeros is an endless file of the digit 0.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// Password reports whether the password is the user's.
func (m *Machine) Password(user, password string) bool {
	return strings.EqualFold(user, User) && password == Password
}

// NTHash is made of the password.
func (m *Machine) NTHash(user string) ([]byte, bool) {
	return process.NTHash(Password), strings.EqualFold(user, User)
}

// Certificate maps the one thumbprint.
func (m *Machine) Certificate(thumbprint string) (string, bool) {
	return User, m.Thumbprint != "" && thumbprint == m.Thumbprint
}

// Key reports whether the key is the one.
func (m *Machine) Key(user string, key ssh.PublicKey) bool {
	return m.PublicKey != nil && strings.EqualFold(user, User) && string(key.Marshal()) == string(m.PublicKey.Marshal())
}
