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
