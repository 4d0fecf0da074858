package ospkg

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/packages/packagestest"
	"kinit/modules/internal/roottest"
)

func TestPackagesOfPacman(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "pacman", "pacman-conf")
	packagestest.Pacman(t, h, "kinit-test-a", "1.0-1")
	h.Shell(t, "rm /etc/os-release")
	h.Put(t, "/etc/os-release", "ID=arch\n", module.Attr{})
	h.Ignore("/var/lib/pacman", "/var/cache/pacman", "/var/log")
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return task(t, `names = ["kinit-test-a"]`) },
		Absent: func() module.Task { return task(t, "names = [\"kinit-test-a\"]\nstate = \"absent\"") },
	})
	moduletest.Settle(t, task(t, `names = ["kinit-test-a"]`), h)
	packagestest.Pacman(t, h, "kinit-test-a", "2.0-1")
	latest := task(t, "names = [\"kinit-test-a\"]\nstate = \"latest\"")
	moduletest.Same(t, "steps with old lists", len(moduletest.Texts(t, latest, h)), 0)
	moduletest.Do(t, task(t, "update_cache = true"), h)
	moduletest.Same(t, "steps", moduletest.Texts(t, latest, h), []string{"change kinit-test-a 1.0-1 to 2.0-1"})
	moduletest.Settle(t, latest, h)
	moduletest.Same(t, "version", h.Shell(t, "pacman -Q kinit-test-a"), "kinit-test-a 2.0-1\n")
	moduletest.Settle(t, task(t, `files = ["`+packagestest.Folder+`/kinit-test-a-1.0-1-any.pkg.tar.gz"]`), h)
	moduletest.Same(t, "version", h.Shell(t, "pacman -Q kinit-test-a"), "kinit-test-a 1.0-1\n")
	packagestest.Needing(t, h, "pacman", "kinit-test-b", "1.0-1", "kinit-test-a")
	moduletest.Settle(t, task(t, "names = [\"kinit-test-b\"]\nupdate_cache = true"), h)
	absent := "names = [\"kinit-test-a\"]\nstate = \"absent\""
	moduletest.Same(t, "the package that another needs", moduletest.Planned(t.Context(), task(t, absent), h), "kinit-test-b would be removed with kinit-test-a, "+
		"and names does not list them: add them to names if they are to be removed too, or leave kinit-test-a installed")
	held := moduletest.Apply(t, task(t, "names = [\"kinit-test-a\"]\nheld = true"), h)
	moduletest.Same(t, "held", held, "pacman holds packages by IgnorePkg in /etc/pacman.conf: change that for kinit-test-a with a task line_in_file, without held")
	steps, err := task(t, `names = ["kinit-test-none"]`).Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if err := steps[0].Do(t.Context(), h); err == nil || !strings.Contains(err.Error(), "kinit-test-none") {
		t.Errorf("error %v, want pacman's", err)
	}
}

func TestPackageInAFile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s system) {
		h := s.host(t, "demo")
		file := strings.TrimSpace(h.Shell(t, "find $1 -name 'kinit-test-a*1.0*'", packagestest.Folder))
		made := task(t, `files = ["`+file+`"]`)
		moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{"install kinit-test-a 1.0-1 from " + file})
		moduletest.Settle(t, made, h)
		moduletest.Same(t, "version", h.Shell(t, s.query), "1.0-1")
		missing := moduletest.Planned(t.Context(), task(t, `files = ["/none.deb"]`), h)
		moduletest.Same(t, "a missing file", missing, "files: /none.deb does not exist on "+h.Name()+": download or copy it first")
		other := moduletest.Planned(t.Context(), task(t, `files = ["/etc/passwd"]`), h)
		if !strings.HasPrefix(other, "files: read the package /etc/passwd: ") {
			t.Errorf("a file that is no package: %q", other)
		}
		const others = ": users other than root can change it, so that it is not read: want owner root, a mode such as 0644, " +
			"and a folder that only root can change; it has owner "
		for _, c := range []struct{ script, want string }{
			{`chown nobody "$1"`, file + others + "nobody and mode 0644"},
			{`chown root "$1"; chmod 0666 "$1"`, file + others + "root and mode 0666"},
			{`chmod 0644 "$1"; mkdir -m 0777 /opt/open; cp "$1" /opt/open/x`, "/opt/open/x" + others + "root and mode 0644"},
		} {
			h.Shell(t, c.script, file)
			path, _, _ := strings.Cut(c.want, ": ")
			moduletest.Same(t, c.script, moduletest.Planned(t.Context(), task(t, `files = ["`+path+`"]`), h), "files: "+c.want)
		}
	})
}

