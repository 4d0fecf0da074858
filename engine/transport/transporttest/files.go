package transporttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
)

func (s suite) files(t *testing.T) {
	cases := map[string]func(context.Context, *testing.T, tree){
		"write and open":                    writeAndOpen,
		"write replaces in one go":          writeReplaces,
		"a write that fails leaves nothing": writeFails,
		"mode":                              writeMode,
		"owner":                             writeOwner,
		"owner by name":                     ownerNames,
		"write replaces a link":             writeLink,
		"write keeps metadata":              writeKeeps,
		"write is refused":                  writeRefused,
		"stat":                              stat,
		"symlink":                           symlink,
		"a link to what is not there":       danglingLink,
		"mkdir":                             mkdir,
		"list":                              list,
		"rename":                            rename,
		"remove":                            remove,
		"missing files":                     missing,
		"relative paths":                    relative,
		"nasty names":                       nastyNames,
		"some MiB":                          largeFile,
		"many at once":                      manyFiles,
		"cancelled":                         cancelledFiles,
	}
	ctx, conn := s.conn(t)
	files := files(ctx, t, conn)
	// Who else may change a folder is told by numbers and bits, and only root can make a folder
	// of another user.
	if s.dialect.files.owner && (tree{conn: conn}).root(ctx, t) {
		maps.Copy(cases, guarded())
	}
	for name, test := range cases {
		s.behaviour(t, "files/"+name, func(t *testing.T) {
			test(ctx, t, tree{files, s, conn, s.folder(ctx, t, conn)})
		})
	}
}

// tree is a folder of the machine that one test has to itself.
type tree struct {
	module.Files
	suite suite
	conn  transport.Conn
	dir   string
}

// root reports whether the machine is worked on as root.
func (f tree) root(ctx context.Context, t *testing.T) bool {
	t.Helper()
	return sh(ctx, t, f.conn, "id -u").stdout == "0\n"
}

func (f tree) path(name string) string { return f.dir + "/" + name }

func (f tree) put(ctx context.Context, t *testing.T, name, text string, attr module.Attr) {
	t.Helper()
	if err := f.Write(ctx, f.path(name), strings.NewReader(text), attr); err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
}

func (f tree) get(ctx context.Context, t *testing.T, name string) string {
	t.Helper()
	file, err := f.Open(ctx, f.path(name))
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return string(text)
}

func (f tree) stat(ctx context.Context, t *testing.T, name string) module.FileInfo {
	t.Helper()
	info, err := f.Stat(ctx, f.path(name))
	if err != nil {
		t.Fatalf("stat %s: %v", name, err)
	}
	return info
}

// names lists the folder by a command, so that hidden files count.
func (f tree) names(ctx context.Context, t *testing.T) string {
	t.Helper()
	return strings.Join(strings.Fields(sh(ctx, t, f.conn, f.suite.dialect.names(f.dir)).stdout), " ")
}

// words is what files look like on the system.
func (f tree) words() fileWords { return f.suite.dialect.files }

// link makes a link to a file of the folder.
func (f tree) link(ctx context.Context, t *testing.T, to, name string) {
	t.Helper()
	check(t, f.Symlink(ctx, f.words().linkTo(f.dir, to), f.path(name)))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func writeAndOpen(ctx context.Context, t *testing.T, f tree) {
	for _, text := range []string{"", "hello\n", "\x00\xff\r\n", strings.Repeat("0123456789abcdef", 5000)} {
		f.put(ctx, t, "file", text, module.Attr{})
		if got := f.get(ctx, t, "file"); got != text {
			t.Errorf("%d bytes arrived, want %d", len(got), len(text))
		}
	}
	want(t, "mode of a new file", f.stat(ctx, t, "file").Mode, f.words().newFile)
	want(t, "names", f.names(ctx, t), "file")
}

// writeReplaces looks at the file from inside the write.
func writeReplaces(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "file", "old", module.Attr{})
	content := io.MultiReader(strings.NewReader(strings.Repeat("n", 100_000)), peek(func() {
		want(t, "content during the write", f.get(ctx, t, "file"), "old")
	}))
	check(t, f.Write(ctx, f.path("file"), content, module.Attr{}))
	want(t, "content after the write", len(f.get(ctx, t, "file")), 100_000)
}

