package ssh_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/powershell"
	"kinit/engine/transport/ssh"
	"kinit/test/winsim/process"
	"kinit/test/winsim/sshd"
)

// windows is a machine behind an SSH server that behaves like OpenSSH's for Windows: of
// PowerShell it knows what the bootstrap does, and scripts are functions of the test.
type windows struct {
	script func(ctx context.Context, c process.Command, script string) uint32
	cmd    bool // cmd.exe is the default shell
	key    gossh.PublicKey

	mu      sync.Mutex
	lines   []string
	ran     []string
	running map[int]context.CancelFunc
	pid     int
}

func (w *windows) Run(ctx context.Context, c process.Command) (uint32, error) {
	line := c.Args[1]
	w.mu.Lock()
	w.lines = append(w.lines, line)
	w.mu.Unlock()
	bootstrap, told := strings.CutSuffix(line, "; exit $LASTEXITCODE")
	switch {
	case line == "echo %ComSpec%" && w.cmd:
		_, _ = io.WriteString(c.Stdout, "C:\\Windows\\system32\\cmd.exe\r\n")
		return 0, nil
	case line == "echo %ComSpec%":
		_, _ = io.WriteString(c.Stdout, "%ComSpec%\r\n")
		return 0, nil
	case strings.HasPrefix(line, "taskkill.exe /F /T /PID "):
		return w.kill(line), nil
	case bootstrap != powershell.CommandLine() || told == w.cmd:
		return 0, fmt.Errorf("the line is %s", line)
	}
	return w.bootstrap(ctx, c)
}

func (w *windows) kill(line string) uint32 {
	pid, _ := strconv.Atoi(regexp.MustCompile(`\d+$`).FindString(line))
	w.mu.Lock()
	defer w.mu.Unlock()
	end := w.running[pid]
	if end == nil {
		return 128
	}
	end()
	return 0
}

func (w *windows) bootstrap(ctx context.Context, c process.Command) (uint32, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(c.Stdin, head); err != nil {
		return powershell.Incomplete, nil
	}
	n, err := strconv.Atoi(string(head))
	if err != nil {
		return 0, err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(c.Stdin, text); err != nil {
		return powershell.Incomplete, nil
	}
	script, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return 0, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	w.mu.Lock()
	w.pid++
	pid := 4 * w.pid
	w.running[pid] = end
	w.ran = append(w.ran, string(script))
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, pid)
	}()
	if _, err := fmt.Fprintf(c.Stdout, "#kinit %d\n", pid); err != nil {
		return 1, nil
	}
	return w.script(ctx, c, string(script)), nil
}

func (w *windows) scripts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.ran)
}

func (w *windows) Password(string, string) bool      { return false }
func (w *windows) NTHash(string) ([]byte, bool)      { return nil, false }
func (w *windows) Certificate(string) (string, bool) { return "", false }
func (w *windows) Key(_ string, k gossh.PublicKey) bool {
	return bytes.Equal(k.Marshal(), w.key.Marshal())
}

func newKey(t *testing.T) (gossh.Signer, string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := gossh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := gossh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer, string(pem.EncodeToMemory(block))
}

