package archive

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// What others can change is packed by walking, with the same content and the same
// exclusions, and is not packed again.
func TestFolderOfAnotherUserIsPacked(t *testing.T) {
	t.Parallel()
	need.Root(t, "hostile")
	h := moduletest.LocalHost(t, "")
	script := `mkdir -p src/a/b "src/c d"; echo 1 >src/a/b/f; echo 2 >"src/c d/g"; echo 3 >src/a/x.log; ln -s /etc src/a/l; chown -R 65533 src`
	moduletest.Shell(t, h.Dir, script)
	args := "source = \"" + h.Path("src") + "\"\ndest = \"" + h.Path("x.tar.gz") + "\"\nexclude = [\"*.log\"]"
	if got := moduletest.Apply(t, moduletest.Decode(t, Kind(), args), h); got != "" {
		t.Fatal(got)
	}
	out, err := exec.Command("tar", "-tzf", h.Path("x.tar.gz")).Output()
	if want := "./\n./a/\n./a/b/\n./a/b/f\n./a/l\n./c d/\n./c d/g\n"; err != nil || string(out) != want {
		t.Errorf("in it: %s, %v, want %s", out, err, want)
	}
	if got := moduletest.Planned(t.Context(), moduletest.Decode(t, Kind(), args), h); got != "" {
		t.Errorf("again: %q, want nothing to do", got)
	}
	args = strings.ReplaceAll(args, "x.tar.gz", "x.zip")
	if got := moduletest.Apply(t, moduletest.Decode(t, Kind(), args), h); !strings.Contains(got, "zip would follow their links") {
		t.Errorf("zip: %q", got)
	}
	if _, err := os.Stat(h.Path("x.zip.part")); !os.IsNotExist(err) {
		t.Errorf("a part is left: %v", err)
	}
}
