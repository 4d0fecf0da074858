package tree

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
)

func TestList(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	folder := h.Path("odd [*] name")
	script := `mkdir -p a/b x && printf one >a/one && printf two >a/b/two.log && ln -s ../one a/b/l && mkfifo p &&
		touch "$(printf 'line\nend')" && chmod 0640 * a/* && chmod 0755 a a/b x && find . -exec touch -h -d @1700000000.5 {} +`
	cmd := exec.Command("sh", "-ec", "mkdir -p \"$0\" && cd \"$0\" && "+script, folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		exclude []string
		want    string
	}{
		{nil, "a d 755 |a/b d 755 |a/b/l l  ../one|a/b/two.log f 644 |a/one f 640 |line\nend f 640 |x d 755 "},
		{[]string{"*.log", "x"}, "a d 755 |a/b d 755 |a/b/l l  ../one|a/one f 640 |line\nend f 640 "},
		{[]string{"a/b", "line*"}, "a d 755 |a/one f 640 |x d 755 "},
	} {
		entries, err := List(t.Context(), h, folder, c.exclude...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, strings.Join([]string{e.Path, e.Type, e.Mode, e.Target}, " "))
		}
		if diff := cmp.Diff(strings.Split(c.want, "|"), got); diff != "" {
			t.Errorf("without %q (-want +got):\n%s", c.exclude, diff)
		}
	}
}

func TestFileHasSizeAndTime(t *testing.T) {
	t.Parallel()
	got, err := parse("a b\x00f\x00644\x000\x0012\x003\x001700000000.5000000000\x00\x00")
	want := []Entry{{Path: "a b", Type: "f", Mode: "644", UID: "0", GID: "12", Size: 3, MTime: "1700000000.5000000000"}}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOtherOutputIsNoTree(t *testing.T) {
	t.Parallel()
	_, err := parse("a\x00f\x00")
	if want := "find printed 2 fields, want 8 for each entry: GNU find is needed"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFingerprintTellsEveryFieldApart(t *testing.T) {
	t.Parallel()
	base := Entry{Path: "p", Type: "f", Mode: "644", UID: "1", GID: "2", Size: 3, MTime: "4", Target: "5"}
	seen := map[string]int{Fingerprint([]Entry{base}): -1, Fingerprint(nil): -2}
	for i, change := range []func(*Entry){
		func(e *Entry) { e.Path = "p2" }, func(e *Entry) { e.Type = "d" }, func(e *Entry) { e.Mode = "600" },
		func(e *Entry) { e.UID = "9" }, func(e *Entry) { e.GID = "9" }, func(e *Entry) { e.Size = 9 },
		func(e *Entry) { e.MTime = "9" }, func(e *Entry) { e.Target = "9" },
	} {
		other := base
		change(&other)
		sum := Fingerprint([]Entry{other})
		if before, same := seen[sum]; same {
			t.Errorf("change %d gives the same as %d", i, before)
		}
		seen[sum] = i
	}
}
