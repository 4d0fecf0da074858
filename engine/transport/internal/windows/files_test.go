package windows

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/test/grammar"
)

func TestScriptsOfFilesAreOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(scripts, "scripts/*.ps1")
	if err != nil || len(names) < 10 {
		t.Fatalf("the scripts are %q, error %v", names, err)
	}
	var all []grammar.Script
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "scripts/"), ".ps1")
		text, err := script(name, map[string]string{"path": "C:/it's"})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, grammar.Script{Name: name, Text: text})
	}
	grammar.Check(t, all...)
}

// calls is a machine that knows what the scripts answer, not how they do it.
type calls struct {
	t         *testing.T
	arguments []map[string]any
	answer    func(p transport.Process) (int, error)
}

func (c *calls) exec(_ context.Context, p transport.Process) (int, error) {
	_, rest, _ := strings.Cut(p.Line, "FromBase64String('")
	encoded, _, _ := strings.Cut(rest, "')")
	text, err := base64.StdEncoding.DecodeString(encoded)
	var arguments map[string]any
	if err = errors.Join(err, json.Unmarshal(text, &arguments)); err != nil {
		c.t.Errorf("the arguments of the script: %v", err)
	}
	c.arguments = append(c.arguments, arguments)
	return c.answer(p)
}

func answering(t *testing.T, answer func(p transport.Process) (int, error)) (*Files, *calls) {
	t.Helper()
	c := &calls{t: t, answer: answer}
	return New(c.exec), c
}

// line is an answer as a script prints it.
func line(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	encoded := base64.StdEncoding.EncodeToString(text)
	return strconv.Itoa(len(encoded)) + " " + encoded + "\n"
}

// says answers every script with a value.
func says(t *testing.T, value any) func(transport.Process) (int, error) {
	return func(p transport.Process) (int, error) {
		_, err := io.WriteString(p.Stdout, line(t, value))
		return 0, err
	}
}

func TestStatReadsWhatTheScriptDescribes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		answer map[string]any
		want   module.FileInfo
	}{
		"a file":      {map[string]any{"name": "X.txt", "kind": "file", "size": 5, "ticks": 638_000_000_001_234_567}, module.FileInfo{Name: "x.txt", Size: 5, Mode: 0o666, MTime: time.Unix(1664403200, 123456700)}},
		"a read-only": {map[string]any{"kind": "file", "readonly": true, "ticks": unixTicks}, module.FileInfo{Name: "x.txt", Mode: 0o444, MTime: time.Unix(0, 0)}},
		"a folder":    {map[string]any{"kind": "folder", "ticks": unixTicks}, module.FileInfo{Name: "x.txt", Mode: fs.ModeDir | 0o777, MTime: time.Unix(0, 0)}},
		"a link":      {map[string]any{"kind": "link", "target": `C:\a\b`, "ticks": unixTicks}, module.FileInfo{Name: "x.txt", Mode: fs.ModeSymlink | 0o777, MTime: time.Unix(0, 0), Target: "C:/a/b"}},
	}
	for name, c := range cases {
		files, calls := answering(t, says(t, c.answer))
		got, err := files.Stat(t.Context(), "C:/a/../x.txt")
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
		if diff := cmp.Diff([]map[string]any{{"path": "C:/x.txt"}}, calls.arguments); diff != "" {
			t.Errorf("%s: arguments %s", name, diff)
		}
	}
}

func TestErrorsOfScriptsAreThoseOfFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"FileNotFoundException": fs.ErrNotExist, "DirectoryNotFoundException": fs.ErrNotExist, "ItemNotFoundException": fs.ErrNotExist,
		"UnauthorizedAccessException": fs.ErrPermission, "Exists": fs.ErrExist,
	} {
		files, _ := answering(t, says(t, map[string]string{"failure": name, "message": "Das ging nicht.\r\n"}))
		_, err := files.List(t.Context(), "C:/x")
		if !errors.Is(err, want) || err.Error() != "list C:/x: "+want.Error()+": Das ging nicht" {
			t.Errorf("%s: %v", name, err)
		}
		if err := files.Remove(t.Context(), "C:/x"); (err == nil) != errors.Is(want, fs.ErrNotExist) {
			t.Errorf("%s: remove: %v", name, err)
		}
	}
	files, _ := answering(t, says(t, map[string]string{"failure": "IOException", "message": "Es ist voll."}))
	if err := files.Rename(t.Context(), "C:/x", "C:/y"); err == nil || err.Error() != "rename C:/x: Es ist voll" {
		t.Errorf("error is %v", err)
	}
	files, _ = answering(t, func(p transport.Process) (int, error) {
		_, err := io.WriteString(p.Stderr, "At line:1\nout of memory\n")
		return 1, err
	})
	if _, err := files.Stat(t.Context(), "C:/x"); err == nil || err.Error() != "stat C:/x: the script ended with code 1: out of memory" {
		t.Errorf("error is %v", err)
	}
}

