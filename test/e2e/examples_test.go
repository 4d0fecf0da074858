package e2e

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The lab that the examples are written for, beside that of the clusters.
const (
	examplesLab    = "examples"
	examplesSubnet = "10.79.0.0/24"
	site           = "http://10.79.0.12/" // db1, which is the balancer too
)

// example is a playbook of the folder examples.
type example struct {
	name      string
	inventory string // below examples
	changes   int    // of the first run on hosts that are as installed
	prepare   func(t *testing.T)
	look      func(t *testing.T, k *kinit, e example)
}

// TestExamplesTwiceOnALab runs each example as its README says, and again without a
// change, and looks at what it has made.
func TestExamplesTwiceOnALab(t *testing.T) {
	k := build(t)
	newLab(t, k, examplesLab, examplesSubnet, "--hosts", "web1,web2,db1")
	t.Setenv("KINIT_AGE_KEY_FILE", privateKey(t, filepath.Join(k.root, "test", "e2e", "testdata", "examples.age")))

	examples := []example{
		{name: "site", inventory: "lab.hcl", changes: 6, look: lookAtPages},
		{name: "web", inventory: "lab.hcl", changes: 12, look: lookAtTheSite},
		{name: "users", inventory: "lab.hcl", changes: 16, prepare: plantIntern, look: lookAtUsers},
		{name: "reboot", inventory: "lab.hcl", changes: 0, look: lookAtReboot},
		{name: "rollback", inventory: "lab.hcl", changes: 10, look: lookAtRollback},
		{name: "secrets", inventory: "lab.hcl", changes: 9, look: lookAtSecrets},
		{name: "ansible", inventory: "ansible/hosts.ini", changes: 9, look: lookAtVariables},
		{name: "loops", inventory: "lab.hcl", changes: 24, look: lookAtLoops},
	}
	if diff := cmp.Diff(folders(t, filepath.Join(k.root, "examples")), names(examples)); diff != "" {
		t.Fatalf("the folder examples and the tests differ (-folder +tests):\n%s", diff)
	}
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			if e.prepare != nil {
				e.prepare(t)
			}
			first := k.must(t, e.args(k)...)
			if changed := first.finished("changed"); len(changed) != e.changes {
				t.Errorf("the first run made %d changes, want %d:\n%s", len(changed), e.changes, strings.Join(changed, "\n"))
			}
			e.unchanged(t, k)
			e.look(t, k, e)
		})
	}
}

// args are those of a run.
func (e example) args(k *kinit, more ...string) []string {
	lab := filepath.Join(k.home, "config", "kinit", "inventories", examplesLab+".hcl")
	return append([]string{"run", filepath.Join("examples", e.name, "site.hcl"),
		"-i", lab, "-i", filepath.Join("examples", e.inventory), "--output", "json"}, more...)
}

// unchanged runs it again.
func (e example) unchanged(t *testing.T, k *kinit, more ...string) {
	t.Helper()
	if changed := k.must(t, e.args(k, more...)...).finished("changed"); len(changed) > 0 {
		t.Errorf("changed again:\n%s", strings.Join(changed, "\n"))
	}
}

func names(examples []example) []string {
	var all []string
	for _, e := range examples {
		all = append(all, e.name)
	}
	slices.Sort(all)
	return all
}

// folders are those with a playbook: one of the examples is a file of jobs.
func folders(t *testing.T, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		if _, err := os.Stat(filepath.Join(path, entry.Name(), "site.hcl")); err == nil {
			all = append(all, entry.Name())
		}
	}
	return all
}

// onExample runs a script on a host of the examples' lab.
func onExample(t *testing.T, host, script string) string {
	t.Helper()
	return inside(t, "kinit-"+examplesLab+"-"+host, host, script)
}

// prints checks what a script prints on a host.
func prints(t *testing.T, host, script, want string) {
	t.Helper()
	if diff := cmp.Diff(want, onExample(t, host, script)); diff != "" {
		t.Errorf("%s on %s (-want +got):\n%s", script, host, diff)
	}
}

