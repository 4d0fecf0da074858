package ssh_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
	"kinit/engine/transport/transporttest/sudohost"
)

// asks is a user who answers questions in their order.
type asks struct {
	mu        sync.Mutex
	answers   []string
	questions []string
}

func (a *asks) prompter() *ssh.Prompter {
	return ssh.NewPrompter(func(_ context.Context, question string) (secret.Value, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.questions = append(a.questions, question)
		if len(a.answers) == 0 {
			return "", errors.New("nobody answers")
		}
		answer := a.answers[0]
		a.answers = a.answers[1:]
		return secret.Value(answer), nil
	})
}

func TestLoginByPassword(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"password":             {"PasswordAuthentication yes"},
		"keyboard-interactive": {"UsePAM yes", "KbdInteractiveAuthentication yes"},
		"both":                 {"UsePAM yes", "KbdInteractiveAuthentication yes", "PasswordAuthentication yes"},
		"a key and a password": {"UsePAM yes", "KbdInteractiveAuthentication yes", "AuthenticationMethods publickey,keyboard-interactive"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sudohost.Start(t, lines...)
			h.Run(t, "printf 'auth required pam_unix.so\\naccount required pam_unix.so\\nsession required pam_permit.so\\n' >/etc/pam.d/sshd")
			c := config(h.Server)
			c.User, c.Password = h.User, transport.NewPassword(sudohost.Password)
			if name != "a key and a password" {
				c.IdentityFiles = []string{"none"}
			}
			says(t, dial(t, c), "id -un", h.User+"\n")

			c.Password = transport.NewPassword("Wrong-horse-battery")
			before := h.Log()
			for range 3 {
				_, err := ssh.Dial(t.Context(), c)
				if !errors.Is(err, transport.ErrAuth) || !errors.Is(err, transport.ErrPassword) || strings.Contains(err.Error(), "Wrong-horse") {
					t.Errorf("error is %v", err)
				}
			}
			failed := 0
			for deadline := time.Now().Add(20 * time.Second); failed == 0 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
				log := h.Log()[len(before):] // arrives later
				failed = strings.Count(log, "Failed password") + strings.Count(log, "PAM: Authentication failure")
			}
			if failed != 1 {
				t.Errorf("the wrong password was given %d times, want 1:\n%s", failed, h.Log()[len(before):])
			}
		})
	}
}

// secondFactor is a server that accepts any key and then asks for a password and a code.
func secondFactor(t *testing.T) ssh.Config {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := gossh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	server := &gossh.ServerConfig{PublicKeyCallback: func(gossh.ConnMetadata, gossh.PublicKey) (*gossh.Permissions, error) {
		return nil, &gossh.PartialSuccessError{Next: gossh.ServerAuthCallbacks{
			KeyboardInteractiveCallback: func(_ gossh.ConnMetadata, ask gossh.KeyboardInteractiveChallenge) (*gossh.Permissions, error) {
				password, err := ask("", "", []string{"Password: "}, []bool{false})
				if err != nil {
					return nil, err
				}
				code, err := ask("", "Look at your telephone.", []string{"Verification code: "}, []bool{false})
				if err != nil || password[0] != "the-password" || code[0] != "123456" {
					return nil, errors.New("refused")
				}
				return nil, nil
			},
		}}
	}}
	server.AddHostKey(signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				up, channels, requests, err := gossh.NewServerConn(conn, server)
				if err != nil {
					return
				}
				go gossh.DiscardRequests(requests)
				for channel := range channels {
					_ = channel.Reject(gossh.Prohibited, "no")
				}
				_ = up.Close()
			}()
		}
	}()
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	number, _ := strconv.Atoi(port)
	return ssh.Config{
		Name: "node1", Address: host, Port: number, User: "web", IdentityFiles: []string{sshd.Keygen(t, filepath.Join(t.TempDir(), "key"))},
		HostKeys: []string{string(gossh.MarshalAuthorizedKey(signer.PublicKey()))},
	}
}

func TestOneTimeCodeIsAskedForOnTheTerminal(t *testing.T) {
	t.Parallel()
	c := secondFactor(t)
	user := &asks{answers: []string{"123456"}}
	c.Password, c.Prompter = transport.NewPassword("the-password"), user.prompter()
	conn, err := ssh.Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if len(user.questions) != 1 || !strings.HasPrefix(user.questions[0], "web@node1 (127.0.0.1:") || !strings.HasSuffix(user.questions[0], "Look at your telephone.\nVerification code: ") {
		t.Errorf("the user was asked %q", user.questions)
	}

	c.Password, c.Prompter = nil, (&asks{answers: []string{"the-password", "123456"}}).prompter()
	if conn, err = ssh.Dial(t.Context(), c); err != nil {
		t.Error(err)
	} else {
		_ = conn.Close()
	}

	c.Password, c.Prompter = transport.NewPassword("the-password"), nil
	if _, err = ssh.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) || !strings.Contains(err.Error(), `it asks "Verification code: ", and kinit has no terminal to ask you`) {
		t.Errorf("without a terminal the error is %v", err)
	}
}

func TestPassphraseOfAKeyIsAskedForOnce(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	key := filepath.Join(t.TempDir(), "locked")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "the passphrase", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err == nil {
		err = os.WriteFile(server.ClientKey+".pub", public, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := config(server)
	c.IdentityFiles = []string{key}
	user := &asks{answers: []string{"a mistake", "the passphrase"}}
	c.Prompter = user.prompter()
	for range 2 {
		says(t, dial(t, c), "echo in", "in\n")
	}
	if len(user.questions) != 2 || user.questions[0] != "Passphrase for "+key+":" || user.questions[1] != "Wrong passphrase. Passphrase for "+key+":" {
		t.Errorf("the user was asked %q", user.questions)
	}
	c.Prompter = (&asks{answers: []string{"a", "b", "c", "d"}}).prompter()
	for range 2 {
		if _, err := ssh.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) || !strings.Contains(err.Error(), "no passphrase opened "+key+": add the key to ssh-agent") {
			t.Errorf("error is %v", err)
		}
	}
	c.Prompter = nil
	if _, err := ssh.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) || !strings.Contains(err.Error(), "has a passphrase: add it to ssh-agent, or run kinit on a terminal") {
		t.Errorf("without a terminal the error is %v", err)
	}
}
