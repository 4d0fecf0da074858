package ospkg

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/packages/packagestest"
	"kinit/modules/internal/roottest"
)

// system is a package manager with a repository of two packages for tests:
// kinit-test-a in the versions 1.0-1 and 2.0-1, and another one that stays.
type system struct {
	name, release string
	programs      []string
	make          func(t testing.TB, h *roottest.Host, name string, versions ...string)
	versions      [2]string // as the repository is made of
	query         string    // prints the version of kinit-test-a
}

func systems() []system {
	const rpm = "rpm -q --qf '%{VERSION}-%{RELEASE}' kinit-test-a"
	return []system{
		{"apt", "ID=debian\n", []string{"apt-get", "dpkg-deb"}, packagestest.Apt, [2]string{"1.0-1", "2.0-1"},
			`dpkg-query -W -f '${Version}' kinit-test-a`},
		// Debian cannot have zypper beside dnf's plug-ins, of which one holds packages.
		{"dnf", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", []string{"dnf", "rpmbuild", "createrepo_c"}, packagestest.RPM, [2]string{"1.0", "2.0"}, rpm},
	}
}

func (s system) host(t *testing.T, owner string) *roottest.Host {
	t.Helper()
	h := roottest.New(t, owner, s.programs...)
	s.make(t, h, "kinit-test-b", "1.0")
	s.make(t, h, "kinit-test-a", s.versions[0], s.versions[1])
	h.Shell(t, "rm /etc/os-release")
	h.Put(t, "/etc/os-release", s.release, module.Attr{})
	// rpm's databases, locks and temporary files change when they are read.
	h.Ignore("/root/.rpmdb", "/var/lib/rpm", "/var/lib/dnf", "/var/tmp")
	moduletest.Settle(t, task(t, `names = ["kinit-test-b"]`), h)
	return h
}

func each(t *testing.T, run func(t *testing.T, s system)) {
	for _, s := range systems() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			run(t, s)
		})
	}
}

func TestContractWithRealPackageManagers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s system) {
		h := s.host(t, "demo")
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(t, "names = [\"kinit-test-a=1.0-1\"]\nheld = true") },
			Absent: func() module.Task { return task(t, "names = [\"kinit-test-a\"]\nstate = \"absent\"") },
		})
		moduletest.Marks(t, h, module.Mark{Kind: "package", ID: "kinit-test-b", Keep: true})
	})
}

func TestVersionsAndHoldsWithRealPackageManagers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s system) {
		h := s.host(t, "demo")
		for _, c := range []struct {
			args    string
			steps   []string
			version string
		}{
			{"names = [\"kinit-test-a=1.0-1\"]\nheld = true", []string{"install kinit-test-a 1.0-1", "hold kinit-test-a"}, "1.0-1"},
			{"names = [\"kinit-test-a\"]\nstate = \"latest\"", nil, "1.0-1"}, // it is held
			{`names = ["kinit-test-a=2.0-1"]`, []string{"change kinit-test-a 1.0-1 to 2.0-1"}, "2.0-1"},
			{"names = [\"kinit-test-a=1.0-1\"]\nheld = true", []string{"change kinit-test-a 2.0-1 to 1.0-1"}, "1.0-1"},
			{"names = [\"kinit-test-a\"]\nheld = false", []string{"free kinit-test-a"}, "1.0-1"},
			{"names = [\"kinit-test-a\", \"kinit-test-b\"]\nstate = \"latest\"", []string{"change kinit-test-a 1.0-1 to 2.0-1"}, "2.0-1"},
		} {
			made := task(t, c.args)
			moduletest.Same(t, c.args, roottest.Planned(t, h, made), c.steps)
			moduletest.Settle(t, made, h)
			moduletest.Same(t, "version after "+c.args, h.Shell(t, s.query), c.version)
			values, err := module.Outputs(t.Context(), made, h)
			if err != nil || values["versions"].AsValueMap()["kinit-test-a"].AsString() != c.version {
				t.Errorf("outputs %v, %v", values, err)
			}
		}
		moduletest.Marks(t, h, module.Mark{Kind: "package", ID: "kinit-test-b", Keep: true},
			module.Mark{Kind: "package", ID: "kinit-test-a", Keep: true})
	})
}

