package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

func TestCommandScript(t *testing.T) {
	cases := []struct {
		name string
		last int
		from input
		data string
		want string
	}{
		{"the first, without input", 0, fromNothing, "", `{
printf NS; printf N >&4
(read -r p r </proc/self/stat; echo $p; exec setsid /bin/sh -c 'echo it'\''s' </dev/null 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`},
		{"after another, with a short input", 42, fromScript, "a'%\n", `{
kill -0 -42 && { printf NB; exit; }
printf NS; printf N >&4
printf 'a\047%%\012' | (read -r p r </proc/self/stat; echo $p; exec setsid /bin/sh -c 'echo it'\''s' 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`},
		{"with the session's input", 0, fromSession, "", `{
printf NS; printf N >&4
(read -r p r </proc/self/stat; echo $p; exec setsid /bin/sh -c 'echo it'\''s' 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := command("N", "echo it's", c.last, c.from, []byte(c.data)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// The bytes must come out of a real printf, of every shell there is here.
func TestPrintfFormat(t *testing.T) {
	every := make([]byte, 0, 3*256)
	for c := range 256 {
		every = append(every, byte(c), '7', byte(c))
	}
	for _, shell := range [][]string{{"sh"}, {"bash"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue
		}
		got, err := exec.Command(shell[0], append(shell[1:], "-c", "printf '"+printfFormat(every)+"'")...).Output()
		if !bytes.Equal(got, every) || err != nil {
			t.Errorf("%s: got %q, error %v", shell, got, err)
		}
	}
}

func TestAuthRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain": true,
		"ssh: handshake failed: ssh: disconnect, reason 2: Too many authentication failures":                                  true,
		"ssh: handshake failed: EOF":                       false,
		"ssh: handshake failed: read: connection reset":    false,
		"ssh: handshake failed: ssh: no common algorithms": false,
	} {
		if got := authRefused(errors.New(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if !channelRefused(fmt.Errorf("open: %w", &gossh.OpenChannelError{})) || channelRefused(errors.New("EOF")) {
		t.Error("a refused channel is not told from a lost connection")
	}
}
