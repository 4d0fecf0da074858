package stat

import (
	"os"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return task(t, h.Path("none")) }, Host: h, NoSteps: true})
}

func TestWhatAPathIs(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	file, when := h.Path("a", "file"), time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, err := range []error{
		os.MkdirAll(h.Path("a"), 0o755), os.WriteFile(file, []byte("hello"), 0o640), os.Chmod(file, 0o640|os.ModeSetuid),
		os.Chtimes(file, when, when), os.Symlink("a", h.Path("folder")), os.Symlink("folder/../a/file", h.Path("link")),
		os.Symlink("nothing", h.Path("dangling")), os.Symlink("round", h.Path("round")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := cty.StringVal
	for _, c := range []struct {
		args string
		want map[string]cty.Value
	}{
		{`path = "` + file + "\"\nchecksum = \"sha256\"", map[string]cty.Value{
			"exists": cty.True, "path": text(file), "type": text("file"), "mode": text("4640"), "size": cty.NumberIntVal(5), "mtime": text("2026-01-31T12:00:00Z"),
			"checksum": text("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"), "target": text(""), "uid": cty.NumberIntVal(int64(os.Getuid())),
		}},
		{`path = "` + file + "\"\nchecksum = \"md5\"", map[string]cty.Value{"checksum": text("5d41402abc4b2a76b9719d911017c592")}},
		{`path = "` + file + "\"\nchecksum = \"sha1\"", map[string]cty.Value{"checksum": text("aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d")}},
		{`path = "` + h.Path("a") + "\"\nchecksum = \"sha256\"", map[string]cty.Value{"exists": cty.True, "type": text("directory"), "mode": text("0755"), "checksum": text("")}},
		{`path = "` + h.Path("link") + `"`, map[string]cty.Value{"exists": cty.True, "type": text("link"), "target": text("folder/../a/file")}},
		{`path = "` + h.Path("link") + "\"\nfollow = true", map[string]cty.Value{"exists": cty.True, "type": text("file"), "path": text(file), "size": cty.NumberIntVal(5)}},
		{`path = "` + h.Path("dangling") + `"`, map[string]cty.Value{"exists": cty.True, "type": text("link")}},
		{`path = "` + h.Path("dangling") + "\"\nfollow = true", map[string]cty.Value{"exists": cty.False, "type": text(""), "path": text(h.Path("dangling"))}},
		{`path = "/dev/null"`, map[string]cty.Value{"type": text("other")}},
		{`path = "` + h.Path("none") + `"`, map[string]cty.Value{"exists": cty.False, "type": text(""), "mtime": text(""), "size": cty.NumberIntVal(0)}},
	} {
		got := moduletest.Outputs(t, moduletest.Decode(t, Kind(), c.args), h)
		for name, want := range c.want {
			if !got[name].RawEquals(want) {
				t.Errorf("%s: %s is %#v, want %#v", c.args, name, got[name], want)
			}
		}
	}
	made := task(t, h.Path("round"))
	made.Follow = true
	_, err := made.Outputs(t.Context(), h)
	if want := h.Path("round") + " leads through more than 40 links, or in a circle"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestMissingProgramIsExplained(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/f", "x", 0o644)
	h.On("sha512sum", "--", "/f").Fail(127, "sh: sha512sum: not found")
	made := task(t, "/f")
	made.Checksum = "sha512"
	_, err := made.Outputs(t.Context(), h)
	want := "sha512sum is not installed, it is in the package coreutils: command ended with code 127: sh: sha512sum: not found\n$ sha512sum -- /f"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	moduletest.Refused(t, task(t, "f"), `path is "f", want an absolute path`)
	made := task(t, "/f")
	made.Checksum = "crc"
	moduletest.Refused(t, made, `checksum is "crc", want one of sha256, sha512, sha1, md5`)
}

func task(t *testing.T, path string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), `path = "`+path+`"`).(*Task)
}
