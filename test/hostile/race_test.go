package hostile

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules"
)

// everyRace, when set, makes as many races a module as the suite promises.
const everyRace = "KINIT_EVERY_FAULT"

const (
	allRaces    = 1000
	sampleRaces = 3
	raceTime    = 60 * time.Second // far more than any of the tasks takes
)

// work is what a module does in the attacker's folder. HOME stands for that folder, NUMBER for
// the number of the race and DATA for a folder of root's with sources. The attacker has a file
// theirs, with the text of DATA/tool, in the folder.
type work struct {
	module, args, undo, theirs string
}

func works() []work {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
	return []work{
		{module: "copy", args: "dest = \"HOME/sub/file\"\ncontent = \"NUMBER\"\nowner = \"65533\"\nmode = \"0666\""},
		{module: "copy", args: "dest = \"HOME/file\"\ncontent = \"NUMBER\"\nbackup = true\nowner = \"65533\"\nvalidate = [\"test\", \"-f\", \"%s\"]"},
		{module: "copy", args: "dest = \"HOME/sub/secret\"\ncontent = \"NUMBER root-secret\"\nmode = \"0600\""},
		{module: "template", args: "dest = \"HOME/sub/file\"\ntemplate = \"NUMBER\"\nowner = \"65533\"\nmode = \"0666\""},
		{module: "file", args: "path = \"HOME/sub/fileNUMBER\"\nstate = \"present\"\nowner = \"65533\"\nmode = \"0666\""},
		{module: "file", args: "path = \"HOME/sub/file\"\nstate = \"present\"\nowner = \"65533\"\nmode = \"0666\"", undo: "path = \"HOME/sub/file\"\nstate = \"absent\""},
		{module: "directory", args: "path = \"HOME/sub/a/NUMBER/c\"\nowner = \"65533\"\nmode = \"0777\"", undo: "path = \"HOME/sub/a\"\nstate = \"absent\""},
		{module: "link", args: "path = \"HOME/sub/link\"\ntarget = \"NUMBER\"", undo: "path = \"HOME/sub/link\"\nstate = \"absent\""},
		{module: "download", args: "dest = \"HOME/sub/tool\"\nurl = \"file://DATA/tool\"\nunverified = true\nowner = \"65533\"\nmode = \"0777\"", undo: "dest = \"HOME/sub/tool\"\nstate = \"absent\""},
		{module: "archive", args: "dest = \"HOME/sub/x.tar\"\nsource = \"DATA\"\nowner = \"65533\"\nmode = \"0666\"", undo: "dest = \"HOME/sub/x.tar\"\nstate = \"absent\""},
		{module: "unarchive", args: "dest = \"HOME/sub/tree\"\narchive = \"DATA/tree.tar\"\nowner = \"65533\"", undo: "dest = \"HOME/sub/tree\"\nstate = \"absent\""},
		{module: "line_in_file", args: "path = \"HOME/sub/file\"\nline = \"NUMBER\"\ncreate = true"},
		{module: "block_in_file", args: "path = \"HOME/sub/file\"\nblock = \"NUMBER\"\ncreate = true"},
		{module: "ini_file", args: "path = \"HOME/sub/file\"\noption = \"a\"\nvalue = \"NUMBER\"\ncreate = true"},
		{module: "replace", args: "path = \"HOME/sub/textNUMBER\"\nmatch = \"t\"\nreplacement = \"x\"\nowner = \"65533\"\nmode = \"0666\"", theirs: "sub/textNUMBER"},
		{module: "link", args: "path = \"HOME/sub/textNUMBER\"\ntarget = \"NUMBER\"\nforce = true", theirs: "sub/textNUMBER", undo: "path = \"HOME/sub/textNUMBER\"\nstate = \"absent\""},
		{module: "copy", args: "dest = \"HOME/sub/copyNUMBER\"\nhost_source = \"HOME/sub/textNUMBER\"\nowner = \"65533\"\nmode = \"0666\"", theirs: "sub/textNUMBER"},
		{module: "fetch", args: "source = \"DATA/tool\"\ndest = \"HOME/sub/fetchedNUMBER\"\nmode = \"0666\""},
		{module: "fetch", args: "source = \"DATA/tool\"\ndest = \"HOME/sub/textNUMBER\"\nmode = \"0666\"", theirs: "sub/textNUMBER"},
		{module: "copy", args: "dest = \"HOME/sub/copiedNUMBER\"\nhost_source = \"DATA/tree.tar\"\nowner = \"65533\"\nmode = \"0666\""},
		{module: "git", args: "dest = \"HOME/checkoutNUMBER\"\nrepository = \"DATA/r.git\"\nforce = true"},
		{module: "htpasswd", args: "path = \"HOME/sub/htpasswd\"\nuser = \"uNUMBER\"\npassword = \"x\"\nmode = \"0666\""},
		{module: "secret", args: "path = \"HOME/sub/secretNUMBER\""},
		{module: "ssh_key", args: "path = \"HOME/sub/keyNUMBER\""},
		{module: "known_host", args: "path = \"HOME/sub/known\"\nname = \"hNUMBER.example\"\nkey = \"" + key + "\""},
	}
}