// peek is an empty reader that does something.
type peek func()

func (p peek) Read([]byte) (int, error) {
	p()
	return 0, io.EOF
}

func writeFails(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "file", "old", module.Attr{})
	for _, size := range []int{10, 1 << 20} {
		broken := errors.New("the source is damaged")
		content := io.MultiReader(bytes.NewReader(make([]byte, size)), failingReader{broken})
		wantIs(t, f.Write(ctx, f.path("file"), content, module.Attr{}), broken)
		want(t, "content", f.get(ctx, t, "file"), "old")
		want(t, "names", f.names(ctx, t), "file")
	}
	refused(t, f.Write(ctx, f.path("file"), strings.NewReader("x"), module.Attr{Owner: "no-such-user"}), "an unknown owner is no error")
	want(t, "names", f.names(ctx, t), "file")
}

func writeMode(ctx context.Context, t *testing.T, f tree) {
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o777, 0o400, 0o644} {
		f.put(ctx, t, "file", "text", module.Attr{Mode: mode})
		want(t, "mode", f.stat(ctx, t, "file").Mode, mode)
	}
	f.put(ctx, t, "file", "text", module.Attr{Mode: 0o640})
	f.put(ctx, t, "file", "changed", module.Attr{})
	want(t, "mode that was left open", f.stat(ctx, t, "file").Mode, 0o640)
	f.put(ctx, t, "file", "text", module.Attr{Mode: 0o4755})
	want(t, "set-uid", f.stat(ctx, t, "file").Mode, fs.ModeSetuid|0o755)
	check(t, f.SetAttr(ctx, f.path("file"), module.Attr{Mode: 0o601}))
	want(t, "mode by SetAttr", f.stat(ctx, t, "file").Mode, 0o601)
}

func writeOwner(ctx context.Context, t *testing.T, f tree) {
	if !f.root(ctx, t) {
		refused(t, f.Write(ctx, f.path("file"), strings.NewReader("text"), module.Attr{Owner: "0"}), "an ordinary user gave a file to root")
		return
	}
	owner := func() string {
		info := f.stat(ctx, t, "file")
		return fmt.Sprintf("%d:%d %v", info.UID, info.GID, info.Mode)
	}
	f.put(ctx, t, "file", "text", module.Attr{Owner: "12345", Group: "23456", Mode: 0o4755})
	want(t, "owner", owner(), "12345:23456 urwxr-xr-x")
	f.put(ctx, t, "file", "changed", module.Attr{})
	want(t, "owner that was left open", owner(), "12345:23456 urwxr-xr-x")
	f.put(ctx, t, "file", "changed", module.Attr{Group: "0", Mode: 0o600})
	want(t, "owner by group alone", owner(), "12345:0 -rw-------")
	check(t, f.SetAttr(ctx, f.path("file"), module.Attr{Owner: "0"}))
	want(t, "owner by SetAttr", owner(), "0:0 -rw-------")
}

func ownerNames(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "file", "text", module.Attr{})
	wantUser := strings.TrimSpace(sh(ctx, t, f.conn, "id -un").stdout)
	wantGroup := strings.TrimSpace(sh(ctx, t, f.conn, "stat -c %G "+f.path("file")).stdout)
	info := f.stat(ctx, t, "file")
	want(t, "owner", info.Owner, wantUser)
	want(t, "group", info.Group, wantGroup)
	check(t, f.SetAttr(ctx, f.path("file"), module.Attr{Owner: wantUser, Group: wantGroup}))
	if !f.root(ctx, t) {
		return
	}
	check(t, f.SetAttr(ctx, f.path("file"), module.Attr{Owner: "4000000000", Group: "nogroup"}))
	info = f.stat(ctx, t, "file")
	want(t, "owner without a name", info.Owner, "4000000000")
	want(t, "group", info.Group, "nogroup")
}

