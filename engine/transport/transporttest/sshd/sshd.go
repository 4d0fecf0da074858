// Package sshd starts a real OpenSSH server for tests, on this machine, on a free
// port, with keys of its own.
package sshd

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kinit/engine/need"
)

// program is where distributions have the server.
const program = "/usr/sbin/sshd"

// Server is a running server that lets the current user in.
type Server struct {
	Addr       string // host:port
	Host       string // 127.0.0.1
	Port       int
	User       string // who may log in
	HostKey    string // the public host key, as in authorized_keys
	ClientKey  string // file with a private key that opens the door
	KnownHosts string // file with the host key
	Dir        string // the server's folder

	lines   []string
	enter   []string // what comes before its command
	process *exec.Cmd
	ended   chan struct{}
	log     *log
}

// Start starts a server, which ends with the test, with further lines in its
// sshd_config that win over the usual ones. Without OpenSSH the test is skipped,
// or fails when KINIT_REQUIRE names sshd.
func Start(t testing.TB, lines ...string) *Server {
	t.Helper()
	return Within(t, nil, lines...)
}

// Within starts a server by a command that others come before, such as one that enters a
// namespace, where the temporary folders are those of the test.
func Within(t testing.TB, enter []string, lines ...string) *Server {
	t.Helper()
	need.Programs(t, "sshd", program, "ssh-keygen")
	s := &Server{Host: "127.0.0.1", Dir: t.TempDir(), lines: lines, enter: enter}
	s.User = currentUser(t)
	s.ClientKey = s.keygen(t, "client")
	s.HostKey = read(t, s.keygen(t, "host")+".pub")
	for try := 1; ; try++ {
		err := s.start(t)
		if err == nil {
			break
		}
		if try == 5 { // another process may take the port in between
			t.Fatalf("start sshd: %v\n%s", err, s.log)
		}
	}
	t.Cleanup(s.Stop)
	return s
}

// start writes the files for a port and starts the server on it.
func (s *Server) start(t testing.TB) error {
	s.Port = need.Port(t)
	s.Addr = net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	s.KnownHosts = filepath.Join(s.Dir, "known_hosts")
	write(t, s.KnownHosts, fmt.Sprintf("[%s]:%d %s\n", s.Host, s.Port, strings.TrimSpace(s.HostKey)))
	return s.Restart(t)
}

// Restart starts a stopped server on the same port.
func (s *Server) Restart(t testing.TB) error {
	config := filepath.Join(s.Dir, "sshd_config")
	write(t, config, strings.Join(append(s.given(), s.config()...), "\n")+"\n")
	if os.Geteuid() == 0 { // its fixed folder for unprivileged work
		if out, err := s.command("mkdir", "-p", "/run/sshd").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s.log = &log{}
	s.process = s.command(program, "-D", "-e", "-f", config)
	s.process.Stderr = s.log
	if err := s.process.Start(); err != nil {
		return err
	}
	ended, process := make(chan struct{}), s.process
	s.ended = ended
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	return s.await()
}

// command is one where the server is.
func (s *Server) command(argv ...string) *exec.Cmd {
	argv = append(slices.Clone(s.enter), argv...)
	return exec.Command(argv[0], argv[1:]...)
}

// given are the lines that Start was given. A subsystem can be named only once.
func (s *Server) given() []string {
	for _, line := range s.lines {
		if strings.HasPrefix(line, "Subsystem ") {
			return s.lines
		}
	}
	return append(slices.Clone(s.lines), "Subsystem sftp internal-sftp")
}

func (s *Server) config() []string {
	return []string{
		"ListenAddress " + s.Addr,
		"HostKey " + filepath.Join(s.Dir, "host"),
		"AuthorizedKeysFile " + s.ClientKey + ".pub",
		"PidFile none",
		"StrictModes no",
		"UsePAM no",
		"PermitRootLogin yes",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"MaxStartups 100",
		"LogLevel VERBOSE",
		"SetEnv HOME=" + s.Dir, // without the start-up files of the user who runs the test
	}
}

// await waits until the server answers or has ended.
func (s *Server) await() error {
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", s.Addr)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-s.ended:
			return errors.New("it ended at once")
		case <-deadline:
			return err
		case <-tick.C:
		}
	}
}

// Stop ends the server and its connections. Calling it twice is fine.
func (s *Server) Stop() {
	s.freeze()
	s.Cut()
	_ = s.process.Process.Kill()
	<-s.ended
}

// freeze lets the server start no more processes: one that starts while the others are
// killed would serve its connection on, and hold the server's log open.
func (s *Server) freeze() {
	pid := s.process.Process.Pid
	if s.process.Process.Signal(syscall.SIGSTOP) != nil {
		return // it has ended
	}
	var status unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &status, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// Cut kills the processes that serve connections, as a crash or a reset would
// end them. The server goes on listening.
func (s *Server) Cut() {
	pid := s.process.Process.Pid
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, child := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// Log is what the server has written.
func (s *Server) Log() string { return s.log.String() }

func (s *Server) keygen(t testing.TB, name string) string {
	t.Helper()
	return Keygen(t, filepath.Join(s.Dir, name))
}

// Keygen makes a key pair at the path and path.pub, without a passphrase, and
// returns the path.
func Keygen(t testing.TB, path string) string {
	t.Helper()
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", filepath.Base(path), "-f", path).CombinedOutput()
	if err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
	return path
}

func currentUser(t testing.TB) string {
	t.Helper()
	u, err := user.Current()
	fatal(t, err)
	return u.Username
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	fatal(t, err)
	return string(text)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	fatal(t, os.WriteFile(path, []byte(text), 0o600))
}

func fatal(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// log keeps what the server writes.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
