package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/cmd/kinit/exit"
	"kinit/engine/transport/transporttest/hostile"
)

// mostToStop is how long the test lets an interrupted program take. It takes a few hundred milliseconds and is meant to take
// at most 2 s; machines that run tests may be slow.
const mostToStop = 10 * time.Second

// stalled is a run that waits for a host, an agent or an inventory script that never answers.
type stalled struct {
	inventory string   // the text of hosts.hcl
	script    string   // a script beside it that is an inventory
	environ   []string // besides the usual
	task      string
}

// stall sets up such a run. It calls reached when the program waits.
type stall func(t *testing.T, reached func()) stalled

const echoTask = "task \"command\" \"x\" {\n host = \"far\"\n argv = [\"true\"]\n}\n"

// TestCtrlCEndsEveryWait interrupts the program while it waits for an answer that never comes.
func TestCtrlCEndsEveryWait(t *testing.T) {
	t.Parallel()
	for name, stall := range map[string]stall{
		"TCP connection": fullQueue,
		"SSH version": server(func(reached func()) hostile.Behaviour {
			return hostile.Behaviour{Greet: func(c net.Conn) { swallow(c, reached) }}
		}, echoTask),
		"SSH key exchange": server(func(reached func()) hostile.Behaviour {
			return hostile.Behaviour{Greet: func(c net.Conn) {
				_, _ = io.WriteString(c, "SSH-2.0-silent\r\n")
				swallow(c, reached)
			}}
		}, echoTask),
		"SSH login": server(func(reached func()) hostile.Behaviour {
			return hostile.Behaviour{Configure: func(c *ssh.ServerConfig) {
				c.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
					reached()
					time.Sleep(time.Minute)
					return nil, errors.New("too late")
				}
			}}
		}, echoTask),
		"program on the host": server(func(reached func()) hostile.Behaviour {
			return hostile.Behaviour{Shell: func(c ssh.Channel) { swallow(c, reached) }}
		}, echoTask),
		"SFTP": server(func(reached func()) hostile.Behaviour {
			return hostile.Behaviour{Files: func(byte, []byte) []byte {
				reached()
				return nil
			}}
		}, "task \"stat\" \"x\" {\n host = \"far\"\n path = \"/etc/hostname\"\n}\n"),
		"ssh-agent":        silentAgent,
		"WinRM":            silentWindows,
		"inventory script": silentScript,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waits := make(chan struct{})
			s := stall(t, sync.OnceFunc(func() { close(waits) }))
			took, code, said := stopped(t, s, waits)
			t.Logf("it took %s to stop", took.Round(time.Millisecond))
			if took > mostToStop || code != exit.Interrupted {
				t.Errorf("it took %s to stop, with code %d; want at most %s and %d:\n%.3000s", took, code, mostToStop, exit.Interrupted, said)
			}
		})
	}
}

// stopped runs the program, interrupts it when it waits, and returns how long it took to end then.
func stopped(t *testing.T, s stalled, waits <-chan struct{}) (took time.Duration, code int, said string) {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "site.hcl", s.task)
	inventory := "hosts.hcl"
	if s.script != "" {
		inventory = "hosts.sh"
		put(t, dir, inventory, s.script)
		if err := os.Chmod(filepath.Join(dir, inventory), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "hosts.hcl", s.inventory)
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	cmd := newMeasuredCommand(ctx, dir, "run", "site.hcl", "--inventory", inventory)
	cmd.WaitDelay = time.Second
	cmd.Env = append(cmd.Env, s.environ...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-waits:
	case <-ended:
		t.Fatalf("it ended before it waited:\n%.3000s", cmd.said.String())
	}
	begin := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ended
	return time.Since(begin), cmd.ProcessState.ExitCode(), cmd.said.String()
}

// swallow reads without an answer until the other side ends.
func swallow(c io.Reader, reached func()) {
	reached()
	_, _ = io.Copy(io.Discard, c)
}

func server(behaves func(reached func()) hostile.Behaviour, task string) stall {
	return func(t *testing.T, reached func()) stalled {
		s := hostile.Start(t, behaves(reached))
		return stalled{task: task, inventory: farHost(s.Port, login("root", s.KeyFile, s.HostKey))}
	}
}

// listen accepts connections and swallows what they send.
func listen(t *testing.T, network, address string, reached func()) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				swallow(c, reached)
			}()
		}
	}()
	return l
}

func silentAgent(t *testing.T, reached func()) stalled {
	s := hostile.Start(t, hostile.Behaviour{})
	socket := filepath.Join(t.TempDir(), "agent")
	listen(t, "unix", socket, reached)
	return stalled{task: echoTask, environ: []string{"SSH_AUTH_SOCK=" + socket}, inventory: farHost(s.Port, `user = "root"`, fmt.Sprintf("host_keys = [%q]", s.HostKey))}
}

func silentWindows(t *testing.T, reached func()) stalled {
	l := listen(t, "tcp", "127.0.0.1:0", reached)
	return stalled{
		task:      "task \"win_powershell\" \"x\" {\n host = \"far\"\n script = \"exit 0\"\n}\n",
		inventory: farHost(l.Addr().(*net.TCPAddr).Port, `transport = "winrm"`, `user = "a"`, `password = "correct-horse"`),
	}
}

// silentScript is an inventory script whose child holds its output.
func silentScript(t *testing.T, reached func()) stalled {
	mark := filepath.Join(t.TempDir(), "runs")
	if err := syscall.Mkfifo(mark, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if _, err := os.ReadFile(mark); err == nil {
			reached()
		}
	}()
	return stalled{task: strings.Replace(echoTask, "far", "localhost", 1), script: "#!/bin/sh\nsleep 60 &\n: >" + mark + "\nsleep 60\n"}
}

// fullQueue is a listener whose queue is full, so that a further connection is not answered.
func fullQueue(t *testing.T, reached func()) stalled {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port := name.(*syscall.SockaddrInet4).Port
	for range 8 {
		c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), 200*time.Millisecond)
		if err != nil {
			break // it is full
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	// The kernel lists a connection that waits for its answer with the state 02.
	waiting := fmt.Sprintf(":%04X 02 ", port)
	go func() {
		for t.Context().Err() == nil {
			if text, err := os.ReadFile("/proc/net/tcp"); err == nil && strings.Contains(string(text), waiting) {
				reached()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return stalled{task: echoTask, inventory: farHost(port, `user = "root"`, `identity_file = "key"`)}
}