// writeKeeps has a file whose group may only read, while its list gives another user more: the mode's bits for the
// group are the list's mask.
func writeKeeps(ctx context.Context, t *testing.T, f tree) {
	if !f.suite.dialect.files.owner || !f.root(ctx, t) {
		return // other systems keep lists of their own
	}
	const look = `getfacl --numeric --omit-header --no-effective file; getfattr --absolute-names -d -m '^(user|trusted|security)' file; getcap file`
	for name, c := range map[string]struct {
		attr module.Attr
		want string
	}{
		"as it was": {module.Attr{}, "user::rw-\nuser:65534:rw-\ngroup::r--\nmask::rw-\nother::---\n"},
		"a mode":    {module.Attr{Mode: 0o640}, "user::rw-\nuser:65534:rw-\ngroup::r--\nmask::r--\nother::---\n"},
		"an owner":  {module.Attr{Owner: "1"}, "user::rw-\nuser:65534:rw-\ngroup::r--\nmask::rw-\nother::---\n"},
	} {
		f.put(ctx, t, "file", "before", module.Attr{Mode: 0o640})
		made := sh(ctx, t, f.conn, "cd "+f.dir+" && setfacl -b file && chmod 640 file && setfacl -m u:65534:rw file && setfattr -n user.note -v kept file && setfattr -n trusted.note -v kept file && setcap cap_net_bind_service=ep file && "+look)
		if !strings.Contains(made.stdout, "cap_net_bind_service=ep") {
			t.Fatalf("the file could not be prepared: %+v", made)
		}
		f.put(ctx, t, "file", "after", c.attr)
		got := sh(ctx, t, f.conn, "cd "+f.dir+" && cat file && echo && "+look).stdout
		for _, want := range []string{"after\n" + c.want, "trusted.note=\"kept\"\n", "user.note=\"kept\"\n", "file cap_net_bind_service=ep\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the new file has\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

func writeLink(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "target", "target", module.Attr{Mode: 0o600})
	f.link(ctx, t, "target", "link")
	f.put(ctx, t, "link", "text", module.Attr{})
	want(t, "the target", f.get(ctx, t, "target"), "target")
	want(t, "mode", f.stat(ctx, t, "link").Mode, f.words().newFile)
}

func writeRefused(ctx context.Context, t *testing.T, f tree) {
	err := f.Write(ctx, f.path("missing/file"), strings.NewReader("text"), module.Attr{})
	wantIs(t, err, fs.ErrNotExist)
	check(t, f.Mkdir(ctx, f.path("folder"), module.Attr{}))
	refused(t, f.Write(ctx, f.path("folder"), strings.NewReader("text"), module.Attr{}), "a folder was replaced by a file")
	want(t, "names", f.names(ctx, t), "folder")
}

func stat(ctx context.Context, t *testing.T, f tree) {
	before := time.Now().Add(-2 * time.Second) // SFTP counts whole seconds
	f.put(ctx, t, "file", "hello", module.Attr{})
	info := f.stat(ctx, t, "file")
	want(t, "name", info.Name, "file")
	want(t, "size", info.Size, int64(5))
	if f.words().owner {
		want(t, "uid", fmt.Sprintln(info.UID), sh(ctx, t, f.conn, "id -u").stdout)
	}
	if info.MTime.Before(before) || info.MTime.After(time.Now().Add(2*time.Second)) {
		t.Errorf("time is %v", info.MTime)
	}
	dir, err := f.Stat(ctx, f.dir)
	check(t, err)
	if f.words().owner {
		want(t, "mode of the folder", dir.Mode, fs.ModeDir|0o700)
	}
	want(t, "the folder is one", dir.Mode.IsDir(), true)
	root, err := f.Stat(ctx, f.words().root)
	check(t, err)
	want(t, "the root folder is one", root.Mode.IsDir(), true)
}

func symlink(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "one", "1", module.Attr{})
	f.put(ctx, t, "two", "2", module.Attr{})
	check(t, f.Mkdir(ctx, f.path("folder"), module.Attr{}))
	f.link(ctx, t, "one", "link")
	info := f.stat(ctx, t, "link")
	want(t, "type", info.Mode.Type(), fs.ModeSymlink)
	want(t, "target", info.Target, f.words().linkTo(f.dir, "one"))
	for _, to := range []string{"two", "two", "folder", "one"} {
		f.link(ctx, t, to, "link")
		want(t, "target that was replaced", f.stat(ctx, t, "link").Target, f.words().linkTo(f.dir, to))
	}
	want(t, "content behind the link", f.get(ctx, t, "link"), "1")
	wantIs(t, f.Symlink(ctx, f.words().linkTo(f.dir, "two"), f.path("one")), fs.ErrExist)
	want(t, "names", f.names(ctx, t), "folder link one two")
}

func danglingLink(ctx context.Context, t *testing.T, f tree) {
	check(t, f.Symlink(ctx, "nowhere", f.path("link")))
	want(t, "target", f.stat(ctx, t, "link").Target, "nowhere")
	check(t, f.Symlink(ctx, "/else where", f.path("link")))
	check(t, f.Symlink(ctx, "/else where", f.path("link")))
	want(t, "target that was replaced", f.stat(ctx, t, "link").Target, "/else where")
}

func mkdir(ctx context.Context, t *testing.T, f tree) {
	bits := func(mode fs.FileMode) fs.FileMode { // as far as the system has them
		if f.words().owner {
			return fs.ModeDir | mode
		}
		return fs.ModeDir | f.words().newFolder
	}
	check(t, f.Mkdir(ctx, f.path("a/b/c"), module.Attr{Mode: 0o700}))
	want(t, "the last", f.stat(ctx, t, "a/b/c").Mode, bits(0o700))
	want(t, "a parent", f.stat(ctx, t, "a/b").Mode, fs.ModeDir|f.words().newFolder)
	check(t, f.Mkdir(ctx, f.path("a/b/c"), module.Attr{Mode: 0o750}))
	want(t, "again", f.stat(ctx, t, "a/b/c").Mode, bits(0o750))
	check(t, f.Mkdir(ctx, f.path("a/b/c"), module.Attr{}))
	want(t, "again without attributes", f.stat(ctx, t, "a/b/c").Mode, bits(0o750))
	f.put(ctx, t, "a/b/c/inside", "text", module.Attr{})
	want(t, "content of a file inside", f.get(ctx, t, "a/b/c/inside"), "text")
	f.link(ctx, t, "a", "link")
	check(t, f.Mkdir(ctx, f.path("link/d"), module.Attr{}))
	f.put(ctx, t, "file", "text", module.Attr{})
	refused(t, f.Mkdir(ctx, f.path("file/x"), module.Attr{}), "a folder was made in a file")
	refused(t, f.Mkdir(ctx, f.path("file"), module.Attr{}), "a folder was made over a file")
}

func list(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "b", "22", module.Attr{})
	f.put(ctx, t, ".hidden", "", module.Attr{})
	check(t, f.Mkdir(ctx, f.path("c"), module.Attr{}))
	link := ""
	if f.suite.lacks["files/symlink"] == "" {
		f.link(ctx, t, "b", "a")
		link = "a -> " + f.words().linkTo(f.dir, "b") + "\n"
	}
	infos, err := f.List(ctx, f.dir)
	check(t, err)
	var got []string
	for _, info := range infos {
		line := info.Name + " " + info.Mode.String()
		if info.Target != "" {
			line = info.Name + " -> " + info.Target
		}
		got = append(got, line)
		want(t, "owner of "+info.Name, info.Owner, f.stat(ctx, t, info.Name).Owner)
	}
	file, folder := f.words().newFile, fs.ModeDir|f.words().newFolder
	want(t, "entries", strings.Join(got, "\n"), fmt.Sprintf(".hidden %v\n%sb %v\nc %v", file, link, file, folder))
	empty, err := f.List(ctx, f.path("c"))
	check(t, err)
	want(t, "entries of an empty folder", len(empty), 0)
}

