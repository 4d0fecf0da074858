package ordinary

import (
	"strings"
	"testing"

	"kinit/engine"
)

// Names of files may have any bytes but "/" and zero. Ansible issues 23861 and 10110.
func TestNamesOfFilesMayHaveAnyBytes(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for about, name := range map[string]string{
		"a line end": `new\nline`, "a dash": "-rf", "quotes": `it's \"q\"`, "a pattern": "*[a]?{b}", "a variable": "$$HOME $(id)`id`",
		"a backslash": `a\\b\\n`, "spaces": " a b ", "a percent sign": "%s%d", "letters": "Jos\u00e9", "control characters": "a\\u0001\\u001b[31m", "a tilde": "~root",
	} {
		t.Run(about, func(t *testing.T) {
			here{
				on: "sudo", before: "rm -rf /srv/n; mkdir /srv/n",
				tasks: replaced(`
  task "directory" "d" { path = "/srv/n/NAME" }
  task "copy" "c" {
    dest       = "/srv/n/NAME/NAME"
    content    = "x\n"
    depends_on = [task.directory.d]
  }
  task "link" "l" {
    path       = "/srv/n/NAME/l"
    target     = "/srv/n/NAME/NAME"
    depends_on = [task.copy.c]
  }
  task "archive" "a" {
    source     = "/srv/n/NAME"
    dest       = "/srv/n/NAME.tar"
    depends_on = [task.link.l]
  }
  task "directory" "u" { path = "/srv/n/out" }
  task "unarchive" "u" {
    archive    = "/srv/n/NAME.tar"
    dest       = "/srv/n/out"
    depends_on = [task.archive.a, task.directory.u]
  }
  task "fetch" "f" {
    source     = "/srv/n/NAME/NAME"
    dest       = "FETCHED/NAME"
    depends_on = [task.copy.c]
  }
  task "read_file" "r" {
    path       = "/srv/n/NAME/l"
    depends_on = [task.link.l]
  }
  task "file" "gone" {
    path  = "/srv/n/gone/NAME"
    state = "absent"
  }
`, "FETCHED", t.TempDir(), "NAME", name),
				after: "cat /srv/n/out/l", want: "x\n",
			}.test(t, h)
		})
	}
}

// cleaning is a playbook whose objects have names in Latin-1, which HCL cannot write: a command prints them.
const cleaning = `
stage "cleanup" {}
stage "build" { after = ["cleanup"] }
task "sweep" "all" {
  stage = "cleanup"
  hosts = run.hosts
  all   = true
}
block "b" {
  stage = "build"
  hosts = run.hosts
  task "command" "name" {
    argv      = ["printf", "/srv/made/Jos\\351"]
    read_only = true
  }
  task "directory" "d" { path = task.command.name[each.key].stdout }
  task "copy" "c" {
    dest       = "${task.command.name[each.key].stdout}/f"
    content    = "x"
    depends_on = [task.directory.d]
  }
  task "unarchive" "u" {
    archive = "/srv/latin.tar"
    dest    = "/srv/made/un"
  }
  task "line_in_file" "l" {
    path   = "/srv/made/conf"
    match  = "^name="
    line   = "name=x"
    backup = true
  }
  task "hosts_entry" "h" {
    address = "192.0.2.9"
    names   = ["latin.example"]
  }
}
`

func TestCleanUpFindsNamesAndLinesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.sh(t, `umask 022; mkdir -p /srv/in /srv/made; cd /srv/in; echo a >"$(printf 'Jos\351')"; tar -cf /srv/latin.tar .
printf 'name=Jos\351\nb \351\n' >/srv/made/conf; printf '192.0.2.9 old.example # Jos\351\n' >>/etc/hosts
echo foreign >/srv/made/foreign; cp /etc/hosts /srv/hosts`)
	look := `cd /srv/made; find . | LC_ALL=C sort | sed -n l; sed -n l conf; cmp /etc/hosts /srv/hosts`
	before := h.sh(t, look)
	o := h.options(t, "root", `spec "latin" {
  playbook = "pb"
  owner    = "latin"
}
`, nil)
	put(t, o, "pb/playbook.hcl", cleaning)
	run := func(stop string) int {
		t.Helper()
		o.StopAfter = stop
		o.CleansUp = stop != ""
		o.YesDestroy = nil
		report := engine.Run(t.Context(), o)
		if err := report.Diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		return report.Changes()
	}
	o.StartAt = "build"
	run("")
	if made := h.sh(t, `cd /srv/made; find . | LC_ALL=C sort | sed -n l`); !strings.Contains(made, `./Jos\351/f$`) || !strings.Contains(made, `./un/Jos\351$`) {
		t.Errorf("made: %s", made)
	}
	if n := run(""); n != 0 {
		t.Errorf("the second run made %d changes", n)
	}
	o.StartAt = ""
	run("cleanup")
	if after := h.sh(t, look); after != before {
		t.Errorf("after clean-up:\n%s\nwant\n%s", after, before)
	}
}
