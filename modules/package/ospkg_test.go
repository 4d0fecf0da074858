package ospkg

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

const (
	query   = `dpkg-query -W -f '${Package}\t${db:Status-Abbrev}\t${Version}\n' `
	apt     = "apt-get -y -q -o 'DPkg::Lock::Timeout=300' -o 'Dpkg::Options::=--force-confdef' -o 'Dpkg::Options::=--force-confold' "
	install = apt + "install --no-install-recommends --allow-downgrades --allow-change-held-packages -- "
)

// debian is a fake host with packages, by version.
func debian(t *testing.T, owner string, installed map[string]string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, owner)
	h.FS.Put("/etc/os-release", "ID=debian\n", 0o644)
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		line := c.Line()
		switch {
		case strings.HasPrefix(line, query):
			return dpkg(installed, c.Argv[4:]), true
		case strings.HasPrefix(line, install):
			for _, name := range c.Argv[slices.Index(c.Argv, "--")+1:] {
				pkg, version, _ := strings.Cut(name, "=")
				installed[pkg] = version
			}
			return moduletest.Reply{Changes: true}, true
		case strings.HasPrefix(line, apt+"--simulate remove --no-auto-remove --allow-change-held-packages -- "):
			var out string
			for _, name := range c.Argv[slices.Index(c.Argv, "--")+1:] {
				out += "Remv " + name + " [1]\n"
			}
			return moduletest.Reply{Stdout: out}, true
		case strings.HasPrefix(line, apt+"remove --no-auto-remove -- "):
			for _, name := range c.Argv[slices.Index(c.Argv, "--")+1:] {
				delete(installed, name)
			}
			return moduletest.Reply{Changes: true}, true
		case strings.HasPrefix(line, "apt-mark showhold "):
			return moduletest.Reply{}, true
		case line == apt+"update":
			return moduletest.Reply{Changes: true}, true
		}
		return moduletest.Reply{}, false
	})
	return h
}

