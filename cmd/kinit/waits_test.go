package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/cmd/kinit/exit"
	"kinit/engine/transport/transporttest/hostile"
	"kinit/engine/transport/transporttest/sshd"
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
		"SSH session":         server(func(reached func()) hostile.Behaviour { return hostile.Behaviour{Open: reached} }, echoTask),
		"lock of another run": heldLock,
		"end of a takeover":   stubbornRun,
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

// lockOf writes the lock of an owner for a run of the name OLD, which ends after so many seconds from now, and returns a run of
// the same owner on a host that is this machine.
func lockOf(t *testing.T, seconds int) (folder string, s stalled) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("the locks of a host are root's")
	}
	owner := strings.ToLower("ctrl-c-" + rand.Text())
	folder = "/var/lib/kinit/locks/" + owner
	script := fmt.Sprintf(`set -e; mkdir -p %s; cd %[1]s; ln -s / run.OLD; read -r up rest </proc/uptime; read -r boot </proc/sys/kernel/random/boot_id
up=$((${up%%.*} * 100)); echo "me@here/1/OLD $boot $up $((up + %d * 100)) 0" >holder`, folder, seconds)
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	host := sshd.Start(t)
	return folder, stalled{task: "spec \"waits\" {\n owner = \"" + owner + "\"\n}\n" + echoTask, inventory: farHost(host.Port, login(host.User, host.ClientKey, strings.TrimSpace(host.HostKey)))}
}

// heldLock is a lock whose holder may be at work.
func heldLock(t *testing.T, reached func()) stalled {
	folder, s := lockOf(t, 25)
	watch, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	if err == nil {
		_, err = syscall.InotifyAddWatch(watch, folder+"/holder", syscall.IN_ACCESS)
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if _, err := syscall.Read(watch, make([]byte, 4096)); err == nil {
			time.Sleep(time.Second) // until the answer has arrived
			reached()
		}
	}()
	return s
}

// stubbornRun is a dead run whose process does not end when it is asked to.
func stubbornRun(t *testing.T, reached func()) stalled {
	folder, s := lockOf(t, -1)
	mark := filepath.Join(t.TempDir(), "asked")
	cmd := exec.Command("sh", "-c", "KINIT_RUN=OLD KINIT_COMMAND=$$ exec sh -c 'trap \"echo >>"+mark+"\" TERM; while :; do sleep 0.1; done'")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if _, err := os.Stat(folder + "/run.OLD"); err == nil {
			t.Error("the run that was taken over is not fenced")
		}
	})
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(mark); err == nil {
				reached()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	return s
}
