package transporttest

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/transport"
)

func (s suite) fence(t *testing.T) {
	s.behaviour(t, "fence/a command", s.fencedCommand)
	s.behaviour(t, "fence/files", s.fencedFiles)
}

// fenced is a folder with a fence in it.
func (s suite) fenced(ctx context.Context, t *testing.T, conn transport.Conn) (dir, fence string) {
	dir = s.folder(ctx, t, conn)
	fence = dir + "/fence"
	if got := sh(ctx, t, conn, s.makeFence(fence)); got.code != 0 {
		t.Fatalf("make a fence: %+v", got)
	}
	return dir, fence
}

func (s suite) fencedCommand(t *testing.T) {
	ctx, conn := s.conn(t)
	dir, fence := s.fenced(ctx, t, conn)
	exec := func(line string) (int, error) {
		return conn.Exec(ctx, transport.Process{Line: line, Stdin: strings.NewReader("input"), Fence: fence})
	}
	code, err := exec(s.say("fine", 113))
	if code != 113 || err != nil {
		t.Errorf("with its fence: code %d, error %v", code, err)
	}
	files := files(ctx, t, conn)
	if err := files.Remove(ctx, fence); err != nil {
		t.Fatal(err)
	}
	_, err = exec(s.touch(dir + "/made"))
	wantIs(t, err, transport.ErrFenced)
	if _, err := files.Stat(ctx, dir+"/made"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it ran without its fence: %v", err)
	}
	s.goesOn(ctx, t, conn)
}

func (s suite) fencedFiles(t *testing.T) {
	ctx, conn := s.conn(t)
	dir, fence := s.fenced(ctx, t, conn)
	plain := files(ctx, t, conn)
	guarded := plain.(transport.Fenceable).Fenced(fence)
	write := func(name, text string) error {
		return guarded.Write(ctx, dir+"/"+name, strings.NewReader(text), module.Attr{})
	}
	for name, change := range map[string]func() error{
		"write":       func() error { return write("written", "new") },
		"write again": func() error { return write("written", "newer") },
		"mkdir":       func() error { return guarded.Mkdir(ctx, dir+"/folder/inner", module.Attr{}) },
	} {
		if err := change(); err != nil {
			t.Errorf("%s with the fence: %v", name, err)
		}
	}
	if err := guarded.Rename(ctx, dir+"/written", dir+"/folder/moved"); err != nil {
		t.Errorf("rename with the fence: %v", err)
	}
	if err := guarded.Rename(ctx, dir+"/missing", dir+"/other"); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), fence) {
		t.Errorf("rename of what is missing, with the fence: %v", err)
	}
	if err := guarded.Remove(ctx, dir+"/folder/moved"); err != nil {
		t.Errorf("remove with the fence: %v", err)
	}
	if err := plain.Remove(ctx, fence); err != nil {
		t.Fatal(err)
	}
	before := sh(ctx, t, conn, s.names(dir)).stdout
	for name, change := range map[string]func() error{
		"write":   func() error { return write("after", "new") },
		"mkdir":   func() error { return guarded.Mkdir(ctx, dir+"/after/inner", module.Attr{}) },
		"rename":  func() error { return guarded.Rename(ctx, dir+"/folder/inner", dir+"/after") },
		"remove":  func() error { return guarded.Remove(ctx, dir+"/folder/inner") },
		"symlink": func() error { return guarded.Symlink(ctx, dir+"/folder", dir+"/link") },
	} {
		if err := change(); !errors.Is(err, transport.ErrFenced) {
			t.Errorf("%s without the fence: %v", name, err)
		}
	}
	want(t, "the folder", sh(ctx, t, conn, s.names(dir)).stdout, before)
	if infos, err := guarded.List(ctx, dir+"/folder"); err != nil || len(infos) != 1 {
		t.Errorf("looking needs no fence: %v, error %v", infos, err)
	}
}
