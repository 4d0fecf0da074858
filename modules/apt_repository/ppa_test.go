package aptrepository_test

import (
	"testing"

	"kinit/engine/module/moduletest"
)

const ppa = "name = \"nginx\"\nppa = \"nginx/stable\"\nsigned_by = \"/k.gpg\"\n"

// written returns the file that a plan would write on a system.
func written(t *testing.T, args, release string) string {
	t.Helper()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/os-release", release, 0o644)
	h.Handle(func(moduletest.Call) (moduletest.Reply, bool) { return moduletest.Reply{Changes: true}, true })
	moduletest.Settle(t, task(t, args), h)
	text, _ := h.FS.Text("/etc/apt/sources.list.d/nginx.sources")
	return text
}

func TestPPAIsTheArchiveOfTheHostsRelease(t *testing.T) {
	t.Parallel()
	const rest = "URIs: https://ppa.launchpadcontent.net/nginx/stable/ubuntu\nSuites: jammy\nComponents: main\nSigned-By: /k.gpg\n"
	const mint = "ID=linuxmint\nVERSION_CODENAME=vera\nUBUNTU_CODENAME=\"jammy\"\n"
	moduletest.Same(t, "file", written(t, ppa, mint), "# Made by kinit.\nTypes: deb\n"+rest)
	moduletest.Same(t, "file with a suite", written(t, ppa+`suites = ["jammy"]`, "ID=debian\nVERSION_CODENAME=bookworm\n"), "# Made by kinit.\nTypes: deb\n"+rest)
}

func TestPPAOnAnotherSystemNeedsASuite(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/os-release", "ID=debian\nVERSION_CODENAME=bookworm\n", 0o644)
	moduletest.Same(t, "error", moduletest.Planned(t.Context(), task(t, ppa), h),
		"suites: /etc/os-release has no UBUNTU_CODENAME: give the release of Ubuntu that this host can use")
}

func TestMistakesInAPPA(t *testing.T) {
	t.Parallel()
	const key = "name = \"a\"\nsigned_by = \"/k\"\n"
	for args, want := range map[string]string{
		key + `ppa = "ppa:nginx/stable"`:                        `ppa is "ppa:nginx/stable", want it without "ppa:", as in "nginx/stable"`,
		key + `ppa = "nginx"`:                                   `ppa is "nginx", want the owner and the name of the archive, such as "nginx/stable"`,
		key + "ppa = \"a/b\"\nuris = [\"https://deb.example\"]": "uris and components follow from ppa, want them without it",
		"name = \"a\"\nppa = \"a/b\"":                           "want exactly one of key and signed_by",
		key + "ppa = \"a/b\"\nsuites = [\"./\"]":                `suites has "./", want a release of Ubuntu such as "noble"`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}