func lookAtPages(t *testing.T, _ *kinit, _ example) {
	for _, host := range []string{"web1", "web2", "db1"} {
		prints(t, host, "cat /tmp/kinit-site/index.html", "hello from "+host+"\n")
	}
}

// lookAtTheSite rolls a release out while a visitor reads the site.
func lookAtTheSite(t *testing.T, k *kinit, e example) {
	shows := func(release, greeting string) {
		t.Helper()
		page := func(host string) string { return "release " + release + " on " + host + ": " + greeting + "\n" }
		if diff := cmp.Diff([]string{page("web1"), page("web2")}, both(t, site)); diff != "" {
			t.Errorf("visitors see (-want +got):\n%s", diff)
		}
	}
	shows("1.0", "hello from the database")

	ctx, stop := context.WithCancel(t.Context())
	visits := make(chan map[string]int, 1)
	go func() { visits <- visit(ctx, site) }()
	release := []string{"--var", "release=2.0", "--var", "greeting=good morning"}
	r := k.must(t, e.args(k, release...)...)
	stop()
	seen := <-visits

	const restart = ": change unit site.service; restart site.service, as what it was started with has changed"
	r.changes(t, "task.http_request.greeting: POST http://10.79.0.12:2379/v3/kv/put",
		`task.systemd_unit.program["web1"]`+restart, `task.systemd_unit.program["web2"]`+restart)
	if last, first := r.index("task_finished", `task.wait.program["web1"]`), r.index("task_started", `task.systemd_unit.program["web2"]`); last < 0 || first < last {
		t.Errorf("web1 is ready at event %d, web2 begins at %d: want one after the other", last, first)
	}
	for page, n := range seen {
		if !strings.HasPrefix(page, "release 1.0 on web") && !strings.HasPrefix(page, "release 2.0 on web") {
			t.Errorf("%d visitors saw %q", n, page)
		}
	}
	if len(seen) < 2 {
		t.Errorf("visitors saw %v, want both releases", seen)
	}
	e.unchanged(t, k, release...)
	shows("2.0", "good morning")

	onExample(t, "web2", "systemctl stop site")
	k.must(t, e.args(k, release...)...).changes(t, `task.systemd_unit.program["web2"]: start site.service`)
}

