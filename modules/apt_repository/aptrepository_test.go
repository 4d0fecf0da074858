package aptrepository_test

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/apt_repository"
	"kinit/modules/internal/packages/packagestest"
	"kinit/modules/internal/roottest"
)

// host has a signed repository, and returns the public key.
func host(t *testing.T, owner string) (*roottest.Host, string) {
	t.Helper()
	h := roottest.New(t, owner, "apt-get", "dpkg-deb", "gpg")
	packagestest.Deb(t, h, "kinit-test-a", "1.0-1")
	h.Shell(t, "rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/keyrings /var/lib/apt/lists/*")
	return h, packagestest.SignDeb(t, h)
}

func args(key, more string) string {
	return fmt.Sprintf("name = \"kinit-test\"\nuris = [\"file:%s\"]\nsuites = [\"./\"]\nkey = %q\n%s", packagestest.Folder, key, more)
}

func task(t *testing.T, args string) *aptrepository.Task {
	t.Helper()
	return moduletest.Decode(t, aptrepository.Kind(), args).(*aptrepository.Task)
}

const (
	sources = "/etc/apt/sources.list.d/kinit-test.sources"
	keyring = "/etc/apt/keyrings/kinit-kinit-test.asc"
)

func files(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return packagestest.Files(t, h, "/etc/apt/sources.list.d", "/etc/apt/keyrings")
}

func TestContract(t *testing.T) {
	t.Parallel()
	packagestest.Contract(t, host, task, args, files)
}

func TestAptVerifiesAndInstallsFromTheRepository(t *testing.T) {
	t.Parallel()
	h, key := host(t, "demo")
	made := task(t, args(key, "architectures = [\"amd64\"]\noptions = { \"Check-Valid-Until\" = \"no\" }"))
	steps := roottest.Planned(t, h, made)
	want := "write package repository kinit-test and read its package lists\ncreate " + keyring + ", mode 0644\ncreate " + sources + ", mode 0644"
	moduletest.Same(t, "steps", steps, []string{want})
	moduletest.Settle(t, made, h)
	moduletest.Same(t, "file", h.Text(t, sources), "# Made by kinit.\nTypes: deb\nURIs: file:/tmp/repository\nSuites: ./\n"+
		"Architectures: amd64\nSigned-By: /etc/apt/keyrings/kinit-kinit-test.asc\nCheck-Valid-Until: no\n")
	h.Shell(t, "apt-get -y -q install kinit-test-a && dpkg -s kinit-test-a")
	moduletest.Marks(t, h, module.Mark{Kind: "directory", ID: "/etc/apt/keyrings"},
		module.Mark{Kind: "file", ID: keyring}, module.Mark{Kind: "file", ID: sources})
}

func TestRepositoryThatAptRejectsLeavesNothing(t *testing.T) {
	t.Parallel()
	h, key := host(t, "demo")
	made := task(t, args(key, ""))
	packagestest.SignDeb(t, h) // by another key
	for range 2 {
		got := moduletest.Apply(t, made, h)
		if !strings.HasPrefix(got, "read the package lists of kinit-test, the files are as before: ") || !strings.Contains(got, "NO_PUBKEY") {
			t.Errorf("error %q, want apt's", got)
		}
		moduletest.Same(t, "files", files(t, h), "")
	}
	moduletest.Marks(t, h)
}

func TestChangeThatAptRejectsLeavesTheFilesAsTheyWere(t *testing.T) {
	t.Parallel()
	h, key := host(t, "")
	moduletest.Settle(t, task(t, args(key, "")), h)
	before := h.Text(t, sources)
	changed := task(t, strings.ReplaceAll(args(key, ""), "file:/tmp", "file:/nowhere"))
	steps, err := changed.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 || !strings.Contains(steps[0].String(), "\n-URIs: file:/tmp/repository\n+URIs: file:/nowhere/repository\n") {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if err := steps[0].Do(t.Context(), h); err == nil {
		t.Error("apt takes a repository that is not there")
	}
	moduletest.Same(t, "file", h.Text(t, sources), before)
}

func TestOtherRepositoriesKeepTheirLists(t *testing.T) {
	t.Parallel()
	h, key := host(t, "")
	moduletest.Settle(t, task(t, args(key, "")), h)
	lists := h.Shell(t, "ls /var/lib/apt/lists | grep Release")
	second := strings.ReplaceAll(args(key, ""), `"kinit-test"`, `"kinit-test-2"`)
	moduletest.Settle(t, task(t, strings.ReplaceAll(second, `["./"]`, `["././"]`)), h)
	if after := h.Shell(t, "ls /var/lib/apt/lists | grep Release"); !strings.Contains(after, strings.TrimSpace(lists)) {
		t.Errorf("lists before %q, after %q", lists, after)
	}
}

func TestForeignFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	h, key := host(t, "demo")
	h.Put(t, sources, "theirs", module.Attr{})
	got := roottest.Planned(t, h, task(t, args(key, "")))
	want := []string{"error: " + sources + " exists with other content and is not owned by cluster demo: " +
		"choose another name, or move it away"}
	moduletest.Same(t, "plan", got, want)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	const rest = "name = \"a\"\nuris = [\"https://deb.example\"]\n"
	for args, want := range map[string]string{
		`name = "a b"`:                          `name is "a b", want letters, digits, "-", "_" and "."`,
		rest:                                    "uris or suites is empty, want at least one of each",
		rest + `suites = ["./"]`:                "want exactly one of key and signed_by",
		rest + "suites = [\"./\"]\nkey = \"x\"": `key is no public key in ASCII armour, want "-----BEGIN PGP PUBLIC KEY BLOCK-----" and so on`,
		rest + "suites = [\"stable\"]\nsigned_by = \"/k\"":                              `suites has "stable" and components has 0, want components with suites, and none with a path that ends in "/"`,
		rest + "suites = [\"./\"]\ncomponents = [\"main\"]\nsigned_by = \"/k\"":         `suites has "./" and components has 1, want components with suites, and none with a path that ends in "/"`,
		rest + "suites = [\"a b\"]\ncomponents = [\"main\"]\nsigned_by = \"/k\"":        `suites has "a b", want words without blanks`,
		"name = \"a\"\nuris = [\"deb.example\"]\nsuites = [\"./\"]\nsigned_by = \"/k\"": `uris has "deb.example", want a URI such as "https://deb.example/debian"`,
		rest + "suites = [\"./\"]\nsigned_by = \"/k\"\ntypes = [\"rpm\"]":               `types has "rpm", want one of deb, deb-src`,
		rest + "suites = [\"./\"]\nsigned_by = \"/k\"\noptions = { A = \"b\\nc\" }":     `options has A = "b\nc", want a field's name and one line`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}