// simulate starts the server and returns a config that reaches it.
func simulate(t *testing.T, w *windows) (*sshd.Server, ssh.Config) {
	t.Helper()
	host, _ := newKey(t)
	client, key := newKey(t)
	w.key, w.running = client.PublicKey(), map[int]context.CancelFunc{}
	server := sshd.New(sshd.Options{
		Runner: w, Login: w, HostKey: host, Files: sshd.Folder(t.TempDir()),
		Failed: func(err error) { t.Error(err) },
	})
	t.Cleanup(server.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	return server, ssh.Config{
		Name: "win1", Address: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, User: "Administrator", Windows: true,
		PrivateKeys: []secret.Value{secret.Value(key)}, HostKeys: []string{string(gossh.MarshalAuthorizedKey(host.PublicKey()))},
	}
}

func copyInput(_ context.Context, c process.Command, script string) uint32 {
	if script == "quiet" {
		return 0
	}
	_, _ = io.Copy(c.Stdout, c.Stdin)
	_, _ = io.WriteString(c.Stderr, "#< CLIXML\r\n<Objs Version=\"1.1.0.1\"><S S=\"Error\">said_x000D__x000A_</S></Objs>")
	return 3010
}

func TestScriptsOnWindows(t *testing.T) {
	t.Parallel()
	for _, cmd := range []bool{true, false} {
		t.Run(fmt.Sprintf("cmd.exe is the shell: %v", cmd), func(t *testing.T) {
			t.Parallel()
			w := &windows{script: copyInput, cmd: cmd}
			_, c := simulate(t, w)
			conn := dial(t, c)
			for _, size := range []int{0, 5, 100_000, 8 << 20} {
				text := bytes.Repeat([]byte{'x', 0, 0xff, '\n'}, size/4+1)[:size]
				var stdout, stderr bytes.Buffer
				code, err := conn.Exec(t.Context(), transport.Process{Line: "the script", Stdin: onlyReader{strings.NewReader(string(text))}, Stdout: &stdout, Stderr: &stderr})
				if code != 3010 || err != nil || sha256.Sum256(stdout.Bytes()) != sha256.Sum256(text) || stderr.String() != "said\n" {
					t.Errorf("code %d, %d bytes, stderr %q, error %v", code, stdout.Len(), stderr.String(), err)
				}
			}
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { says(t, conn, "quiet", "") })
			}
			all.Wait()
			if echoes := strings.Count(strings.Join(w.lines, "\n"), "%ComSpec%"); echoes != 1 {
				t.Errorf("asked for the shell %d times", echoes)
			}
		})
	}
}

// slowly takes its first piece only after a while.
type slowly struct {
	bytes.Buffer
	once sync.Once
	wait time.Duration
}

func (s *slowly) Write(b []byte) (int, error) {
	s.once.Do(func() { time.Sleep(s.wait) })
	return s.Buffer.Write(b)
}

// TestSlowReadersGetAllOfAScriptsOutput is about a script that ended long before its
// output was taken.
func TestSlowReadersGetAllOfAScriptsOutput(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 100_000)
	_, config := simulate(t, &windows{script: func(_ context.Context, c process.Command, _ string) uint32 {
		_, _ = io.WriteString(c.Stderr, text)
		return 3
	}})
	conn := dial(t, config)
	stderr := &slowly{wait: 2*ssh.Patience + time.Second}
	code, err := conn.Exec(t.Context(), transport.Process{Line: "x", Stderr: stderr})
	if err != nil || code != 3 || stderr.String() != text {
		t.Errorf("code %d, error %v, %d bytes; want 3 and %d bytes", code, err, stderr.Len(), len(text))
	}
}

func TestExitCodesOfWindowsHave32Bits(t *testing.T) {
	t.Parallel()
	code := uint32(0)
	w := &windows{script: func(context.Context, process.Command, string) uint32 { return code }}
	_, c := simulate(t, w)
	conn := dial(t, c)
	for given, want := range map[uint32]int{0: 0, 255: 255, 3221225786: -1073741510} {
		code = given
		if got, err := conn.Exec(t.Context(), transport.Process{Line: "x"}); got != want || err != nil {
			t.Errorf("code %d, error %v, want %d", got, err, want)
		}
	}
}