// both visits a page until it has looked in two ways, 20 times at most.
func both(t *testing.T, url string) []string {
	t.Helper()
	var pages []string
	for range 20 {
		page, err := get(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if pages = append(pages, page); page != pages[0] {
			break
		}
	}
	slices.Sort(pages)
	return slices.Compact(pages)
}

// visit reads a page until it is stopped, and counts what it saw.
func visit(ctx context.Context, url string) map[string]int {
	seen := map[string]int{}
	for ctx.Err() == nil {
		page, err := get(context.WithoutCancel(ctx), url)
		if err != nil {
			page = err.Error()
		}
		seen[page]++
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	return seen
}

// get is a page; any other answer than 200 is an error.
func get(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", answer.StatusCode, body)
	}
	return string(body), err
}

// changes checks what was changed, in this order, without diffs.
func (r result) changes(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, e := range r.events {
		if e.Kind != "task_finished" || e.Status != "changed" {
			continue
		}
		var steps []string
		for _, step := range e.Steps {
			first, _, _ := strings.Cut(step, "\n")
			steps = append(steps, first)
		}
		got = append(got, e.Task+": "+strings.Join(steps, "; "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// index is where the first event of a kind about a task is, -1 for none.
func (r result) index(kind, task string) int {
	return slices.IndexFunc(r.events, at(kind, task))
}

func plantIntern(t *testing.T) {
	onExample(t, "web1", "useradd --create-home intern")
}

// lookAtUsers also replaces the keys and logs in with the new ones.
func lookAtUsers(t *testing.T, k *kinit, e example) {
	prints(t, "web1", "id -Gn deploy; getent passwd deploy | cut -d: -f5-", "deploy operators\nrolls out releases:/home/deploy:/bin/bash\n")
	prints(t, "web1", "ls /home; getent passwd intern || echo none", "deploy\nmonitor\nnone\n")
	prints(t, "web2", "ls /home; id -Gn monitor", "deploy\nmonitor\nmonitor systemd-journal operators\n")
	prints(t, "db1", "ls /home; stat -c '%U %a' /home/archive/.ssh/authorized_keys", "archive\nmonitor\narchive 600\n")

	onExample(t, "web2", "echo "+publicKey(t, newKey(t))+" >>/home/deploy/.ssh/authorized_keys")
	keys := t.TempDir()
	own := newKey(t)
	for _, user := range []string{"deploy", "archive", "monitor"} {
		if err := os.WriteFile(filepath.Join(keys, user+".pub"), []byte(publicKey(t, own)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if changed := k.must(t, e.args(k, "--var", "keys="+keys)...).finished("changed"); len(changed) != 6 {
		t.Errorf("new keys changed %q, want the 6 accounts", changed)
	}
	e.unchanged(t, k, "--var", "keys="+keys)
	prints(t, "web2", "wc -l </home/deploy/.ssh/authorized_keys", "1\n")
	for address, user := range map[string]string{"10.79.0.10": "deploy", "10.79.0.11": "monitor", "10.79.0.12": "archive"} {
		out, err := logIn(t, own, user+"@"+address)
		if err != nil || out != user+"\n" {
			t.Errorf("%s logs in at %s: %q, %v", user, address, out, err)
		}
	}
	if out, err := logIn(t, own, "deploy@10.79.0.12"); err == nil {
		t.Errorf("deploy can log in at the database: %q", out)
	}
}

func publicKey(t *testing.T, key string) string {
	t.Helper()
	text, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// logIn asks a host who one is there.
func logIn(t *testing.T, key, who string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-i", key,
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", who, "id", "-un")
	out, err := cmd.Output()
	return string(out), err
}

// lookAtReboot finds that a host of the lab, a container, is not restarted, and that
// the hosts after it are left alone then.
func lookAtReboot(t *testing.T, k *kinit, e example) {
	onExample(t, "web1", "touch /run/reboot-required")
	defer onExample(t, "web1", "rm /run/reboot-required")
	r := k.call(t, e.args(k)...)
	r.refuses(t, 1, "web1 is the machine that kinit runs on, or a container on it: restart it yourself")
	for _, host := range []string{"web2", "db1"} {
		if i := r.index("task_started", `task.command.before["`+host+`"]`); i >= 0 {
			t.Errorf("%s was worked on at event %d, after a failure on web1", host, i)
		}
	}
}

// lookAtRollback rolls out a good and a broken release.
func lookAtRollback(t *testing.T, k *kinit, e example) {
	page := func(release string) {
		t.Helper()
		for _, host := range []string{"web1", "web2"} {
			prints(t, host, "curl -fsS http://127.0.0.1:8081/; cat /opt/hello/good", "hello from release "+release+"\n"+release+"\n")
		}
	}
	page("1.0")
	k.must(t, e.args(k, "--var", "release=1.1")...)
	page("1.1")

	r := k.call(t, e.args(k, "--var", "release=1.2", "--var", "patience=3s")...)
	r.refuses(t, 1, "http://127.0.0.1:8081/health", "status 404, want 200")
	const restart = ": change unit hello.service; restart hello.service, as what it was started with has changed"
	r.changes(t, `task.directory.release["web1"]: create folder /opt/hello/1.2, mode 0755`,
		`task.copy.release["web1/index.html"]: create /opt/hello/1.2/index.html, mode 0644`,
		`task.systemd_unit.hello["web1"]`+restart, `task.systemd_unit.back["web1"]`+restart)
	page("1.1")
	prints(t, "web1", "systemctl show --property=Description hello", "Description=Hello, release 1.1\n")
	e.unchanged(t, k, "--var", "release=1.1")

	refused := k.call(t, e.args(k, "--var", "release=3.0")...)
	refused.refuses(t, 3, "There is no such folder in releases/.")
	if n := strings.Count(refused.stdout, `"severity"`); n != 1 {
		t.Errorf("%d errors, want the one cause", n)
	}
}

// lookAtSecrets searches all that kinit has kept and printed for them.
func lookAtSecrets(t *testing.T, k *kinit, e example) {
	password := strings.TrimSpace(onExample(t, "db1", "cat /etc/shop/database-password"))
	if len(password) != 32 {
		t.Fatalf("the password has %d characters, want 32", len(password))
	}
	const token = "pay-7c41f09e25d8"
	for _, host := range []string{"web1", "web2"} {
		prints(t, host, "cat /etc/shop/settings.ini; stat -c %a /etc/shop/settings.ini",
			"[database]\nhost = 10.79.0.12\npassword = "+password+"\n\n[payment]\ntoken = "+token+"\n600\n")
		prints(t, host, "cat /etc/shop/backup-key.pub", onExample(t, "db1", "ssh-keygen -y -f /etc/shop/backup-key | cut -d' ' -f1,2"))
	}

	onExample(t, "web1", "echo 'token = stolen' >/etc/shop/settings.ini")
	r := k.must(t, e.args(k, "--diff", "-v")...)
	r.changes(t, `task.template.settings["web1"]: change /etc/shop/settings.ini`)
	where := map[string]string{"what the run printed": r.stdout + r.stderr}
	err := filepath.WalkDir(filepath.Join(k.home, "state", "kinit"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		where[path] = string(text)
		return err
	})
	if err != nil || len(where) < 10 {
		t.Fatalf("%d texts to search, %v", len(where), err)
	}
	for name, text := range where {
		for secret, value := range map[string]string{"password": password, "token": token} {
			if strings.Contains(text, value) {
				t.Errorf("the %s is in %s", secret, name)
			}
		}
	}
}

func lookAtVariables(t *testing.T, _ *kinit, _ example) {
	about := func(name, groups string) string {
		return "name: " + name + ".example.org\ngroups: " + groups +
			"\ncontact: operators@example.org\nname servers: 192.0.2.53 192.0.2.54\n"
	}
	prints(t, "web1", "cat /etc/site/*", about("web1", "kinit-examples, site, webservers")+
		`{"features":{"payment":false,"search":true},"port":8082}`+"\n")
	prints(t, "web2", "cat /etc/site/*", about("web2", "kinit-examples, site, webservers")+
		`{"features":{"payment":true,"search":true},"port":8082}`+"\n")
	prints(t, "db1", "cat /etc/site/*", about("db1", "dbservers, kinit-examples, site")+"every day at 3:00\n")
}

func lookAtLoops(t *testing.T, _ *kinit, _ example) {
	find := "cd /srv/apps && find . | sort"
	prints(t, "web1", find, ".\n./limits\n./search\n./search/app.conf\n./search/index.job\n"+
		"./shop\n./shop/app.conf\n./shop/clean.job\n./shop/index.job\n")
	prints(t, "web2", find, ".\n./limits\n./search\n./search/app.conf\n./search/index.job\n"+
		"./shop\n./shop/app.conf\n./shop/clean.job\n")
	prints(t, "db1", find, ".\n./cache\n./database\n./ledger\n./ledger/app.conf\n./limits\n./uploads\n")
	prints(t, "web1", "cat /srv/apps/search/app.conf /srv/apps/search/index.job", "port = 8091\nweekly\n")
}

// privateKey is a copy of a key that only its owner can read, which no checkout is.
func privateKey(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(t.TempDir(), "key.age")
	if err := os.WriteFile(private, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return private
}