func TestUnknownPackageIsTheManagersError(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s system) {
		h := s.host(t, "")
		steps, err := task(t, `names = ["kinit-test-none"]`).Plan(t.Context(), h)
		if err != nil || len(steps) != 1 {
			t.Fatalf("steps %v, %v", steps, err)
		}
		if err := steps[0].Do(t.Context(), h); err == nil || !strings.Contains(err.Error(), "kinit-test-none") {
			t.Errorf("error %v, want the manager's", err)
		}
	})
}

// needed is a host on which the administrator has installed a package that needs one of kinit, kinit-test-a.
func needed(t *testing.T, s system) *roottest.Host {
	t.Helper()
	h := s.host(t, "demo")
	packagestest.Needing(t, h, s.name, "kinit-test-database", "1.0", "kinit-test-a")
	moduletest.Settle(t, task(t, `names = ["kinit-test-a"]`), h)
	h.Shell(t, map[string]string{"apt": "apt-get -y -q install kinit-test-database", "dnf": "dnf -y --refresh install kinit-test-database"}[s.name])
	h.Shell(t, "mkdir -p /srv/kinit-test-database")
	return h
}

// still reports what is missing of the administrator's package.
func still(t *testing.T, h *roottest.Host) {
	t.Helper()
	versions, err := module.Outputs(t.Context(), task(t, `names = ["kinit-test-a", "kinit-test-database"]`), h)
	if err != nil || len(versions["versions"].AsValueMap()) != 2 {
		t.Errorf("installed %v, %v, want both packages", versions, err)
	}
	h.Shell(t, "test -d /srv/kinit-test-database")
}

func TestPackageThatAnUnlistedPackageNeedsIsNotRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s system) {
		h := needed(t, s)
		absent := task(t, "names = [\"kinit-test-a\"]\nstate = \"absent\"")
		want := "kinit-test-database would be removed with kinit-test-a, and names does not list them: " +
			"add them to names if they are to be removed too, or leave kinit-test-a installed"
		moduletest.Same(t, "the plan", moduletest.Planned(t.Context(), absent, h), want)
		if err := absent.remove(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		still(t, h)
	})
}

func TestCleanupKeepsAPackageThatAForeignPackageNeeds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s system) {
		h := needed(t, s)
		mark := module.Mark{Kind: "package", ID: "kinit-test-a", Keep: true}
		want := "it stays, because packages need it that demo did not install: kinit-test-database. " +
			"Remove them yourself if nothing needs them, and run again; or run without purge, which leaves packages installed"
		if err := packageNeeded(t.Context(), h, mark); err == nil || err.Error() != want {
			t.Errorf("the plan has error %v, want %s", err, want)
		}
		if err := undoPackage(t.Context(), h, mark); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		still(t, h)
		if err := h.Own(t.Context(), module.Mark{Kind: "package", ID: "kinit-test-database", Keep: true}); err != nil {
			t.Fatal(err)
		}
		if err := undoPackage(t.Context(), h, mark); err != nil {
			t.Errorf("with the mark of both: %v", err)
		}
	})
}

// A dependency stays that came with a removed package, and that nothing needs any more.
func TestDependencyOfARemovedPackageStays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s system) {
		h := s.host(t, "demo")
		packagestest.Needing(t, h, s.name, "kinit-test-database", "1.0", "kinit-test-a")
		if s.name == "apt" {
			h.Shell(t, `echo 'APT::Get::AutomaticRemove "true";' >/etc/apt/apt.conf.d/99test`)
		}
		moduletest.Do(t, task(t, "names = [\"kinit-test-database\"]\nupdate_cache = true"), h)
		h.Shell(t, "mkdir -p /srv/kinit-test-database")
		moduletest.Settle(t, task(t, "names = [\"kinit-test-database\"]\nstate = \"absent\""), h)
		moduletest.Same(t, "version", h.Shell(t, s.query), "2.0-1")
	})
}
