package sweep_test

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/block_in_file"
	"kinit/modules/line_in_file"
)

func TestClusterTakesItsOwnLinesOutOfAForeignFile(t *testing.T) {
	t.Parallel()
	const path, backup = "/etc/shared.conf", "/etc/shared.conf.kinit-backup"
	for name, c := range map[string]struct {
		meanwhile func(text string) string
		other     bool // another cluster edits the file too
		want      string
		backup    bool
	}{
		"nothing else changed":                {func(text string) string { return text }, false, "port 22\nlast\n", false},
		"an administrator has added a line":   {func(text string) string { return text + "added\n" }, false, "port 22\nlast\nadded\n", false},
		"an administrator has changed a line": {func(string) string { return "port 99\nlast\n" }, false, "port 99\nlast\n", false},
		"another cluster has a line":          {func(text string) string { return text + "other\n" }, true, "port 22\nlast\nother\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := host(t)
			h.FS.Put(path, "port 22\nlast\n", 0o640)
			for _, text := range []string{"one", "two", "two\nthree"} {
				for _, task := range []module.Task{
					moduletest.Decode(t, lineinfile.Kind(), "path = \""+path+"\"\nmatch = \"^port\"\nline = \"port 23\"\nbackup = true"),
					moduletest.Decode(t, blockinfile.Kind(), "path = \""+path+"\"\nblock = <<EOT\n"+text+"\nEOT\nbackup = true"),
				} {
					moduletest.Settle(t, task, h)
				}
			}
			now, _ := h.FS.Text(path)
			if want := "port 23\nlast\n# BEGIN kinit block\ntwo\nthree\n# END kinit block\n"; now != want {
				t.Fatalf("the edited file is %q, want %q", now, want)
			}
			h.FS.Put(path, c.meanwhile(now), 0o640)
			if c.other {
				mark(h, "other", "file", "%2Fetc%2Fshared.conf.json", path)
			}
			moduletest.Settle(t, task(all), h)
			if got, _ := h.FS.Text(path); got != c.want {
				t.Errorf("clean-up leaves %q, want %q", got, c.want)
			}
			if _, there := h.FS.Text(backup); there != c.backup {
				t.Errorf("there is a backup: %v, want %v", there, c.backup)
			}
			moduletest.Marks(t, h)
		})
	}
}
