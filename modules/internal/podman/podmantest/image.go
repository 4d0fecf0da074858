package podmantest

import (
	"archive/tar"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	threads "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// program is the only file in the tests' images. With arguments it prints them
// and ends with code 3; alone it waits to be ended.
const program = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println(os.Args[1:], os.Getenv("SECRET"))
		os.Exit(3)
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
}
`

// build compiles the program once a test process.
var build = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "kp-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "run"), source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return out, err
	}
	return os.ReadFile(filepath.Join(dir, "run"))
})

// Image puts a small image into the host's store. note makes its content
// differ from other images.
func (h *Host) Image(t testing.TB, name, note string) {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatalf("build the test program: %v: %s", err, binary)
	}
	h.load(t, name, `ENTRYPOINT ["/main"]`, file{"main", binary}, file{"note", []byte(note)})
}

var absolute = regexp.MustCompile(`/\S+`)

// ShellImage puts an image into the host's store that has this machine's sh, base64 and
// cat with the libraries that they need, so that a script can run in it.
func (h *Host) ShellImage(t testing.TB, name string) {
	t.Helper()
	need.Programs(t, "podman", "ldd", "base64")
	var all []file
	for _, program := range []string{"sh", "base64", "cat"} {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file{"bin/" + program, read(t, path)})
		out, err := exec.Command("ldd", path).Output()
		if err != nil {
			t.Fatalf("ldd %s: %v", path, err)
		}
		for _, library := range absolute.FindAllString(string(out), -1) {
			if !slices.ContainsFunc(all, func(f file) bool { return f.name == library[1:] }) {
				all = append(all, file{library[1:], read(t, library)})
			}
		}
	}
	h.load(t, name, `CMD ["/bin/sh"]`, all...)
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// file is a file of an image, whose name begins below its root.
type file struct {
	name    string
	content []byte
}

// load makes an image of files.
func (h *Host) load(t testing.TB, name, change string, files ...file) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, file := range files {
		header := &tar.Header{Name: file.name, Mode: 0o755, Size: int64(len(file.content))}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(file.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := h.Run(t.Context(), module.Command{
		Argv:  []string{"podman", "import", "--change", change, "-", name},
		Stdin: strings.NewReader(b.String()),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Listen listens on the loopback address of the host's network namespace, where its
// podman reaches it, until the test ends.
func (h *Host) Listen(t testing.TB) net.Listener {
	t.Helper()
	type result struct {
		listener net.Listener
		err      error
	}
	done := make(chan result)
	go func() {
		// The thread is in another namespace from here on; it ends with this goroutine,
		// which never unlocks it.
		threads.LockOSThread()
		listener, err := listenIn("/run/netns/" + h.netns)
		done <- result{listener, err}
	}()
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	t.Cleanup(func() { _ = r.listener.Close() })
	return r.listener
}

func listenIn(namespace string) (net.Listener, error) {
	handle, err := os.Open(namespace)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	if err := unix.Setns(int(handle.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// Contract holds a module to the contract, on a host without an owner and on one of a cluster.
func Contract(t *testing.T, host func(t testing.TB, owner string) *Host, made func(h *Host, state string) module.Task) {
	t.Helper()
	for _, owner := range []string{"", "k8s"} {
		h := host(t, owner)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return made(h, "present") },
			Absent: func() module.Task { return made(h, "absent") },
		})
	}
}

// WantStep checks the only step's text.
func WantStep(t testing.TB, h module.Host, made module.Task, want string) {
	t.Helper()
	steps := moduletest.Steps(t, made, h)
	if len(steps) != 1 || steps[0].String() != want {
		t.Fatalf("steps %v, want %q", steps, want)
	}
}
