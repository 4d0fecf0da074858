package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := Write(path, 0o600, Synced([]byte(content))); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestDeviceIsWrittenIntoAndNotReplaced(t *testing.T) {
	t.Parallel()
	device := filepath.Join(t.TempDir(), "null")
	if err := syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
		device = "/dev/null" // only root may make devices, and only root may replace this one
	}
	write(t, device, "x")
	if info, err := os.Lstat(device); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("%s is %v, %v, want the device", device, info, err)
	}
}

func TestLinkIsFollowed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "reports"), 0o700); err != nil {
		t.Fatal(err)
	}
	last := filepath.Join(folder, "reports", "today")
	for link, to := range map[string]string{"one": "two", "two": "reports/today"} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"into no file", "over a file"} {
		write(t, filepath.Join(folder, "one"), want)
		if got := text(t, last); got != want {
			t.Errorf("the target has %q, want %q", got, want)
		}
		if to, err := os.Readlink(filepath.Join(folder, "one")); err != nil || to != "two" {
			t.Errorf("the link leads to %q, %v", to, err)
		}
	}
	if err := os.Symlink("loop", filepath.Join(folder, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(folder, "loop"), 0o600, Bytes(nil)); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link to itself: %v", err)
	}
}

func TestOpenDescriptorIsWrittenTo(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	link := filepath.Join(t.TempDir(), "link")
	number := "/dev/fd/" + strconv.Itoa(int(file.Fd()))
	if err := os.Symlink(number, link); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("first "); err != nil {
		t.Fatal(err)
	}
	write(t, number, "second ")
	write(t, link, "third ")
	if _, err := file.WriteString("fourth"); err != nil {
		t.Fatal(err)
	}
	if got := text(t, file.Name()); got != "first second third fourth" {
		t.Errorf("the file has %q", got)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	write(t, "/proc/self/fd/"+strconv.Itoa(int(w.Fd())), "by a pipe")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "by a pipe" {
		t.Errorf("the pipe has %q, %v", got, err)
	}
}

func TestPipeIsWrittenIntoAndDoesNotHangWithoutAReader(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	want := "nothing reads from " + pipe + ": start the program that reads from it first"
	if err := Write(pipe, 0o600, Bytes(nil)); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	read := make(chan string, 1)
	go func() {
		content, err := os.ReadFile(pipe)
		read <- string(content)
		if err != nil {
			t.Error(err)
		}
	}()
	deadline := time.Now().Add(10 * time.Second)
	for err := Write(pipe, 0o600, Synced([]byte("x"))); err != nil; err = Write(pipe, 0o600, Synced([]byte("x"))) {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if got := <-read; got != "x" {
		t.Errorf("read %q", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("%v, %v, want the pipe", info, err)
	}
}

func TestLinkOfAnotherUserInASharedFolderIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may give files to others")
	}
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "shared", "report.html")
	if err := errors.Join(os.Mkdir(filepath.Dir(link), 0o700), os.Chmod(filepath.Dir(link), 0o777|fs.ModeSticky),
		os.Symlink(target, link), os.Lchown(link, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	err := Write(link, 0o600, Bytes(nil))
	if want := link + " belongs to another user, in a folder to which everybody may write: name another file"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := os.Lchown(link, 0, 0); err != nil {
		t.Fatal(err)
	}
	write(t, link, "own")
	if got := text(t, target); got != "own" {
		t.Errorf("the target has %q", got)
	}
}

func TestNewRefusesALink(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("none", link); err != nil {
		t.Fatal(err)
	}
	if err := New(link, 0o600, Bytes(nil)); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), link) {
		t.Errorf("error %v, want that the link exists", err)
	}
}