// dpkg answers as dpkg-query does.
func dpkg(installed map[string]string, names []string) (r moduletest.Reply) {
	for _, name := range names {
		version, known := installed[name]
		if !known {
			r.Code, r.Stderr = 1, r.Stderr+"dpkg-query: no packages found matching "+name+"\n"
			continue
		}
		r.Stdout += name + "\tii \t" + version + "\n"
	}
	return r
}

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := debian(t, owner, map[string]string{"bash": "5.2"})
		moduletest.Run(t, moduletest.Case{
			New:    func() module.Task { return task(t, `names = ["curl", "bash", "jq=1.6"]`) },
			Absent: func() module.Task { return task(t, "names = [\"curl\", \"jq\"]\nstate = \"absent\"") },
			Host:   h,
		})
		if marks, err := h.Marks(t.Context()); err != nil || len(marks) > 0 {
			t.Errorf("marks %v, %v are left", marks, err)
		}
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	s := state{installed: map[string][]string{"a": {"1"}, "b": {"2:2-1", "2-1", "2"}}, newest: map[string]string{"a": "1", "b": "2:3-1", "c": "1"}}
	old := state{installed: s.installed}
	held := state{installed: s.installed, newest: s.newest, held: map[string]bool{"b": true}}
	for _, c := range []struct {
		name, args string
		state      state
		want       string
	}{
		{"all there", `names = ["a", "b"]`, old, ""},
		{"one missing", `names = ["a", "c"]`, old, "install c"},
		{"two missing", `names = ["d", "c"]`, old, "install d, install c"},
		{"the version is there", `names = ["a=1"]`, old, ""},
		{"another version is there", `names = ["a=2"]`, old, "change a 1 to 2"},
		{"a version is missing", `names = ["c=2"]`, old, "install c 2"},
		{"the version is there, written otherwise", `names = ["b=2", "b=2-1", "b=2:2-1", "b=2-*"]`, old, ""},
		{"a version that begins otherwise", `names = ["b=3.*"]`, old, "change b 2:2-1 to 3.*"},
		{"latest", "names = [\"a\", \"b\", \"c\"]\nstate = \"latest\"", s, "change b 2:2-1 to 2:3-1, install c"},
		{"latest of a held one", "names = [\"b\"]\nstate = \"latest\"", held, ""},
		{"another version of a held one", `names = ["b=4"]`, held, "change b 2:2-1 to 4"},
	} {
		if got := strings.Join(task(t, c.args).missing(c.state).texts, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOnlyWhatWasMissingIsMarkedAndListsAreNotRefreshed(t *testing.T) {
	t.Parallel()
	h := debian(t, "demo", map[string]string{"bash": "5.2"})
	moduletest.Do(t, task(t, `names = ["bash", "curl"]`), h)
	marks, err := h.Marks(t.Context())
	if want := []module.Mark{{Kind: "package", ID: "curl", Keep: true}}; err != nil || !slices.Equal(marks, want) {
		t.Errorf("marks %v, %v, want %v", marks, err, want)
	}
	if want := []string{install + "curl"}; !slices.Equal(h.Changes(), want) {
		t.Errorf("changes %q, want %q", h.Changes(), want)
	}
	for _, c := range h.Calls() {
		if c.Argv[0] == "apt-get" && c.Env["DEBIAN_FRONTEND"] != "noninteractive" {
			t.Errorf("%s may ask questions", c.Line())
		}
	}
}

func TestUpdateCacheRefreshesFirst(t *testing.T) {
	t.Parallel()
	h := debian(t, "", map[string]string{})
	moduletest.Do(t, task(t, "names = [\"curl\"]\nupdate_cache = true"), h)
	if want := []string{apt + "update", install + "curl"}; !slices.Equal(h.Changes(), want) {
		t.Errorf("changes %q, want %q", h.Changes(), want)
	}
}

func TestFailedInstallIsRepairedAndTriedOnceMore(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/os-release", "ID=ubuntu\nID_LIKE=debian\n", 0o644)
	argv := []string{"apt-get", "-y", "-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Options::=--force-confdef",
		"-o", "Dpkg::Options::=--force-confold"}
	h.On("dpkg-query", "-W", "-f", `${Package}\t${db:Status-Abbrev}\t${Version}\n`, "curl").Fail(1, "no packages found")
	h.On(append(argv, "install", "--no-install-recommends", "--allow-downgrades", "--allow-change-held-packages", "--", "curl")...).
		Fail(100, "E: Unable to locate package curl").Out("")
	h.On("dpkg", "--configure", "-a").Out("")
	h.On(append(argv, "update")...).Out("")
	moduletest.Do(t, task(t, `names = ["curl"]`), h)
	want := []string{install + "curl", "dpkg --configure -a", apt + "update", install + "curl"}
	if got := h.Lines()[2:]; !slices.Equal(got, want) {
		t.Errorf("commands %q, want %q", got, want)
	}
}

func TestForeignPackageIsNotRemoved(t *testing.T) {
	t.Parallel()
	h := debian(t, "demo", map[string]string{"bash": "5.2"})
	_, err := task(t, "names = [\"bash\"]\nstate = \"absent\"").Plan(t.Context(), h)
	if want := "package bash exists and is not owned by cluster demo: remove the package yourself if nothing needs it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestOtherSystemIsNamed(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/os-release", "ID=void\nPRETTY_NAME=\"Void Linux\"\n", 0o644)
	_, err := task(t, `names = ["curl"]`).Plan(t.Context(), h)
	want := "packages are installed with apt, dnf, yum, zypper, pacman or apk, and this host, with Void Linux, has none of them: " +
		"use a command task for its package manager"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`names = []`:             "names is empty, want at least one package",
		`names = ["--force"]`:    `names has "--force", want a package name such as "curl" or "curl=7.88.1-10"`,
		`names = ["libc6:i386"]`: `names has "libc6:i386", want a package name such as "curl" or "curl=7.88.1-10"`,
		"names = [\"a1\"]\nheld = true\nstate = \"absent\"": `held is for installed packages, want it without state = "absent"`,
		"names = [\"a1\"]\nstate = \"installed\"":           `state is "installed", want one of present, absent, latest`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
	if err := module.Check(task(t, `names = ["g++", "libssl3=3.0.11-1~deb12u2", "NetworkManager", "a=1.2*"]`)); err != nil {
		t.Error(err)
	}
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}
