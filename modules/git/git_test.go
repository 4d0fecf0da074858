package git

import (
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
)

// repository is a repository that git itself serves over HTTP, and a work tree to
// make commits in.
type repository struct {
	t    *testing.T
	url  string
	bare string
	work string
}

// serve makes a repository with one commit on the branch main.
func serve(t *testing.T) *repository {
	t.Helper()
	root := t.TempDir()
	r := &repository{t: t, bare: filepath.Join(root, "r.git"), work: filepath.Join(root, "work")}
	backend := &cgi.Handler{
		Path: filepath.Join(gitIn(t, root, "--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/private/") {
			if user, password, _ := q.BasicAuth(); user != "deploy" || password != "opensesame" {
				w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			q.URL.Path = strings.TrimPrefix(q.URL.Path, "/private")
		}
		backend.ServeHTTP(w, q)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/r.git"
	gitIn(t, root, "init", "--quiet", "--bare", "--initial-branch=main", r.bare)
	gitIn(t, root, "clone", "--quiet", r.bare, r.work)
	r.commit("one", "main")
	return r
}

// commit writes a text into the file f, commits it on a branch and returns the hash.
func (r *repository) commit(text, branch string) string {
	r.t.Helper()
	gitIn(r.t, r.work, "checkout", "--quiet", "-B", branch)
	if err := os.WriteFile(filepath.Join(r.work, "f"), []byte(text+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	gitIn(r.t, r.work, "add", "f")
	gitIn(r.t, r.work, "commit", "--quiet", "-m", text)
	gitIn(r.t, r.work, "push", "--quiet", "--force", "origin", branch)
	return r.head()
}

func (r *repository) head() string { return gitIn(r.t, r.work, "rev-parse", "HEAD") }

func (r *repository) tag(args ...string) {
	gitIn(r.t, r.work, append([]string{"tag"}, args...)...)
	gitIn(r.t, r.work, "push", "--quiet", "--force", "--tags")
}

// gitIn runs git in a folder of this machine, as somebody.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestSuite(t *testing.T) {
	t.Parallel()
	r := serve(t)
	first := r.head()
	r.tag("-a", "-m", "first", "v1")
	r.commit("two", "main")
	for name, args := range map[string]string{
		"default branch": "", "branch": `ref = "main"`, "tag": `ref = "v1"`, "commit": `ref = "` + first + `"`,
		"depth": `depth = 1`, "depth of a tag": "depth = 1\nref = \"v1\"", "force": `force = true`, "submodules": `submodules = true`,
	} {
		for _, owner := range []string{"", "demo"} {
			t.Run(name+" owner "+owner, func(t *testing.T) {
				t.Parallel()
				h := moduletest.LocalHost(t, owner)
				moduletest.Run(t, moduletest.Case{
					New:    func() module.Task { return task(t, h, r.url, args) },
					Absent: func() module.Task { return task(t, h, r.url, `state = "absent"`) },
					Host:   h,
				})
				if _, err := os.Stat(h.Path("new/dest")); !os.IsNotExist(err) {
					t.Errorf("the checkout is left: %v", err)
				}
			})
		}
	}
}

func TestSuiteWithPassword(t *testing.T) {
	t.Parallel()
	r := serve(t)
	h := moduletest.LocalHost(t, "demo")
	private := strings.Replace(r.url, "/r.git", "/private/r.git", 1)
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return task(t, h, private, "username = \"deploy\"\npassword = \"opensesame\"")
		},
		Host: h, Secrets: []secret.Value{"opensesame", "ZGVwbG95Om9wZW5zZXNhbWU="},
	})
	kept, err := exec.Command("grep", "-rlE", "opensesame|ZGVwbG95", h.Dir).Output()
	if len(kept) > 0 {
		t.Errorf("the password is kept in %s (%v)", kept, err)
	}
	got := moduletest.Planned(t.Context(), task(t, h, private, "username = \"deploy\"\npassword = \"wrong\""), h)
	if !strings.HasPrefix(got, "read the repository: command ended with code 128: ") || !strings.Contains(got, "$ git ls-remote --symref -- "+private) {
		t.Errorf("with a wrong password: %q", got)
	}
}

func TestBranchIsFollowed(t *testing.T) {
	t.Parallel()
	r, h := serve(t), moduletest.LocalHost(t, "")
	first := r.head()
	moduletest.Do(t, task(t, h, r.url, `ref = "main"`), h)
	second := r.commit("two", "main")
	if got, want := moduletest.Planned(t.Context(), task(t, h, r.url, `ref = "main"`), h),
		fmt.Sprintf("bring %s from %s to main (%s)", h.Path("new/dest"), first[:12], second[:12]); got != want {
		t.Errorf("step %q, want %q", got, want)
	}
	made := task(t, h, r.url, `ref = "main"`)
	moduletest.Do(t, made, h)
	check(t, h, "main", second)
	outputs, err := module.Outputs(t.Context(), made, h)
	if err != nil || !outputs["commit"].RawEquals(cty.StringVal(second)) {
		t.Errorf("outputs %#v, %v", outputs, err)
	}
	if got := gitIn(t, h.Path("new/dest"), "rev-parse", "--abbrev-ref", "@{upstream}"); got != "origin/main" {
		t.Errorf("upstream %q, want origin/main", got)
	}
}

func TestRefMayChangeInEveryWay(t *testing.T) {
	t.Parallel()
	r, h := serve(t), moduletest.LocalHost(t, "demo")
	first := r.head()
	r.tag("v1")
	second := r.commit("two", "next")
	for _, c := range []struct{ args, branch, commit string }{
		{``, "main", first}, {`ref = "next"`, "next", second}, {`ref = "v1"`, "", first},
		{`ref = "` + second + `"`, "", second}, {`ref = "main"`, "main", first}, {"ref = \"next\"\ndepth = 1", "next", second},
	} {
		moduletest.Do(t, task(t, h, r.url, c.args), h)
		check(t, h, c.branch, c.commit)
	}
}

func TestRewrittenBranchAndMovedTagAreFollowed(t *testing.T) {
	t.Parallel()
	for _, depth := range []string{"", "\ndepth = 1"} {
		r, h := serve(t), moduletest.LocalHost(t, "")
		r.tag("v1")
		moduletest.Do(t, task(t, h, r.url, `ref = "main"`+depth), h)
		gitIn(t, r.work, "commit", "--quiet", "--amend", "-m", "other")
		gitIn(t, r.work, "push", "--quiet", "--force", "origin", "main")
		r.tag("--force", "v1")
		moduletest.Do(t, task(t, h, r.url, `ref = "main"`+depth), h)
		check(t, h, "main", r.head())
		moduletest.Do(t, task(t, h, r.url, `ref = "v1"`+depth), h)
		check(t, h, "", r.head())
	}
}

func TestWhatPeopleChangedIsNotLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, change, want string }{
		{"changed file", "echo mine >f", "has 1 changed files that would be lost (M f): save them, or set force = true to discard them"},
		{"added file", "echo mine >g && git add g", "has 1 changed files that would be lost (A  g): save them, or set force = true to discard them"},
		{"commit", "git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m mine",
			"has 1 commits that the repository does not have: save them, or set force = true to discard them"},
		{"commit on the branch, another one checked out",
			"git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m mine && git checkout -q --detach origin/main",
			"has 1 commits that the repository does not have: save them, or set force = true to discard them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, h := serve(t), moduletest.LocalHost(t, "")
			moduletest.Do(t, task(t, h, r.url, ""), h)
			r.commit("two", "main")
			moduletest.Shell(t, h.Path("new/dest"), c.change)
			for _, args := range []string{"", `state = "absent"`} {
				if got := moduletest.Planned(t.Context(), task(t, h, r.url, args), h); got != h.Path("new/dest")+" "+c.want {
					t.Errorf("%s: %q, want %q", args, got, c.want)
				}
			}
			moduletest.Do(t, task(t, h, r.url, `force = true`), h)
			check(t, h, "main", r.head())
		})
	}
}