func rename(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "a", "new", module.Attr{})
	f.put(ctx, t, "b", "old", module.Attr{})
	check(t, f.Rename(ctx, f.path("a"), f.path("b")))
	want(t, "content", f.get(ctx, t, "b"), "new")
	want(t, "names", f.names(ctx, t), "b")
}

func remove(ctx context.Context, t *testing.T, f tree) {
	f.put(ctx, t, "kept", "kept", module.Attr{})
	check(t, f.Mkdir(ctx, f.path("a/b/c"), module.Attr{}))
	f.put(ctx, t, "a/file", "text", module.Attr{Mode: 0o400})
	f.put(ctx, t, "a/b/.hidden", "text", module.Attr{})
	check(t, f.Symlink(ctx, f.dir, f.path("a/up")))
	check(t, f.Symlink(ctx, f.path("kept"), f.path("a/kept")))
	check(t, f.Symlink(ctx, f.dir, f.path("link")))
	check(t, f.Remove(ctx, f.path("link")))
	check(t, f.Remove(ctx, f.path("a")))
	check(t, f.Remove(ctx, f.path("a")))
	check(t, f.Remove(ctx, f.path("no/such/folder")))
	want(t, "names", f.names(ctx, t), "kept")
	check(t, f.Remove(ctx, f.path("kept")))
	want(t, "names", f.names(ctx, t), "")
	refused(t, f.Remove(ctx, f.words().root), "the root folder may be removed")
}

