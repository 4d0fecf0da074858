package transporttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"kinit/engine/module"
)

// notRoot is the user, without a name, whose folders the tests work in.
const notRoot = "65533"

// guarded are the behaviours in a folder that another user can change, for a Conn that
// is root's.
func guarded() map[string]func(context.Context, *testing.T, tree) {
	return map[string]func(context.Context, *testing.T, tree){
		"write in a folder of another user":             writeInOthersFolder,
		"much in a folder of another user":              writeMuchInOthersFolder,
		"a failed write in a folder of another user":    failInOthersFolder,
		"no way through a link of another user":         linkOfAnother,
		"no way through a further name of another user": nameOfAnother,
		"folders in a folder of another user":           mkdirInOthersFolder,
		"rename in a folder of another user":            renameInOthersFolder,
		"remove in a folder of another user":            removeInOthersFolder,
		"where a path lies":                             whereItLies,
		"a private file is private from the start":      privateFromTheStart,
	}
}

// others makes a folder of another user, with a folder of root's beside it.
func (f tree) others(ctx context.Context, t *testing.T) {
	t.Helper()
	f.run(ctx, t, "chmod 755 . && mkdir home victim && chown "+notRoot+" home && chmod 755 victim && echo secret >victim/file && chmod 600 victim/file")
}

func (f tree) run(ctx context.Context, t *testing.T, script string) string {
	t.Helper()
	got := sh(ctx, t, f.conn, "cd "+f.dir+" && { "+script+"\n}")
	if got.code != 0 {
		t.Fatalf("%s: code %d: %s", script, got.code, got.stderr)
	}
	return got.stdout
}

// victim checks that nothing happened to root's own file.
func (f tree) victim(ctx context.Context, t *testing.T) {
	t.Helper()
	want(t, "root's own file", f.run(ctx, t, "ls victim; stat -c '%u:%g %a %h' victim/file; cat victim/file"), "file\n0:0 600 1\nsecret\n")
}

func writeInOthersFolder(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.put(ctx, t, "home/new", "one\n", module.Attr{})
	want(t, "a new file", f.run(ctx, t, "stat -c '%u:%g %a' home/new; cat home/new"), "0:0 644\none\n")
	f.put(ctx, t, "home/new", "two", module.Attr{Owner: notRoot, Group: "12345", Mode: 0o4750})
	want(t, "with attributes", f.run(ctx, t, "stat -c '%u:%g %a' home/new; cat home/new"), notRoot+":12345 4750\ntwo")
	f.put(ctx, t, "home/new", "", module.Attr{})
	want(t, "what was left open", f.run(ctx, t, "stat -c '%u:%g %a %s' home/new"), notRoot+":12345 4750 0\n")
	for _, name := range f.words().nasty {
		f.put(ctx, t, "home/"+name, name, module.Attr{})
		want(t, "content", f.get(ctx, t, "home/"+name), name)
		check(t, f.Remove(ctx, f.path("home/"+name)))
	}
	wantIs(t, f.Write(ctx, f.path("home/missing/file"), strings.NewReader("x"), module.Attr{}), fs.ErrNotExist)
	check(t, f.SetAttr(ctx, f.path("home/new"), module.Attr{Owner: "0", Mode: 0o600}))
	want(t, "attributes alone", f.run(ctx, t, "stat -c '%u:%g %a' home/new; ls -A home"), "0:12345 600\nnew\n")
}

func writeMuchInOthersFolder(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	for _, size := range []int{24<<10 - 1, 24 << 10, 24<<10 + 1, 100_000, 5 << 20} {
		text := random(size)
		check(t, f.Write(ctx, f.path("home/file"), onlyReader{bytes.NewReader(text)}, module.Attr{}))
		if f.get(ctx, t, "home/file") != string(text) {
			t.Errorf("%d bytes did not arrive", size)
		}
	}
	want(t, "names", f.run(ctx, t, "ls -A home"), "file\n")
}

func failInOthersFolder(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.put(ctx, t, "home/file", "old", module.Attr{})
	broken := errors.New("the source is damaged")
	for _, size := range []int{10, 1 << 20} {
		content := io.MultiReader(bytes.NewReader(make([]byte, size)), failingReader{broken})
		wantIs(t, f.Write(ctx, f.path("home/file"), content, module.Attr{}), broken)
		want(t, "content", f.get(ctx, t, "home/file"), "old")
	}
	until(ctx, t, "the end of what was begun", func() bool { return f.run(ctx, t, "ls -A home") == "file\n" })
}

func linkOfAnother(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.run(ctx, t, "ln -s ../victim home/folder; ln -s ../victim/file home/file")
	f.put(ctx, t, "home/file", "text", module.Attr{Owner: notRoot, Mode: 0o666})
	want(t, "the link's place", f.run(ctx, t, "stat -c '%F' home/file; cat home/file"), "regular file\ntext")
	f.run(ctx, t, "ln -sf ../victim/file home/file")
	_, err := f.Open(ctx, f.path("home/file"))
	for what, err := range map[string]error{
		"open a link":            err,
		"attributes of a link":   f.SetAttr(ctx, f.path("home/file"), module.Attr{Mode: 0o666}),
		"owner of a link":        f.SetAttr(ctx, f.path("home/file"), module.Attr{Owner: notRoot}),
		"write behind a link":    f.Write(ctx, f.path("home/folder/new"), strings.NewReader("x"), module.Attr{}),
		"write over behind one":  f.Write(ctx, f.path("home/folder/file"), strings.NewReader("x"), module.Attr{}),
		"a folder behind one":    f.Mkdir(ctx, f.path("home/folder/new"), module.Attr{}),
		"a folder that is one":   f.Mkdir(ctx, f.path("home/folder"), module.Attr{Owner: notRoot}),
		"a link behind one":      f.Symlink(ctx, "x", f.path("home/folder/file")),
		"remove behind one":      f.Remove(ctx, f.path("home/folder/file")),
		"rename from behind one": f.Rename(ctx, f.path("home/folder/file"), f.path("home/mine")),
	} {
		if err == nil || !strings.Contains(err.Error(), f.dir) || !strings.Contains(err.Error(), "another user") {
			t.Errorf("%s: error is %v", what, err)
		}
	}
	check(t, f.Remove(ctx, f.path("home/folder")))
	f.victim(ctx, t)
}