func TestUntrackedFilesAndChangesOnTheRightCommitStay(t *testing.T) {
	t.Parallel()
	r, h := serve(t), moduletest.LocalHost(t, "")
	moduletest.Do(t, task(t, h, r.url, ""), h)
	moduletest.Shell(t, h.Path("new/dest"), "echo mine >f && echo mine >g")
	if got := moduletest.Planned(t.Context(), task(t, h, r.url, ""), h); got != "" {
		t.Errorf("step %q, want none", got)
	}
	if got, want := moduletest.Planned(t.Context(), task(t, h, r.url, `force = true`), h), "discard 1 changed files in "+h.Path("new/dest"); got != want {
		t.Errorf("with force: %q, want %q", got, want)
	}
	moduletest.Do(t, task(t, h, r.url, `force = true`), h)
	moduletest.Shell(t, h.Path("new/dest"), `test "$(cat f)" = one && test "$(cat g)" = mine`)
}

func TestSubmodulesFollow(t *testing.T) {
	t.Parallel()
	inner, outer, h := serve(t), serve(t), moduletest.LocalHost(t, "")
	gitIn(t, outer.work, "submodule", "--quiet", "add", inner.url, "sub")
	gitIn(t, outer.work, "commit", "--quiet", "-m", "with sub")
	gitIn(t, outer.work, "push", "--quiet", "origin", "main")
	made := func() module.Task { return task(t, h, outer.url, "submodules = true\ndepth = 1") }
	moduletest.Do(t, task(t, h, outer.url, ""), h)
	if got, want := moduletest.Planned(t.Context(), made(), h), "check out the submodules of "+h.Path("new/dest"); got != want {
		t.Errorf("step %q, want %q", got, want)
	}
	moduletest.Do(t, made(), h)
	moduletest.Shell(t, h.Path("new/dest"), `test "$(cat sub/f)" = one`)
	inner.commit("two", "main")
	gitIn(t, filepath.Join(outer.work, "sub"), "pull", "--quiet", "origin", "main")
	gitIn(t, outer.work, "commit", "--quiet", "-am", "next sub")
	gitIn(t, outer.work, "push", "--quiet", "origin", "main")
	moduletest.Do(t, made(), h)
	moduletest.Shell(t, h.Path("new/dest"), `test "$(cat sub/f)" = two`)
	if got := moduletest.Planned(t.Context(), made(), h); got != "" {
		t.Errorf("planned again: %q", got)
	}
}

