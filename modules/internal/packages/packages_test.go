package packages

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
)

func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestManagerIsThatOfTheDistribution(t *testing.T) {
	t.Parallel()
	all := []string{"apt-get", "dnf", "zypper", "yum", "pacman"}
	for _, c := range []struct {
		release string
		there   []string
		want    string
	}{
		{"ID=debian", all, "apt-get"},
		{"ID=linuxmint\nID_LIKE=\"ubuntu debian\"", all, "apt-get"},
		{"ID=fedora", []string{"dnf", "yum"}, "dnf"},
		{"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"", all, "dnf"},
		{"ID=\"centos\"\nID_LIKE=\"rhel fedora\"", []string{"yum"}, "yum"},
		{"ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"", all, "zypper"},
		{"ID=\"sles\"\nID_LIKE=\"suse\"", all, "zypper"},
		{"ID=arch", all, "pacman"},
		{"ID=manjaro\nID_LIKE=arch", []string{"pacman"}, "pacman"},
		{"ID=amzn\nID_LIKE=fedora", []string{"dnf"}, "dnf"},
		{"ID=own", []string{"zypper"}, "zypper"},
		{"", []string{"dnf", "yum"}, "dnf"},
		{"ID=alpine", nil, "apk"},
		{"ID=postmarketos\nID_LIKE=\"alpine\"", nil, "apk"},
		{"ID=void", nil, ""},
	} {
		same(t, c.release, choose(c.release, c.there), c.want)
	}
}

func TestReadsWhatTheProgramsPrint(t *testing.T) {
	t.Parallel()
	same(t, "dpkg-query", parseDpkg(recorded(t, "dpkg-query.txt")),
		map[string][]string{"bash": {"5.2.15-2+b8"}, "curl": {"7.88.1-10+deb12u14"}, "held": {"1"}})
	same(t, "apt-cache policy", parsePolicy(recorded(t, "apt-cache-policy.txt")),
		map[string]string{"bash": "5.2.15-2+b13", "curl": "7.88.1-10+deb12u15"})
	same(t, "rpm -q", parseRPM(recorded(t, "rpm-q.txt")), map[string][]string{
		"bash":       {"5.2.26-4.fc40", "0:5.2.26-4.fc40", "5.2.26"},
		"bind-utils": {"32:9.18.28-2.el9", "9.18.28-2.el9", "9.18.28"},
		"kernel":     {"6.9.5-200.fc40", "0:6.9.5-200.fc40", "6.9.5"},
	})
	same(t, "dnf repoquery", parsePairs("\nkinit-test-a 2.0-1\n\nb 1:3-1\n"), map[string]string{"kinit-test-a": "2.0-1", "b": "1:3-1"})
	same(t, "versionlock of dnf 4", parseLocks("kinit-test-a-0:1.0-1.*\n!gcc-c++-0:4-1.*\ngcc-c++-1:13.2-1.fc40.*\n"),
		map[string]bool{"kinit-test-a": true, "gcc-c++": true})
	same(t, "versionlock of dnf 5", parseLocks("# Added by 'versionlock add' command\nPackage name: acl\nevr = 2.3.1-3.fc37\n"),
		map[string]bool{"acl": true})
}

func TestZypperIsReadAsXML(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("zypper", "--non-interactive", "--xmlout", "list-updates").Out(recorded(t, "zypper-list-updates.xml"))
	h.On("zypper", "--non-interactive", "--xmlout", "locks").Out(recorded(t, "zypper-locks.xml"))
	newest, err := zypper{}.Newest(t.Context(), h, []string{"kinit-test-a", "b"}, Change{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "updates", newest, map[string]string{"kinit-test-a": "2.0-1"})
	held, err := zypper{}.Held(t.Context(), h, []string{"kinit-test-a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "locks", held, map[string]bool{"kinit-test-a": true})
	_, err = zypper{}.Held(t.Context(), h, []string{"b"})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewestFollowsTheOptionsOfAnInstall(t *testing.T) {
	t.Parallel()
	options := Change{Release: "bookworm-backports", Enable: []string{"x"}, Disable: []string{"y"}}
	h := moduletest.NewFakeHost(t, "")
	h.On("apt-cache", "-o", "APT::Default-Release=bookworm-backports", "policy", "curl").Out("curl:\n  Installed: 1\n  Candidate: 2\n")
	h.On("dnf", "-q", "--enablerepo=x", "--disablerepo=y", "repoquery", "--upgrades", "--qf", upgradeFormat, "--", "curl").Out("curl 3\n")
	for manager, want := range map[Manager]string{apt{}: "2", dnf{program: "dnf"}: "3"} {
		newest, err := manager.Newest(t.Context(), h, []string{"curl"}, options)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "newest", newest, map[string]string{"curl": want})
	}
}

// TestCommandLines is the changes of each manager, with the first install failing.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	c := Change{Refresh: true, Install: []Spec{{Name: "a", Version: "1:2-3"}, {Name: "b"}}, Remove: []string{"c", "d"}, Held: []string{"a", "c"}}
	const get = "apt-get -y -q -o 'DPkg::Lock::Timeout=300' -o 'Dpkg::Options::=--force-confdef' -o 'Dpkg::Options::=--force-confold' "
	for name, one := range map[string]struct {
		manager Manager
		want    []string
	}{
		"apt": {apt{}, []string{get + "update",
			get + "install --no-install-recommends --allow-downgrades --allow-change-held-packages -- 'a=1:2-3' b",
			"dpkg --configure -a", get + "update",
			get + "install --no-install-recommends --allow-downgrades --allow-change-held-packages -- 'a=1:2-3' b",
			"apt-mark hold a", get + "remove --no-auto-remove --allow-change-held-packages -- c d"}},
		"dnf": {dnf{program: "dnf"}, []string{"dnf -y makecache --refresh",
			"dnf -q versionlock delete -- a", "dnf -q versionlock delete -- c",
			"dnf -y '--setopt=install_weak_deps=False' install -- a-1:2-3 b",
			"dnf -y --refresh '--setopt=install_weak_deps=False' install -- a-1:2-3 b",
			"dnf -y '--setopt=clean_requirements_on_remove=False' remove -- c d",
			"rpm -q --qf '%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n' -- a", "dnf -q versionlock add -- a-1:2-3"}},
		"zypper": {zypper{}, []string{"zypper --non-interactive refresh",
			"zypper --non-interactive removelock a", "zypper --non-interactive removelock c",
			"zypper --non-interactive install --no-recommends --oldpackage -- 'a=1:2-3' b",
			"zypper --non-interactive refresh",
			"zypper --non-interactive install --no-recommends --oldpackage -- 'a=1:2-3' b",
			"zypper --non-interactive remove --no-clean-deps -- c d", "zypper --non-interactive addlock a"}},
		"pacman": {pacman{}, []string{"pacman --noconfirm --noprogressbar -Sy", "pacman --noconfirm --noprogressbar -S -- 'a=1:2-3' b",
			"pacman --noconfirm --noprogressbar -Sy", "pacman --noconfirm --noprogressbar -S -- 'a=1:2-3' b", "pacman --noconfirm --noprogressbar -Rc -- c d"}},
		"apk": {apk{}, []string{"apk --no-progress --wait 300 update", "apk --no-progress --wait 300 add --upgrade -- 'a~1:2-3' b",
			"apk --no-progress --wait 300 update", "apk --no-progress --wait 300 add --upgrade -- 'a~1:2-3' b", "apk --no-progress --wait 300 del --simulate -- c d", "apk --no-progress --wait 300 del --rdepends -- c d"}},
	} {
		h := moduletest.NewFakeHost(t, "")
		failed := false
		h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
			line := call.Line()
			switch {
			case (strings.Contains(line, " install ") || strings.Contains(line, " -S ") || strings.Contains(line, " add --upgrade ")) && !failed:
				failed = true
				return moduletest.Reply{Code: 1, Stderr: "old lists"}, true
			case call.Argv[0] == "rpm":
				return moduletest.Reply{Stdout: "a 1:2-3\n"}, true
			}
			return moduletest.Reply{}, true
		})
		if err := one.manager.Change(t.Context(), h, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		same(t, name, h.Lines(), one.want)
	}
}

// TestOptions is the install of a package with each option, and of one in a file.
func TestOptions(t *testing.T) {
	t.Parallel()
	c := Change{Install: []Spec{{Name: "a"}, {Name: "b", Version: "1", File: "/tmp/b.pkg"}}, Release: "backports", Recommends: true, Enable: []string{"x"}, Disable: []string{"*"}}
	const get = "apt-get -y -q -o 'DPkg::Lock::Timeout=300' -o 'Dpkg::Options::=--force-confdef' -o 'Dpkg::Options::=--force-confold' "
	for name, one := range map[string]struct {
		manager Manager
		want    []string
	}{
		"apt":    {apt{}, []string{get + "install --install-recommends '--target-release=backports' --allow-downgrades --allow-change-held-packages -- a /tmp/b.pkg"}},
		"dnf":    {dnf{program: "dnf"}, []string{"dnf -y '--enablerepo=x' '--disablerepo=*' install -- a /tmp/b.pkg"}},
		"zypper": {zypper{}, []string{"zypper --non-interactive install --recommends --oldpackage -- a /tmp/b.pkg"}},
		"pacman": {pacman{}, []string{"pacman --noconfirm --noprogressbar -U -- /tmp/b.pkg", "pacman --noconfirm --noprogressbar -S -- a"}},
		"apk":    {apk{}, []string{"apk --no-progress --wait 300 add --upgrade -- a /tmp/b.pkg"}},
	} {
		h := moduletest.NewFakeHost(t, "")
		h.Handle(func(moduletest.Call) (moduletest.Reply, bool) { return moduletest.Reply{}, true })
		if err := one.manager.Change(t.Context(), h, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		same(t, name, h.Lines(), one.want)
	}
}

// TestAPKIsReadByItsManual has lines as apk's manual shows them; no Alpine Linux is there to record them.
func TestAPKIsReadByItsManual(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("apk", "info", "-v").Out("musl-1.2.4-r2\nlibc-utils-0.7.2-r5\npy3-zipp-3.15.0-r0\n")
	h.On("apk", "version", "--limit", "<", "musl", "curl").Out("Installed:                                Available:\nmusl-1.2.4-r2                           < 1.2.4-r3 \n")
	h.On("tar", "-xzO", "-f", "/tmp/a.apk", ".PKGINFO").Out("# Generated by abuild\npkgname = kinit-test-a\npkgver = 1.0-r0\npkgdesc = a = b\n")
	installed, err := apk{}.Installed(t.Context(), h, []string{"libc-utils", "py3", "curl"})
	same(t, "installed", installed, map[string][]string{"libc-utils": {"0.7.2-r5", "0.7.2"}})
	newest, err2 := apk{}.Newest(t.Context(), h, []string{"musl", "curl"}, Change{})
	same(t, "newest", newest, map[string]string{"musl": "1.2.4-r3"})
	spec, err3 := apk{}.Describe(t.Context(), h, "/tmp/a.apk")
	same(t, "file", spec, Spec{Name: "kinit-test-a", Version: "1.0-r0", File: "/tmp/a.apk"})
	if err != nil || err2 != nil || err3 != nil {
		t.Error(err, err2, err3)
	}
}

// A version that names asks for is a condition that apk keeps; the newest one is none.
func TestAPKKeepsOnlyVersionsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	got, err := apk{}.words([]Spec{{Name: "a", Version: "1-r0"}, {Name: "b", Version: "2-r0", Newest: true}, {Name: "c", Version: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "words", got, []string{"a=1-r0", "b", "c~3"})
	_, err = apk{}.words([]Spec{{Name: "a", Version: "1.*"}})
	if want := `the version of a is "1.*", and apk knows no "*" in versions: name the whole one`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestZypperTellsOfARestartThatIsNeeded(t *testing.T) {
	t.Parallel()
	for code, fails := range map[int]bool{102: false, 103: false, 104: true, 4: true} {
		h := moduletest.NewFakeHost(t, "")
		h.On("zypper", "--non-interactive", "remove", "--no-clean-deps", "--", "a").Fail(code, "")
		if err := (zypper{}).Change(t.Context(), h, Change{Remove: []string{"a"}}); (err != nil) != fails {
			t.Errorf("code %d: %v", code, err)
		}
	}
	err := zypper{}.Change(t.Context(), moduletest.NewFakeHost(t, ""), Change{Install: []Spec{{Name: "a", Version: "1.*"}}})
	if want := `the version of a is "1.*", and zypper knows no "*" in versions: name the whole one`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestHoldWithoutThePlugInIsExplained(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("rpm", "-q", "--qf", rpmFormat, "--", "a").Out("a 0:1-1\n")
	h.On("dnf", "-q", "versionlock", "add", "--", "a-1-1").Fail(1, "No such command: versionlock. Please use /usr/bin/dnf --help")
	h.On("dnf", "-q", "versionlock", "list").Fail(1, "No such command: versionlock. Please use /usr/bin/dnf --help")
	held, err := dnf{program: "dnf"}.Held(t.Context(), h, []string{"a"})
	if err != nil || len(held) > 0 {
		t.Errorf("held %v, %v", held, err)
	}
	err = dnf{program: "dnf"}.Hold(t.Context(), h, "a", true)
	want := "hold a: command ended with code 1: No such command: versionlock. Please use /usr/bin/dnf --help\n" +
		"$ dnf -q versionlock add -- a-1-1: the plug-in versionlock is missing on some systems: " +
		"install python3-dnf-plugin-versionlock before"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRemovalIsSimulated has what programs print that this machine does not have; other tests run the rest.
func TestRemovalIsSimulated(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("rpm", "-e", "--test", "--allmatches", "--", "a").Fail(1, "error: Failed dependencies:\n\ta is needed by (installed) b-1-1.noarch\n\tliba.so.1()(64bit) is needed by (installed) b-1-1.noarch")
	h.On("rpm", "-q", "--qf", `%{NAME}\n`, "--", "b-1-1.noarch", "b-1-1.noarch").Out("b\nb\n")
	h.On("rpm", "-e", "--test", "--allmatches", "--", "a", "b").Fail(1, "error: Failed dependencies:\n\tb is needed by (installed) c-2-1.noarch")
	h.On("rpm", "-q", "--qf", `%{NAME}\n`, "--", "c-2-1.noarch").Out("c\n")
	h.On("rpm", "-e", "--test", "--allmatches", "--", "a", "b", "c").Out("")
	going, err := zypper{}.Going(t.Context(), h, []string{"a"})
	same(t, "zypper", going, []string{"a", "b", "c"})
	if err != nil {
		t.Error(err)
	}
	h.On("rpm", "-e", "--test", "--allmatches", "--", "x").Fail(1, "error: can't create transaction lock")
	if _, err := (zypper{}).Going(t.Context(), h, []string{"x"}); err == nil || !strings.HasPrefix(err.Error(), "simulate the removal of x: ") {
		t.Errorf("error %v", err)
	}

	h.On("apk", "--no-progress", "--wait", "300", "del", "--simulate", "--rdepends", "--", "a").
		Out("(1/3) Purging b (1.0-r0)\n(2/3) Purging a (1.0-r0)\n(3/3) Purging liba (1.0-r0)\nOK: 8 MiB in 14 packages\n")
	h.On("apk", "--no-progress", "--wait", "300", "del", "--simulate", "--", "a").
		Out("World updated, but the following packages are not removed due to:\n  a: b\n\nOK: 8 MiB in 17 packages\n")
	going, err = apk{}.Going(t.Context(), h, []string{"a"})
	same(t, "apk", going, []string{"b", "a", "liba"})
	if err != nil {
		t.Error(err)
	}
}

// apk removes the dependencies of a package that nothing else needs, unless they are asked for.
func TestAPKKeepsDependenciesOfARemovedPackage(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	const gone = "(1/2) Purging a (1.0-r0)\n(2/2) Purging liba (1.0-r0)\nOK: 8 MiB in 14 packages\n"
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) { return moduletest.Reply{Stdout: gone}, true })
	going, err := apk{}.Going(t.Context(), h, []string{"a"})
	same(t, "going", going, []string{"a"})
	if err := errors.Join(err, apk{}.Change(t.Context(), h, Change{Remove: []string{"a"}, Purge: true})); err != nil {
		t.Fatal(err)
	}
	same(t, "lines", h.Lines()[2:], []string{
		"apk --no-progress --wait 300 del --simulate -- a", "apk --no-progress --wait 300 add -- liba", "apk --no-progress --wait 300 del --rdepends --purge -- a",
	})
}
