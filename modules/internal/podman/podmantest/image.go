package podmantest

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kinit/engine/module"
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
// differ from that of others.
func (h *Host) Image(t testing.TB, name, note string) {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatalf("build the test program: %v: %s", err, binary)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, file := range []struct {
		name    string
		content []byte
	}{{"main", binary}, {"note", []byte(note)}} {
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
	_, err = h.Run(t.Context(), module.Command{
		Argv:  []string{"podman", "import", "--change", `ENTRYPOINT ["/main"]`, "-", name},
		Stdin: strings.NewReader(b.String()),
	})
	if err != nil {
		t.Fatal(err)
	}
}
