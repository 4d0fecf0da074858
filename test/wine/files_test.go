package wine

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// testFiles moves files with hard names and contents.
func testFiles(t *testing.T, conn transport.Conn) {
	files, err := conn.Files(t.Context())
	must(t, err)
	ctx := t.Context()
	const folder = "C:/kinit test/ü [1]"
	must(t, files.Mkdir(ctx, folder, module.Attr{}))
	content := bytes.Repeat([]byte("\x00\xff\r\n€"), 50_000)
	name := folder + "/a b'c[1]$(x)%PATH%^&😀.txt"
	for _, want := range [][]byte{content, nil, []byte("x")} {
		must(t, files.Write(ctx, name, bytes.NewReader(want), module.Attr{}))
		reader, err := files.Open(ctx, name)
		must(t, err)
		got, err := io.ReadAll(reader)
		if err = errors.Join(err, reader.Close()); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes came back of %d, error %v", len(got), len(want), err)
		}
	}
	moved := folder + "/-moved"
	must(t, files.Write(ctx, moved, strings.NewReader("old"), module.Attr{}))
	must(t, files.Rename(ctx, name, moved))
	all, err := files.List(ctx, folder)
	if err != nil || len(all) != 1 || all[0].Name != "-moved" || all[0].Size != 1 {
		t.Errorf("the folder has %+v, error %v", all, err)
	}
	must(t, files.Remove(ctx, moved))
	if _, err := files.Stat(ctx, moved); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was removed: %v", err)
	}
	must(t, files.Remove(ctx, folder))
}