// An answer of which a part is missing is none.
func TestAnAnswerThatIsNotCompleteIsAskedForAgain(t *testing.T) {
	t.Parallel()
	whole := line(t, map[string]any{"kind": "file", "ticks": unixTicks})
	for _, err := range []error{transport.ErrIncomplete, transport.ErrUnreachable} {
		tries := 0
		files, _ := answering(t, func(p transport.Process) (int, error) {
			tries++
			if tries == 1 {
				_, _ = io.WriteString(p.Stdout, whole[:7]+whole[9:])
				return 0, err
			}
			_, _ = io.WriteString(p.Stdout, whole)
			return 0, nil
		})
		if _, err := files.Stat(t.Context(), "C:/x"); err != nil || tries != 2 {
			t.Errorf("%d tries, error %v", tries, err)
		}
	}
	tries := 0
	files, _ := answering(t, func(p transport.Process) (int, error) {
		tries++
		_, _ = io.WriteString(p.Stdout, whole)
		return 0, transport.ErrIncomplete
	})
	if _, err := files.Stat(t.Context(), "C:/x"); err != nil || tries != 1 {
		t.Errorf("an answer that is there: %d tries, error %v", tries, err)
	}
}

// received reads a content as the script does.
func received(t *testing.T, from io.Reader) (content []byte, sum string) {
	t.Helper()
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(from, head); err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(string(head))
		if err != nil || n < 0 {
			return content, string(head)
		}
		if n == 0 {
			rest, err := io.ReadAll(from)
			if err != nil {
				t.Fatal(err)
			}
			return content, string(rest)
		}
		part := make([]byte, n)
		if _, err := io.ReadFull(from, part); err != nil {
			t.Fatal(err)
		}
		content = append(content, part...)
	}
}

func TestWriteSendsPartsAndTheirSum(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, partSize, partSize + 1, 3*partSize - 1} {
		text := bytes.Repeat([]byte{'x', 0, 0xff}, size/3+1)[:size]
		files, calls := answering(t, func(p transport.Process) (int, error) {
			content, sum := received(t, p.Stdin)
			want := sha256.Sum256(text)
			if !bytes.Equal(content, text) || sum != hex.EncodeToString(want[:]) {
				t.Errorf("%d bytes arrived with the sum %s", len(content), sum)
			}
			return says(t, struct{}{})(p)
		})
		if err := files.Write(t.Context(), "C:/a b/x", io.MultiReader(bytes.NewReader(text)), module.Attr{Mode: 0o600}); err != nil {
			t.Error(err)
		}
		temporary, _ := calls.arguments[0]["temporary"].(string)
		if len(calls.arguments) != 1 || calls.arguments[0]["path"] != "C:/a b/x" || !strings.HasPrefix(temporary, "C:/a b/.x.kinit-") {
			t.Errorf("calls %v", calls.arguments)
		}
	}
}

func TestWriteTellsOfASourceThatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is damaged")
	files, _ := answering(t, func(p transport.Process) (int, error) {
		if _, end := received(t, p.Stdin); end != "-0000001" {
			t.Errorf("the content ended with %q", end)
		}
		return says(t, map[string]string{"failure": "RuntimeException", "message": "the source failed"})(p)
	})
	err := files.Write(t.Context(), "C:/x", io.MultiReader(strings.NewReader("part"), failing{broken}), module.Attr{})
	if !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestWriteIsRepeatedWhereTheContentCanBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content io.Reader
		tries   int
	}{{strings.NewReader("text"), 2}, {io.MultiReader(strings.NewReader("text")), 1}} {
		tries, tidied := 0, 0
		files, calls := answering(t, nil)
		calls.answer = func(p transport.Process) (int, error) {
			if p.Stdin == nil {
				tidied++
				return says(t, struct{}{})(p)
			}
			if tries++; tries == 1 {
				return 0, fmt.Errorf("lost: %w", transport.ErrUnreachable)
			}
			if content, _ := received(t, p.Stdin); string(content) != "text" {
				t.Errorf("%q arrived", content)
			}
			return says(t, struct{}{})(p)
		}
		err := files.Write(t.Context(), "C:/x", c.content, module.Attr{})
		if tries != c.tries || tidied != 1 || (err == nil) != (c.tries == 2) {
			t.Errorf("%d tries, %d removals, error %v", tries, tidied, err)
		}
	}
}