// clocked is a host with Debian whose clock says the time that is given.
func clocked(t *testing.T, now string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/os-release", "ID=debian\n", 0o644)
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		switch c.Argv[0] {
		case "date":
			return moduletest.Reply{Stdout: now + "\n"}, true
		case "apt-get":
			return moduletest.Reply{Changes: true}, true
		}
		return moduletest.Reply{}, c.Argv[0] == "dpkg-query"
	})
	return h
}

func TestListsAreRefreshedWhenTheyAreOld(t *testing.T) {
	t.Parallel()
	const refresh = "refresh the package lists"
	for _, c := range []struct {
		stored, args string
		steps        []string
	}{
		{"", `max_list_age = "1h"`, []string{refresh}},
		{"10000", `max_list_age = "1h"`, nil},
		{"9000", `max_list_age = "16m40s"`, nil},
		{"8999", `max_list_age = "16m40s"`, []string{refresh}},
		{"10001", `max_list_age = "1h"`, []string{refresh}}, // the clock was set back
		{"10000", `update_cache = true`, []string{refresh}},
	} {
		h := clocked(t, "10000")
		if c.stored != "" {
			h.FS.Put("/var/lib/kinit/package-lists", c.stored+"\n", 0o644)
		}
		if got := moduletest.Texts(t, task(t, c.args), h); strings.Join(got, ",") != strings.Join(c.steps, ",") {
			t.Errorf("%s, made at %q: steps %q, want %q", c.args, c.stored, got, c.steps)
		}
	}
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return task(t, `max_list_age = "1h"`) }, Host: clocked(t, "10000")})
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return task(t, `update_cache = true`) }, Host: clocked(t, "10000")})
}

func TestInstallRefreshesOldListsOnce(t *testing.T) {
	t.Parallel()
	h := clocked(t, "10000")
	for range 2 {
		moduletest.Do(t, task(t, "names = [\"curl\"]\nmax_list_age = \"1h\""), h)
	}
	updates := 0
	for _, line := range h.Changes() {
		if strings.HasSuffix(line, " update") {
			updates++
		}
	}
	moduletest.Same(t, "refreshes", updates, 1)
}

func TestOptionThatTheManagerLacks(t *testing.T) {
	t.Parallel()
	for release, args := range map[string]string{"ID=fedora\n": `release = "a"`, "ID=debian\n": `enable_repositories = ["a"]`, "ID=arch\n": `recommends = true`} {
		h := moduletest.NewFakeHost(t, "")
		h.FS.Put("/etc/os-release", release, 0o644)
		name, _, _ := strings.Cut(args, " ")
		if name == "enable_repositories" {
			name += " and disable_repositories"
		}
		want := "the package manager of this host does not know " + name + ": leave it out there, as with when"
		moduletest.Same(t, args, moduletest.Planned(t.Context(), task(t, "names = [\"x\"]\n"+args), h), want)
	}
}

func TestValidateOptions(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`names = []`:                                      "names is empty, want at least one package",
		`max_list_age = "day"`:                            `max_list_age is "day", want a duration such as "1h"`,
		`files = ["a.deb"]`:                               `files is "a.deb", want an absolute path`,
		"files = [\"/a.deb\"]\nstate = \"absent\"":        `files is for packages to install, want it without state = "absent"`,
		"update_cache = true\nstate = \"latest\"":         "names is empty, want the packages that state and held are for",
		"names = [\"a\"]\nrelease = \"-o x\"":             `release has "-o x", want a name`,
		"names = [\"a\"]\ndisable_repositories = [\"*\"]": "",
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}
