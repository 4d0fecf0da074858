package unitfile_test

import (
	"os"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/roottest"
	"kinit/modules/internal/unitfile"
)

// dump is how systemd reads a service: it is run in a mode in which it only says
// what it would do.
func dump(t *testing.T, service string) string {
	t.Helper()
	const systemd = "/lib/systemd/systemd"
	h := roottest.New(t, "", "setpriv")
	if _, err := os.Stat(systemd); err != nil {
		need.Missing(t, "systemd", err.Error())
	}
	h.Put(t, "/tmp/units/default.target", "[Unit]\nWants=x.service\n", module.Attr{})
	h.Put(t, "/tmp/units/x.service", service, module.Attr{})
	return h.Shell(t, `mkdir -m 777 /tmp/run && setpriv --reuid=65534 --regid=65534 --clear-groups \
env -i XDG_RUNTIME_DIR=/tmp/run SYSTEMD_UNIT_PATH=/tmp/units HOME=/tmp "$1" --test --user 2>&1`, systemd)
}

func TestSystemdReadsTheArgumentsAsTheyWere(t *testing.T) {
	t.Parallel()
	argv := []string{"/bin/echo", "plain-1", "two words", "100%", "$HOME", `q"uo\te`, "it's", "a\nb", ";", ""}
	line := unitfile.Command(argv)
	moduletest.Same(t, "line", line, `/bin/echo plain-1 "two words" 100%% $$HOME "q\"uo\\te" "it's" "a\nb" ";" ""`)
	got := dump(t, "[Service]\nExecStart="+line+"\nEnvironment="+unitfile.Environment("A", "b \"c\" 5% $D")+"\n")
	// The dump is quoted for a shell; variables are replaced only when it starts.
	for _, want := range []string{
		`Command Line: /bin/echo plain-1 "two words" 100% "\$\$HOME" "q\"uo\\te" "it's" "a\nb" ";" ""`,
		`Environment: A=b "c" 5% $D`,
	} {
		if !strings.Contains(got, "\t"+want+"\n") {
			t.Errorf("systemd does not say %s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# comment\n[Service]\nExecStart=/bin/a \\\n# between\n  b\n\n; end\n[Install]\nWantedBy=a\n": "",
		"":                       "no section, want one such as [Service]",
		"ExecStart=/bin/a\n":     `line 1 is "ExecStart=/bin/a", want a section such as [Service] before it`,
		"[Service]\nExecStart\n": `line 2 is "ExecStart", want "Name=value" or a section such as [Service]`,
		"[Service\nA=b\n":        `line 1 is "[Service", want a section such as [Service] before it`,
	} {
		got := ""
		if err := unitfile.Check(text); err != nil {
			got = err.Error()
		}
		moduletest.Same(t, text, got, want)
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	const types = ", of a type among .service .socket .timer .path .mount .automount .swap .target .slice"
	for name, want := range map[string]string{
		"web": "", "web.socket": "", "getty@tty1.service": "", `dev-disk\x2d1.mount`: "",
		"":        `name is "", want a unit such as "web" or "web.socket"` + types,
		"a/b":     `name is "a/b", want a unit such as "web" or "web.socket"` + types,
		"-x":      `name is "-x", want a unit such as "web" or "web.socket"` + types,
		"app@1.2": "", "my.app": "",
		"x.device": `name is "x.device", want a unit such as "web" or "web.socket"` + types,
	} {
		got := ""
		if err := unitfile.CheckName(name); err != nil {
			got = err.Error()
		}
		moduletest.Same(t, name, got, want)
	}
}

func TestDotInAnInstanceIsNotATypeOfUnit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"web": "web.service", "app@1.2": "app@1.2.service", "my.app": "my.app.service",
		"app@1.2.service": "app@1.2.service", "web.socket": "web.socket", "sys-x.device": "sys-x.device",
	} {
		moduletest.Same(t, name, unitfile.Name(name), want)
	}
}
