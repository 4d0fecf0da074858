package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
)

// ordinary is work on files and programs of one host, in the order of its stages.
const ordinary = `
variable "folder" { type = string }

stage "make" {}
stage "use" { after = ["make"] }

task "directory" "src" {
  stage = "make"
  host  = "localhost"
  path  = "${var.folder}/src"
}
task "line_in_file" "setting" {
  stage      = "make"
  host       = "localhost"
  path       = "${task.directory.src.path}/app.conf"
  match      = "^port "
  line       = "port 8080"
  create     = true
}
task "block_in_file" "names" {
  stage  = "make"
  host   = "localhost"
  path   = task.line_in_file.setting.path
  block  = "name a\nname b\n"
}
task "shell" "pipe" {
  stage    = "make"
  host     = "localhost"
  dir      = task.directory.src.path
  commands = "tr a-z A-Z <app.conf | sort >upper"
  creates  = "${task.directory.src.path}/upper"
  depends_on = [task.block_in_file.names]
}
task "script" "count" {
  stage   = "make"
  host    = "localhost"
  source  = "${var.folder}/count.sh"
  args    = ["${task.directory.src.path}/upper", "${task.directory.src.path}/count"]
  creates = "${task.directory.src.path}/count"
  depends_on = [task.shell.pipe]
}
task "archive" "packed" {
  stage   = "use"
  host    = "localhost"
  source  = task.directory.src.path
  dest    = "${var.folder}/src.tar.gz"
  exclude = ["upper"]
}
task "unarchive" "copy" {
  stage   = "use"
  host    = "localhost"
  archive = task.archive.packed.path
  dest    = "${var.folder}/copy"
}
task "git" "checkout" {
  stage      = "use"
  host       = "localhost"
  repository = "file://${var.folder}/r.git"
  dest       = "${var.folder}/checkout"
}
output "counted" {
  value = task.script.count.stdout
}
`

func TestOrdinaryWorkOverARealConnectionChangesNothingTheSecondTime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ordinary.hcl", ordinary)
	write("count.sh", "#!/bin/sh\nset -e\nwc -l <\"$1\" | tee \"$2\"\n")
	repository(t, filepath.Join(folder, "r.git"))

	o := options(t, filepath.Join(folder, "ordinary.hcl"))
	o.Hosts, o.Vars["folder"] = []string{"localhost"}, folder
	first := engine.Run(t.Context(), o)
	if err := first.Diagnostics.Err(); err != nil || first.Changes() != 8 {
		t.Fatalf("first run: %d changes, %v", first.Changes(), err)
	}
	if got := strings.TrimSpace(first.Outputs[0].Value); got != "5" {
		t.Errorf("counted %q lines, want 5", got)
	}
	for name, want := range map[string]string{
		"copy/app.conf": "port 8080\n# BEGIN kinit block\nname a\nname b\n# END kinit block\n",
		"copy/count":    "5\n", "checkout/f": "one\n",
	} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v, want %q", name, text, err, want)
		}
	}
	second := engine.Run(t.Context(), o)
	if err := second.Diagnostics.Err(); err != nil || second.Changes() != 0 {
		t.Errorf("second run: %d changes, %v", second.Changes(), err)
	}
}

// repository makes a bare repository with one commit.
func repository(t *testing.T, path string) {
	t.Helper()
	work := t.TempDir()
	script := `git init -q -b main . && echo one >f && git add f &&
		git -c user.name=a -c user.email=a@example.org commit -qm one && git clone -q --bare . "$0"`
	cmd := exec.Command("sh", "-ec", script, path)
	cmd.Dir, cmd.Env = work, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