func kind(t *testing.T, name string) module.Kind {
	t.Helper()
	for _, k := range modules.All() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("there is no module %s", name)
	return module.Kind{}
}

// Every module that writes where a playbook tells it works in a folder of a user who
// races it for root's files.
func TestRacesOfALocalUserAgainstEveryModuleThatWrites(t *testing.T) {
	need.Root(t, "hostile")
	need.Programs(t, "hostile", "git", "tar", "setpriv", "ssh-keygen")
	races := sampleRaces
	if os.Getenv(everyRace) != "" {
		races = allRaces
	}
	data := sources(t)
	for way, dial := range ways() {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h := reach(t, dial)
			made, done, won := 0, 0, 0
			for _, w := range works() {
				s := newScene(t, data)
				s.give(t, w, 0)
				if err := s.do(t, t.Context(), h, w.module, w.args, 0); err != nil {
					t.Errorf("%s fails without an attack: %v", w.module, err)
				}
				if w.undo != "" {
					_ = s.do(t, t.Context(), h, w.module, w.undo, 0)
				}
				begin(t, s.home, s.victim)
				for n := range perWay(races) {
					s.reset(t)
					s.give(t, w, n+1)
					ok, lost := s.race(t, h, w, n+1)
					made++
					if ok {
						done++
					}
					if lost != "" {
						won++
						t.Errorf("%s, race %d: root lost: %s", w.module, n, lost)
						break
					}
				}
			}
			t.Logf("%d races in %d tasks, %d of them won, %d tasks done in spite of it", made, len(works()), won, done)
		})
	}
}

// perWay shares the races between the three ways.
func perWay(races int) int { return (races + 2) / 3 }