// reads is the script that writes a file to its output.
func reads(t *testing.T, text string, sum string) func(transport.Process) (int, error) {
	return func(p transport.Process) (int, error) {
		_, _ = io.WriteString(p.Stdout, line(t, map[string]int{"size": len(text)})+text+sum+"\n")
		return 0, nil
	}
}

func TestOpenComparesTheSum(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", strings.Repeat("0123456789\n", 50_000)} {
		sum := sha256.Sum256([]byte(text))
		files, _ := answering(t, reads(t, text, hex.EncodeToString(sum[:])))
		file, err := files.Open(t.Context(), "C:/x")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(file)
		if err := errors.Join(err, file.Close()); err != nil || string(got) != text {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
	}
	files, _ := answering(t, reads(t, "text", strings.Repeat("0", 64)))
	file, err := files.Open(t.Context(), "C:/x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(file); err == nil || !strings.Contains(err.Error(), "read C:/x: the file arrived damaged") {
		t.Errorf("error is %v", err)
	}
	_ = file.Close()
	files, _ = answering(t, says(t, map[string]string{"failure": "FileNotFoundException", "message": "no"}))
	if _, err := files.Open(t.Context(), "C:/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
}

// A file that is closed early does not leave its script behind.
func TestCloseEndsTheScript(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	files := New(func(ctx context.Context, p transport.Process) (int, error) {
		_, _ = io.WriteString(p.Stdout, line(t, map[string]int{"size": 1 << 30}))
		for ctx.Err() == nil {
			_, _ = p.Stdout.Write(make([]byte, 1000))
		}
		ended <- ctx.Err()
		return 0, ctx.Err()
	})
	file, err := files.Open(t.Context(), "C:/x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Read(make([]byte, 10)); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	files, calls := answering(t, says(t, struct{}{}))
	ctx := t.Context()
	for _, err := range []error{
		files.Mkdir(ctx, "C:/d", module.Attr{Mode: 0o700}),
		files.Mkdir(ctx, "C:/e", module.Attr{Mode: 0o755}),
		files.SetAttr(ctx, "C:/f", module.Attr{Owner: `BUILTIN\Administrators`}),
		files.SetAttr(ctx, "C:/g", module.Attr{Mode: 0o644}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []map[string]any{
		{"path": "C:/d"}, {"path": "C:/d", "owner": "", "private": true},
		{"path": "C:/e"},
		{"path": "C:/f", "owner": `BUILTIN\Administrators`, "private": false},
		{"path": "C:/g"},
	}
	if diff := cmp.Diff(want, calls.arguments); diff != "" {
		t.Error(diff)
	}
	if err := files.SetAttr(ctx, "C:/x", module.Attr{Group: "Users"}); err == nil || !strings.Contains(err.Error(), "no group") {
		t.Errorf("error is %v", err)
	}
	if err := files.Remove(ctx, "C:/"); err == nil {
		t.Error("a drive may be removed")
	}
	if err := files.Symlink(ctx, "relative", "C:/x"); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("error is %v", err)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"C:/": "C:/", "c:/a//b/../c/": "c:/a/c", "D:/a b/é [x].txt": "D:/a b/é [x].txt", "C:/../..": "C:/", "C:/console": "C:/console", "C:/.x": "C:/.x",
	} {
		if got, err := Clean("stat", name); got != want || err != nil {
			t.Errorf("%s became %s, error %v", name, got, err)
		}
	}
	for name, want := range map[string]string{
		"": "absolute", "/etc": "absolute", "C:": "absolute", "C:x": "absolute", "a/b": "absolute", "//server/share": "absolute",
		`C:\x`: "with / instead of", "C:/a:b": `":"`, "C:/a*": `"*"`, "C:/a\nb": `"\n"`, "C:/x.": "dot or a blank", "C:/x /y": "dot or a blank",
		"C:/con": "device", "C:/Aux.txt": "device", "C:/lpt9": "device", "C:/\xff": "UTF-8", "C:/" + strings.Repeat("x", 256): "at most 255",
	} {
		_, err := Clean("stat", name)
		var named *fs.PathError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &named) || named.Path != name {
			t.Errorf("%q: error is %v", name, err)
		}
	}
}