func TestAScriptOnWindowsIsKilledWithItsTree(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	w := &windows{script: func(ctx context.Context, _ process.Command, _ string) uint32 {
		close(begun)
		<-ctx.Done()
		return 1
	}}
	_, c := simulate(t, w)
	conn := dial(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := conn.Exec(ctx, transport.Process{Line: "x", Stdout: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if last := w.lines[len(w.lines)-1]; last != "taskkill.exe /F /T /PID 4" || len(w.running) != 0 {
		t.Errorf("last line %s, %d run", last, len(w.running))
	}
	broken := errors.New("the file is damaged")
	w.script = func(ctx context.Context, _ process.Command, _ string) uint32 {
		<-ctx.Done()
		return 1
	}
	if _, err := conn.Exec(t.Context(), transport.Process{Line: "x", Stdin: failingReader{broken}}); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestAWindowsMachineThatRestarts(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 1)
	w := &windows{script: func(ctx context.Context, _ process.Command, script string) uint32 {
		if script == "wait" {
			begun <- struct{}{}
			<-ctx.Done()
		}
		return 0
	}}
	server, c := simulate(t, w)
	conn := dial(t, c)
	go func() {
		<-begun
		server.Reboot()
	}()
	_, err := conn.Exec(t.Context(), transport.Process{Line: "wait"})
	if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), "it is unknown how far it came") {
		t.Errorf("error is %v", err)
	}
	says(t, conn, "after", "")
	if got := w.scripts(); !slices.Equal(got, []string{"wait", "after"}) {
		t.Errorf("ran %q", got)
	}
}

func TestBecomingAnotherUserIsRefusedOnWindows(t *testing.T) {
	t.Parallel()
	_, c := simulate(t, &windows{})
	c.Become = "SYSTEM"
	if _, err := ssh.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) {
		t.Errorf("error is %v", err)
	}
}

func TestFilesOnWindowsGoOverSFTP(t *testing.T) {
	t.Parallel()
	_, c := simulate(t, &windows{})
	conn := dial(t, c)
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	check(files.Mkdir(ctx, "C:/a b/c", module.Attr{Mode: 0o755}))
	for _, text := range []string{"old", "new\r\n\x00"} {
		check(files.Write(ctx, "C:/a b/c/file", strings.NewReader(text), module.Attr{Mode: 0o600}))
		file, err := files.Open(ctx, "C:/a b/c/file")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(file)
		if check(errors.Join(err, file.Close())); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	check(files.Rename(ctx, "C:/a b/c/file", "C:/a b/x"))
	infos, err := files.List(ctx, "C:/a b")
	check(err)
	var got []string
	for _, info := range infos {
		got = append(got, fmt.Sprintf("%s %v %q %d", info.Name, info.Mode, info.Owner, info.UID))
	}
	if want := []string{`c drwxrwxrwx "" 0`, `x -rw-rw-rw- "" 0`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	info, err := files.Stat(ctx, "C:/")
	if check(err); !info.Mode.IsDir() {
		t.Errorf("the root has the mode %v", info.Mode)
	}
	check(files.SetAttr(ctx, "C:/a b/x", module.Attr{Mode: 0o400}))
	for _, name := range []string{"C:/a b/x", "C:/a b/c", "C:/a b", "C:/a b"} {
		check(files.Remove(ctx, name))
	}
	for op, err := range map[string]error{
		"stat":   second(files.Stat(ctx, "C:/a b/x")),
		"open":   second(files.Open(ctx, "C:/a b/x")),
		"list":   second(files.List(ctx, "C:/a b/x")),
		"rename": files.Rename(ctx, "C:/a b/x", "C:/y"),
		"chmod":  files.SetAttr(ctx, "C:/a b/x", module.Attr{Mode: 0o700}),
	} {
		var named *fs.PathError
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &named) || named.Path != "C:/a b/x" {
			t.Errorf("%s: %v", op, err)
		}
	}
	for _, name := range []string{"/a", "a", `C:\a`, "C:/a:b", "C:/nul"} {
		if err := files.Write(ctx, name, strings.NewReader(""), module.Attr{}); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if err := files.Remove(ctx, "C:/"); err == nil {
		t.Error("a drive may be removed")
	}
}

func second[T any](_ T, err error) error { return err }
