package sshd_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pkg/sftp"
)

func openSFTP(t *testing.T, s *service) *sftp.Client {
	t.Helper()
	client, err := sftp.NewClient(s.mustDial(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() }) // it may be closed already
	return client
}

func put(t *testing.T, client *sftp.Client, path string, content []byte) {
	t.Helper()
	file, err := client.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.ReadFrom(bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, client *sftp.Client, path string) []byte {
	t.Helper()
	file, err := client.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var content bytes.Buffer
	if _, err := file.WriteTo(&content); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

func TestFilesTravelOverSFTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := openSFTP(t, s)
	if err := client.MkdirAll("/C:/k/new"); err != nil {
		t.Fatal(err)
	}
	content := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	put(t, client, "/C:/k/new/a.bin", content)
	if got := get(t, client, "/C:/k/new/a.bin"); !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, wrote %d", len(got), len(content))
	}
	onDisk, err := os.ReadFile(filepath.Join(s.folder, "k/new/a.bin"))
	if err != nil || !bytes.Equal(onDisk, content) {
		t.Errorf("%d bytes on the disk, %v", len(onDisk), err)
	}
	at := time.Unix(1_700_000_000, 0)
	if err := client.Chtimes("/C:/k/new/a.bin", at, at); err != nil {
		t.Error(err)
	}
	if err := client.Truncate("/C:/k/new/a.bin", 7); err != nil {
		t.Error(err)
	}
	info, err := client.Stat("/C:/k/new/a.bin")
	if err != nil || info.Size() != 7 || info.IsDir() {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestRenamesReplaceOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	client := openSFTP(t, start(t))
	put(t, client, "/C:/old", []byte("old"))
	put(t, client, "/C:/new", []byte("new"))
	if err := client.Rename("/C:/new", "/C:/old"); err == nil {
		t.Error("Rename has replaced a file")
	}
	if err := client.PosixRename("/C:/new", "/C:/old"); err != nil {
		t.Error(err)
	}
	if got := get(t, client, "/C:/old"); string(got) != "new" {
		t.Errorf("content %q", got)
	}
	if _, err := client.Stat("/C:/new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old name: %v", err)
	}
}

func TestPathsAreThoseOfWindows(t *testing.T) {
	t.Parallel()
	client := openSFTP(t, start(t))
	if err := client.MkdirAll("/C:/Users/Administrator"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		".":             "/C:/Users/Administrator",
		"x.txt":         "/C:/Users/Administrator/x.txt",
		"C:/k/y.txt":    "/C:/k/y.txt",
		"/C:/k/../z":    "/C:/z",
		"/":             "/",
		"/C:":           "/C:",
		"/C:/Users/../": "/C:",
	} {
		if got, err := client.RealPath(path); got != want || err != nil {
			t.Errorf("%s is %s, want %s; %v", path, got, want, err)
		}
	}
	drives, err := client.ReadDir("/")
	if err != nil || len(drives) != 1 || drives[0].Name() != "C:" || !drives[0].IsDir() {
		t.Errorf("drives %v, %v", drives, err)
	}
	put(t, client, "note.txt", []byte("home"))
	if got := get(t, client, "/C:/Users/Administrator/note.txt"); string(got) != "home" {
		t.Errorf("content %q", got)
	}
}

func TestFoldersAndFilesAreRemovedApart(t *testing.T) {
	t.Parallel()
	client := openSFTP(t, start(t))
	if err := client.MkdirAll("/C:/d/sub"); err != nil {
		t.Fatal(err)
	}
	put(t, client, "/C:/d/f", nil)
	infos, err := client.ReadDir("/C:/d")
	if err != nil || len(infos) != 2 || infos[0].Name() != "f" || infos[1].Name() != "sub" {
		t.Errorf("%v, %v", infos, err)
	}
	if err := client.RemoveDirectory("/C:/d"); err == nil {
		t.Error("a folder with files was removed")
	}
	if err := client.RemoveDirectory("/C:/d/f"); err == nil {
		t.Error("a file was removed as a folder")
	}
	for _, remove := range []func() error{
		func() error { return client.Remove("/C:/d/f") },
		func() error { return client.RemoveDirectory("/C:/d/sub") },
		func() error { return client.RemoveDirectory("/C:/d") },
	} {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}
	if err := client.Remove("/C:/d/f"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}