func TestInterruptedCloneIsCompleted(t *testing.T) {
	t.Parallel()
	r, h := serve(t), moduletest.LocalHost(t, "demo")
	gitIn(t, h.Dir, "init", "--quiet", h.Path("new/dest"))
	if err := h.Own(t.Context(), module.Mark{Kind: "tree", ID: h.Path("new/dest")}); err != nil {
		t.Fatal(err)
	}
	moduletest.Do(t, task(t, h, r.url, ""), h)
	check(t, h, "main", r.head())
}

func TestHooksOfTheCheckoutDoNotRun(t *testing.T) {
	t.Parallel()
	r, h := serve(t), moduletest.LocalHost(t, "")
	moduletest.Do(t, task(t, h, r.url, ""), h)
	hook := "printf '#!/bin/sh\\ntouch " + h.Path("ran") + "\\n' >.git/hooks/post-checkout && chmod 0755 .git/hooks/post-checkout"
	moduletest.Shell(t, h.Path("new/dest"), hook)
	r.commit("two", "main")
	moduletest.Do(t, task(t, h, r.url, ""), h)
	if _, err := os.Stat(h.Path("ran")); !os.IsNotExist(err) {
		t.Errorf("the hook ran: %v", err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	r, h := serve(t), moduletest.LocalHost(t, "demo")
	r.tag("v1.0")
	moduletest.Shell(t, h.Dir, "mkdir -p things/x empty && git init -q theirs")
	for _, c := range []struct{ dest, args, want string }{
		{"things", "", " has other things in it than a checkout: move them away, or give another folder"},
		{"empty", "", " exists and is not owned by cluster demo: give the checkout a folder of its own"},
		{"theirs", "", " exists and is not owned by cluster demo: give the checkout a folder of its own"},
		{"theirs", `state = "absent"`, " exists and is not owned by cluster demo: remove it yourself if nothing needs it"},
		{"things", `state = "absent"`, " is no checkout: remove it yourself if nothing needs it"},
	} {
		args := fmt.Sprintf("repository = %q\ndest = %q\n%s", r.url, h.Path(c.dest), c.args)
		if got := moduletest.Planned(t.Context(), moduletest.Decode(t, Kind(), args), h); got != h.Path(c.dest)+c.want {
			t.Errorf("%s %s: %q, want %q", c.dest, c.args, got, c.want)
		}
	}
	want := r.url + ` has no branch or tag "v1.1", and it is no commit of 40 hex digits. Did you mean "v1.0"?`
	if got := moduletest.Planned(t.Context(), task(t, h, r.url, `ref = "v1.1"`), h); got != want {
		t.Errorf("ref: %q, want %q", got, want)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	list := "ref: refs/heads/main\tHEAD\n1\tHEAD\n1\trefs/heads/main\n2\trefs/heads/both\n3\trefs/tags/both\n4\trefs/tags/a\n5\trefs/tags/a^{}\n6\trefs/pull/7/head\n"
	for ref, want := range map[string]target{
		"": {"1", "main"}, "main": {"1", "main"}, "both": {"2", "both"}, "a": {"5", ""},
	} {
		if got, err := pick(parseRefs(list), ref, "r"); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", ref, got, err, want)
		}
	}
	if _, err := pick(refs{}, "", "r"); err == nil || err.Error() != "r has no default branch: give ref" {
		t.Errorf("empty repository: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	made := &Task{Repository: "https://u@example.org:8443/r.git", Username: "u", Password: "p", IdentityFile: "/k y"}
	want := map[string]string{
		"GIT_TERMINAL_PROMPT": "0",
		"GIT_SSH_COMMAND":     "ssh -o 'BatchMode=yes' -i '/k y' -o 'IdentitiesOnly=yes'",
		"GIT_CONFIG_COUNT":    "1", "GIT_CONFIG_KEY_0": "http.https://example.org:8443/.extraHeader",
		"GIT_CONFIG_VALUE_0": "Authorization: Basic dTpw",
	}
	if diff := cmp.Diff(want, made.env()); diff != "" {
		t.Error(diff)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                               `repository is "", want a URL as git takes it`,
		`repository = "--upload-pack=x"`:                 `repository is "--upload-pack=x", want a URL as git takes it`,
		"repository = \"r\"\nref = \"-x\"":               `ref is "-x", want a branch, a tag, or a commit`,
		"repository = \"r\"\nref = \"main~1\"":           `ref is "main~1", want a branch, a tag, or a commit`,
		"repository = \"r\"\ndepth = -1":                 "depth is -1, want 1 or more, or none for all",
		"repository = \"r\"\npassword = \"p\"":           "username is missing, want it beside password",
		"repository = \"r\"\nusername = \"u\"":           "username is for a repository by http or https only",
		`repository = "https://u:p@h/r"`:                 "repository has a password in it: give username and password instead",
		"repository = \"r\"\nidentity_file = \"k\"":      `identity_file is "k", want an absolute path`,
		"repository = \"https://h/r\"\nusername = \"u\"": "",
		`repository = "git@h:r.git"`:                     "",
		`state = "absent"`:                               "",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), "dest = \"/d\"\n"+args), want)
	}
}

// task checks out into new/dest in the host's own folder.
func task(t *testing.T, h *moduletest.Local, repository, args string) module.Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), fmt.Sprintf("repository = %q\ndest = %q\n%s", repository, h.Path("new/dest"), args))
}

// check compares what is checked out.
func check(t *testing.T, h *moduletest.Local, branch, commit string) {
	t.Helper()
	dir := h.Path("new/dest")
	if got := gitIn(t, dir, "rev-parse", "HEAD"); got != commit {
		t.Errorf("commit %s, want %s", got, commit)
	}
	if got := gitIn(t, dir, "branch", "--show-current"); got != branch {
		t.Errorf("branch %q, want %q", got, branch)
	}
	if got := gitIn(t, dir, "status", "--porcelain", "--untracked-files=no"); got != "" {
		t.Errorf("the work tree differs: %s", got)
	}
}