// sources makes what modules read.
func sources(t *testing.T) string {
	t.Helper()
	dir := moduletest.Enterable(t)
	script := `echo tool >tool; mkdir tree; mkdir tree/a tree/b; echo 1 >tree/a/file; echo 2 >tree/b/file; ln -s a/file tree/link
tar -cf tree.tar -C tree .
git init -q --bare r.git -b main; git init -q work -b main; cd work
git -c user.email=a@example.org -c user.name=a commit -q --allow-empty -m one; git push -q ../r.git main; cd ..; rm -r work`
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// scene is the attacker's folder beside one of root's.
type scene struct {
	home, victim, data, before string
}

const secretText = "this is root-only-text\n"

func newScene(t *testing.T, data string) *scene {
	t.Helper()
	dir := moduletest.Enterable(t)
	s := &scene{home: filepath.Join(dir, "home"), victim: filepath.Join(dir, "victim"), data: data}
	for _, made := range []error{
		os.MkdirAll(filepath.Join(s.home, "sub"), 0o755), os.Mkdir(s.victim, 0o755),
		os.WriteFile(filepath.Join(s.victim, "file"), []byte(secretText), 0o600),
		os.Chown(s.home, attacker, attacker), os.Chown(filepath.Join(s.home, "sub"), attacker, attacker),
	} {
		if made != nil {
			t.Fatal(made)
		}
	}
	s.before = s.roots(t)
	return s
}

// reset takes away what the attack has left, so that each race is a new one. The folder
// that is watched stays.
func (s *scene) reset(t *testing.T) {
	t.Helper()
	sub := filepath.Join(s.home, "sub")
	if info, err := os.Lstat(sub); err != nil || !info.IsDir() {
		_ = os.Remove(sub)
		if err := os.Rename(sub+"-aside", sub); err != nil {
			_ = os.Mkdir(sub, 0o755) // the attack has put it back meanwhile, or lost it
			_ = os.Lchown(sub, attacker, attacker)
		}
	}
	home, err := os.OpenRoot(s.home) // so that no link leads the test itself elsewhere
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	for _, dir := range []string{".", "sub"} {
		entries, err := fs.ReadDir(home.FS(), dir)
		if err != nil {
			continue // the attack is at it
		}
		for _, e := range entries {
			if name := filepath.Join(dir, e.Name()); name != "sub" {
				_ = home.RemoveAll(name)
			}
		}
	}
}

// give makes the attacker's file that a task needs.
func (s *scene) give(t *testing.T, w work, n int) {
	t.Helper()
	if w.theirs == "" {
		return
	}
	home, err := os.OpenRoot(s.home)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	name := strings.ReplaceAll(w.theirs, "NUMBER", fmt.Sprint(n))
	if home.WriteFile(name, []byte("tool\n"), 0o644) == nil { // else the attack is at it
		_ = home.Lchown(name, attacker, attacker)
	}
}

// race does a task once, and says what root lost by it.
func (s *scene) race(t *testing.T, h *host, w work, n int) (bool, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), raceTime)
	defer cancel()
	err := s.do(t, ctx, h, w.module, w.args, n)
	if w.undo != "" {
		_ = s.do(t, ctx, h, w.module, w.undo, n)
	}
	if ctx.Err() != nil {
		return false, "it hangs"
	}
	if now := s.roots(t); now != s.before {
		return err == nil, "root's folder has\n" + now + "and had\n" + s.before
	}
	return err == nil, s.leaked(t)
}

// do does a task as it is in a playbook. That it fails is well.
func (s *scene) do(t *testing.T, ctx context.Context, h *host, name, args string, n int) error {
	t.Helper()
	args = strings.NewReplacer("HOME", s.home, "DATA", s.data, "NUMBER", fmt.Sprint(n)).Replace(args)
	task := moduletest.Decode(t, kind(t, name), args)
	steps, err := task.Plan(ctx, h)
	for _, step := range steps {
		if err == nil {
			err = step.Do(ctx, h)
		}
	}
	return err
}

// roots is all that is to know of root's folder. A further name of the file that the
// attacker was allowed to make does not count.
func (s *scene) roots(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(s.victim, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		stat := info.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&b, "%s %v %d:%d\n", path, info.Mode(), stat.Uid, stat.Gid)
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%q %v\n", text, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// leaked finds root's text where the attacker can read it.
func (s *scene) leaked(t *testing.T) string {
	t.Helper()
	found := ""
	_ = filepath.WalkDir(s.home, func(path string, _ fs.DirEntry, _ error) error {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		stat := info.Sys().(*syscall.Stat_t)
		if stat.Uid != attacker && info.Mode()&0o044 == 0 {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "root-only-text") {
			found = path + " has root's text in it"
		}
		return nil
	})
	return found
}