func missing(ctx context.Context, t *testing.T, f tree) {
	name := f.path("missing")
	_, err := f.Stat(ctx, name)
	wantIs(t, err, fs.ErrNotExist)
	_, err = f.Open(ctx, name)
	wantIs(t, err, fs.ErrNotExist)
	_, err = f.List(ctx, name)
	wantIs(t, err, fs.ErrNotExist)
	wantIs(t, f.Rename(ctx, name, f.path("b")), fs.ErrNotExist)
	wantIs(t, f.SetAttr(ctx, name, module.Attr{Mode: 0o600}), fs.ErrNotExist)
	wantIs(t, f.SetAttr(ctx, name, module.Attr{Owner: "0"}), fs.ErrNotExist)
	f.put(ctx, t, "target", "text", module.Attr{})
	wantIs(t, f.Symlink(ctx, f.words().linkTo(f.dir, "target"), f.path("missing/link")), fs.ErrNotExist)
	if err != nil && !strings.Contains(err.Error(), name) {
		t.Errorf("error %q does not name the path", err)
	}
}

func relative(ctx context.Context, t *testing.T, f tree) {
	for _, name := range []string{f.words().relative, f.words().foreign} {
		_, err := f.Stat(ctx, name)
		if err == nil || !strings.Contains(err.Error(), "absolute") {
			t.Errorf("error is %v", err)
		}
	}
	refused(t, f.Remove(ctx, ""), "an empty path is no error")
}

func nastyNames(ctx context.Context, t *testing.T, f tree) {
	for _, name := range f.words().nasty {
		f.put(ctx, t, name, name, module.Attr{})
		want(t, "content", f.get(ctx, t, name), name)
		want(t, "name", f.stat(ctx, t, name).Name, name)
		check(t, f.Remove(ctx, f.path(name)))
	}
	want(t, "names", f.names(ctx, t), "")
}

func largeFile(ctx context.Context, t *testing.T, f tree) {
	text := random(f.suite.bulk * 5 / 2)
	for _, content := range []io.Reader{bytes.NewReader(text), onlyReader{bytes.NewReader(text)}} {
		check(t, f.Write(ctx, f.path("file"), content, module.Attr{}))
		want(t, "size", f.stat(ctx, t, "file").Size, int64(len(text)))
		file, err := f.Open(ctx, f.path("file"))
		check(t, err)
		sum := sha256.New()
		_, err = io.Copy(sum, file)
		check(t, errors.Join(err, file.Close()))
		want(t, "sum", [32]byte(sum.Sum(nil)), sha256.Sum256(text))
	}
}

func manyFiles(ctx context.Context, t *testing.T, f tree) {
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			name := fmt.Sprintf("file%d", i)
			f.put(ctx, t, name, strings.Repeat(name, 10_000), module.Attr{})
			if got := f.get(ctx, t, name); got != strings.Repeat(name, 10_000) {
				t.Errorf("%s has %d bytes", name, len(got))
			}
		})
		all.Go(func() { // writers of one file: one of them wins
			f.put(ctx, t, "one", "whole text", module.Attr{})
		})
	}
	all.Wait()
	want(t, "the file of all", f.get(ctx, t, "one"), "whole text")
}

func cancelledFiles(ctx context.Context, t *testing.T, f tree) {
	ended, cancel := context.WithCancel(ctx)
	content := io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), peek(cancel), endless{})
	wantIs(t, f.Write(ended, f.path("file"), content, module.Attr{}), context.Canceled)
	_, err := f.Stat(ended, f.dir)
	wantIs(t, err, context.Canceled)
	want(t, "names", f.names(ctx, t), "")
}
