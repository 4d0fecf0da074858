package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// other is a user, by number alone, who owns checkouts.
const other = "65533"

// trap makes the checkout run a program whenever git looks at a file, and the file look
// changed.
const trap = `cd dest
git config filter.x.clean "id -u >>'$PWD/../ran/by'; cat"
git config filter.x.smudge "id -u >>'$PWD/../ran/by'; cat"
git config filter.x.required true
echo '* filter=x' >.git/info/attributes
touch -d 2001-01-01 f`

func TestGitRunsAsTheOwnerOfTheCheckout(t *testing.T) {
	t.Parallel()
	need.Root(t, "git")
	need.Programs(t, "git", "git", "setpriv")
	r := serve(t)
	dir := moduletest.Enterable(t)
	h := moduletest.LocalHost(t, "")
	args := "dest = \"" + dir + "/dest\"\nrepository = \"" + r.url + "\"\nref = \"main\""
	do := func() error {
		task := moduletest.Decode(t, Kind(), args)
		steps, err := task.Plan(t.Context(), h)
		for _, step := range steps {
			if err == nil {
				err = step.Do(t.Context(), h)
			}
		}
		return err
	}
	if err := do(); err != nil {
		t.Fatal(err)
	}
	moduletest.Shell(t, dir, "mkdir ran; chown "+other+" ran; ("+trap+"); chown -R "+other+" dest")
	if _, err := moduletest.Decode(t, Kind(), args).Plan(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	by := func() string { return strings.Join(strings.Fields(moduletest.Shell(t, dir, "sort -u ran/by")), " ") }
	if got := by(); got != other {
		t.Errorf("a dry run ran the owner's programs as %s, want %s", got, other)
	}
	commit := r.commit("two", "main")
	if err := do(); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(moduletest.Shell(t, dir, "git -c safe.directory='*' -C dest rev-parse HEAD; stat -c %u dest/f")); got != commit+"\n"+other {
		t.Errorf("the commit and the file's owner are %q, want %s and %s", got, commit, other)
	}
	if got := by(); got != other {
		t.Errorf("the owner's programs ran as %s, want %s", got, other)
	}
}

func TestNewCheckoutInAFolderOfAnotherUserIsTheirs(t *testing.T) {
	t.Parallel()
	need.Root(t, "git")
	need.Programs(t, "git", "git", "setpriv")
	r := serve(t)
	dir := moduletest.Enterable(t)
	moduletest.Shell(t, dir, "mkdir home; chown "+other+" home")
	h := moduletest.LocalHost(t, "")
	task := moduletest.Decode(t, Kind(), "dest = \""+dir+"/home/dest\"\nrepository = \""+r.url+"\"")
	steps, err := task.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if got := moduletest.Shell(t, dir, "find home/dest ! -uid "+other+"; cat home/dest/f"); got != "one\n" {
		t.Errorf("of root, and the file: %q", got)
	}
}

func TestCheckoutsThatGitMustNotTouchAreRefused(t *testing.T) {
	t.Parallel()
	need.Root(t, "git")
	need.Programs(t, "git", "git", "setpriv")
	r := serve(t)
	for name, c := range map[string]struct{ prepare, args, want string }{
		"a configuration that others can change": {"chmod 666 dest/.git/config", "", "another user can change"},
		"a configuration of another user":        {"chown " + other + " dest/.git/config", "", "another user can change"},
		"a repository folder of another user":    {"chown " + other + " dest/.git", "", "another user can change"},
		"a folder of another user inside":        {"mkdir dest/d; chown " + other + " dest/d", "", "another user can change"},
		"a login that the owner could read":      {"chown -R " + other + " dest", "username = \"a\"\npassword = \"opensesame\"", "who could read the password"},
		"root's in a folder of another user":     {"chown " + other + " .", "", "belongs to root"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(moduletest.Enterable(t), "in")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			moduletest.Shell(t, dir, "git clone --quiet "+r.url+" dest; "+c.prepare+"; rm dest/f")
			h := moduletest.LocalHost(t, "")
			task := moduletest.Decode(t, Kind(), "dest = \""+dir+"/dest\"\nrepository = \""+r.url+"\"\nforce = true\n"+c.args)
			steps, err := task.Plan(t.Context(), h)
			for _, step := range steps {
				if err == nil {
					err = step.Do(t.Context(), h)
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one that says %q", err, c.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "dest/f")); err == nil {
				t.Error("git has worked in the checkout")
			}
		})
	}
}

func TestRepositoryOfAnotherUserOnTheHostIsRefused(t *testing.T) {
	t.Parallel()
	need.Root(t, "git")
	dir := moduletest.Enterable(t)
	moduletest.Shell(t, dir, "git init --quiet --bare r.git; chown -R "+other+" r.git")
	h := moduletest.LocalHost(t, "")
	for _, url := range []string{dir + "/r.git", "file://" + dir + "/r.git"} {
		task := moduletest.Decode(t, Kind(), "dest = \""+dir+"/dest\"\nrepository = \""+url+"\"")
		_, err := task.Plan(t.Context(), h)
		if want := "another user can change the repository " + dir + "/r.git"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one that says %q", err, want)
		}
	}
}