func nameOfAnother(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.run(ctx, t, "ln victim/file home/file")
	for _, attr := range []module.Attr{{Owner: notRoot}, {Mode: 0o666}} {
		if err := f.SetAttr(ctx, f.path("home/file"), attr); err == nil || !strings.Contains(err.Error(), "hard link") {
			t.Errorf("error is %v", err)
		}
	}
	f.put(ctx, t, "home/file", "text", module.Attr{Owner: notRoot})
	want(t, "names", f.run(ctx, t, "ls -A home; cat home/file"), "file\ntext")
	f.victim(ctx, t)
}

func mkdirInOthersFolder(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	check(t, f.Mkdir(ctx, f.path("home/a/b c/d"), module.Attr{Owner: notRoot, Mode: 0o700}))
	want(t, "folders", f.run(ctx, t, "stat -c '%u %a' home/a 'home/a/b c' 'home/a/b c/d'"), "0 755\n0 755\n"+notRoot+" 700\n")
	check(t, f.Mkdir(ctx, f.path("home/a"), module.Attr{}))
	check(t, f.Symlink(ctx, "to here", f.path("home/a/link")))
	check(t, f.Symlink(ctx, "to there", f.path("home/a/link")))
	check(t, f.Symlink(ctx, "to there", f.path("home/a/link")))
	want(t, "the link", f.run(ctx, t, "ls -A home/a; readlink home/a/link"), "b c\nlink\nto there\n")
	wantIs(t, f.Symlink(ctx, "x", f.path("home/a/b c")), fs.ErrExist)
	refused(t, f.Mkdir(ctx, f.path("home/a/link"), module.Attr{}), "a folder was made over a link")
}

func renameInOthersFolder(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.run(ctx, t, "mkdir home/a; echo 1 >home/one; echo 2 >home/a/two; echo 3 >three; chmod 640 three; mkdir home/full; touch home/full/x")
	check(t, f.Rename(ctx, f.path("home/one"), f.path("home/a/two")))
	check(t, f.Rename(ctx, f.path("three"), f.path("home/three")))
	want(t, "names", f.run(ctx, t, "ls -A . home home/a; cat home/a/two home/three; stat -c %a home/three"),
		".:\nhome\nvictim\n\nhome:\na\nfull\nthree\n\nhome/a:\ntwo\n1\n3\n640\n")
	wantIs(t, f.Rename(ctx, f.path("home/no"), f.path("home/x")), fs.ErrNotExist)
	refused(t, f.Rename(ctx, f.path("home/a"), f.path("home/full")), "a folder with something in it was replaced")
	want(t, "names after it was refused", f.run(ctx, t, "ls -A home home/a home/full"), "home:\na\nfull\nthree\n\nhome/a:\ntwo\n\nhome/full:\nx\n")
}

func removeInOthersFolder(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.run(ctx, t, "mkdir -p home/a/b; ln -s ../../../victim home/a/b/link; touch home/a/file; chown -R "+notRoot+" home")
	check(t, f.Remove(ctx, f.path("home/a")))
	check(t, f.Remove(ctx, f.path("home/a")))
	check(t, f.Remove(ctx, f.path("home/no/such")))
	want(t, "names", f.run(ctx, t, "ls -A home"), "")
	f.victim(ctx, t)
}

func whereItLies(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.run(ctx, t, "mkdir closed; ln -s closed there; mkdir -m 1777 shared; touch shared/mine")
	for path, want := range map[string]module.Folder{
		"closed/x": {Path: f.path("closed"), Closed: true}, "there/x": {Path: f.path("closed"), Closed: true},
		"home/x": {Path: f.path("home")}, "shared/x": {Path: f.path("shared")}, "shared/mine": {Path: f.path("shared"), Closed: true},
	} {
		if got, err := f.Folder(ctx, f.path(path)); got != want || err != nil {
			t.Errorf("%s lies in %+v, %v, want %+v", path, got, err, want)
		}
	}
	_, err := f.Folder(ctx, f.path("no/x"))
	wantIs(t, err, fs.ErrNotExist)
}

// privateFromTheStart looks at the modes of all files while a private one is written.
func privateFromTheStart(ctx context.Context, t *testing.T, f tree) {
	f.others(ctx, t)
	f.run(ctx, t, "mkdir closed")
	watch := f // over a connection of its own: a server may have one session for commands
	_, watch.conn = f.suite.conn(t)
	for _, folder := range []string{"closed", "home"} {
		content := io.MultiReader(bytes.NewReader(make([]byte, 100_000)), peek(func() {
			got := watch.run(ctx, t, "find "+folder+" -type f -perm /044 ! -path '*/.*/*'")
			want(t, "what others can read", got, "")
		}))
		check(t, f.Write(ctx, f.path(folder+"/secret"), content, module.Attr{Mode: 0o600}))
		want(t, "the mode", f.run(ctx, t, "stat -c %a "+folder+"/secret"), "600\n")
	}
}
