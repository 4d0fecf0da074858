package run_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/module"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/netfault"
	"kinit/engine/transport/transporttest/sshd"
	"kinit/test/executable"
)

// everyFault makes the faults happen at every message; without it, at some of each. The
// messages are then divided among shards, which work at the same time.
const (
	everyFault = "KINIT_EVERY_FAULT"
	allShards  = 8
)

// longest is how long a run may take whose connection has failed.
const longest = 90 * time.Second

// work is a task of a module, and what it leaves: a file, and a part of its content.
type work struct {
	module, text, file, has string
	reads                   bool    // it changes nothing
	made                    string  // tasks before it, whose objects it removes or changes
	gone                    string  // a file that it removes
	system                  *system // what it works on, where that is more than a folder
}

// owner makes a playbook's objects those of a cluster, which has marks of them.
const owner = "spec \"faults\" {\n owner = \"faults\"\n}\n"

// count is the file in which the programs of tasks count how often they ran.
const count = "DIR/host/count"

// works are the modules that are tried.
func works() []work {
	return slices.Concat(folderWorks(), systemWorks(), switchWorks(), overlayWorks(), podmanWorks(), libvirtWorks())
}

// folderWorks are those for Linux that only need programs that are everywhere, and change
// nothing outside of a folder.
func folderWorks() []work {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
	return []work{
		{module: "command", text: `argv = ["sh", "-c", "echo ran >> ` + count + `"]`, file: "count", has: "ran\n"},
		{module: "shell", text: `commands = "echo ran >> ` + count + `"`, file: "count", has: "ran\n"},
		{module: "script", text: `source = "DIR/script.sh"`, file: "count", has: "ran\n"},
		{module: "ansible", text: "module = \"ansible.builtin.lineinfile\"\n args = { path = \"DIR/host/old\", line = \"new\" }", file: "old", has: "old\nnew\n"},
		{module: "copy", text: "dest = \"DIR/host/copy\"\n content = \"text\"", file: "copy", has: "text"},
		{module: "directory", text: `path = "DIR/host/a/b"`, file: "a/b", has: ""},
		{module: "file", text: "path = \"DIR/host/file\"\n state = \"present\"\n mode = \"0600\"", file: "file", has: ""},
		{module: "link", text: "path = \"DIR/host/link\"\n target = \"old\"", file: "link", has: "old\n"},
		{module: "line_in_file", text: "path = \"DIR/host/old\"\n line = \"new\"\n backup = true", file: "old", has: "old\nnew\n"},
		{module: "block_in_file", text: "path = \"DIR/host/old\"\n block = \"new\"\n backup = true", file: "old", has: "new\n"},
		{module: "replace", text: "path = \"DIR/host/old\"\n match = \"^old$\"\n replacement = \"new\"\n backup = true", file: "old", has: "new\n"},
		{module: "ini_file", text: "path = \"DIR/host/ini\"\n section = \"a\"\n option = \"b\"\n value = \"c\"\n create = true", file: "ini", has: "[a]\nb = c\n"},
		{module: "fetch", text: "source = \"DIR/host/old\"\n dest = \"DIR/host/fetched\"", file: "fetched", has: "old\n"},
		{module: "copy", text: "dest = \"DIR/host/copied\"\n host_source = \"DIR/host/old\"", file: "copied", has: "old\n"},
		{module: "ssh_key", text: `path = "DIR/host/key"`, file: "key.pub", has: "ssh-ed25519 "},
		{module: "secret", text: `path = "DIR/host/secret"`, file: "secret", has: ""},
		{module: "authorized_key", text: "user = \"root\"\n path = \"DIR/host/authorized\"\n key = \"" + key + "\"", file: "authorized", has: key},
		{module: "known_host", text: "path = \"DIR/host/known\"\n name = \"host.example.com\"\n key = \"" + key + "\"", file: "known", has: key},
		{module: "htpasswd", text: "path = \"DIR/host/htpasswd\"\n user = \"ann\"\n password = \"correct-horse\"", file: "htpasswd", has: "ann:"},
		{module: "archive", text: "source = \"DIR/host/tree\"\n dest = \"DIR/host/tree.tar.gz\"", file: "tree.tar.gz", has: ""},
		{module: "template", text: "dest = \"DIR/host/page\"\n template = \"a $${word}\"\n vars = { word = \"b\" }", file: "page", has: "a b"},
		{module: "unarchive", text: "archive = \"DIR/tree.tar\"\n dest = \"DIR/host/unpacked\"", file: "unpacked/page", has: "page\n"},
		{module: "git", text: "repository = \"DIR/r.git\"\n ref = \"main\"\n dest = \"DIR/host/checkout\"", file: "checkout/page", has: "page\n"},
		{module: "download", text: "url = \"SERVER/page\"\n dest = \"DIR/host/page\"\n sha256 = \"362a07bbb5c74b982bed644b9f7e298837d7a3a232c964d039bb7e49ebea825f\"", file: "page", has: "page\n"},
		{module: "http_request", text: "url = \"SERVER/count\"\n method = \"POST\"", file: "count", has: "ran\n"},
		{module: "x509_ca", text: "key = \"DIR/host/ca.key\"\n cert = \"DIR/host/ca.crt\"\n cn = \"authority\"", file: "ca.crt", has: "BEGIN CERTIFICATE"},
		{module: "x509_certificate", text: "key = \"DIR/host/s.key\"\n cert = \"DIR/host/s.crt\"\n ca_cert = \"DIR/ca.crt\"\n ca_key = \"DIR/ca.key\"\n cn = \"server\"", file: "s.crt", has: "BEGIN CERTIFICATE"},
		{module: "cloudinit_seed", text: `path = "DIR/host/seed.iso"` + "\n hostname = \"guest\"\n authorized_keys = [\"" + key + "\"]", file: "seed.iso", has: "guest"},
		{module: "windows_seed", text: `path = "DIR/host/seed.iso"` + "\n hostname = \"win-01\"\n password = \"Correct-Horse-1\"\n" +
			" certificate = file(\"DIR/ca.crt\")\n private_key = file(\"DIR/ca.key\")\n authorized_keys = [\"" + key + "\"]", file: "seed.iso", has: "win-01"},
		{module: "kubeadm_config", text: `path = "DIR/host/init.yaml"` + "\n kind = \"init\"\n control_plane_endpoint = \"api.example.org:6443\"\n" +
			" kubernetes_version = \"v1.34.4\"\n pod_subnet = \"10.244.0.0/16\"", file: "init.yaml", has: "api.example.org:6443"},
		{module: "sweep", text: "all = true", made: `task "copy" "file" {
 host = "far"
 dest = "DIR/host/made"
 content = "text"
}
task "directory" "folder" {
 host = "far"
 path = "DIR/host/folder"
}
task "copy" "inside" {
 host = "far"
 dest = "${task.directory.folder.path}/made"
 content = "text"
}
`, file: "old", has: "old\n", gone: "folder"},
		{module: "x509_facts", text: `paths = ["DIR/ca.crt"]`, reads: true},
		{module: "wait", text: "path = \"DIR/host/old\"\n expect = \"old\"", reads: true},
		{module: "facts", reads: true},
		{module: "stat", text: "path = \"DIR/host/old\"\n checksum = \"sha256\"", reads: true},
		{module: "getent", text: `database = "passwd"`, reads: true},
		{module: "package_facts", reads: true},
		{module: "local_facts", text: `folders = ["DIR/host/facts.d"]`, reads: true},
		{module: "read_file", text: `path = "DIR/host/old"`, reads: true},
	}
}

// tally counts what was tried.
type tally struct{ faults, messages, modules atomic.Int32 }

func (c *tally) String() string {
	return fmt.Sprintf("%d faults at %d messages of %d modules", c.faults.Load(), c.messages.Load(), c.modules.Load())
}

// tell prints the counts once a minute, until the test ends.
func (c *tally) tell(t *testing.T) {
	ended := make(chan struct{})
	var owned sync.WaitGroup
	owned.Go(func() {
		tick := time.NewTicker(time.Minute)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Println(c)
			case <-ended:
				return
			}
		}
	})
	t.Cleanup(func() {
		close(ended)
		owned.Wait()
	})
}

// TestTheConnectionFailsAtMessagesOfModules lets the connection to a real SSH server fail
// while a module works: cut, stalled or half open, before or after the server got the
// message. Each run ends in time and with the right verdict, no program runs twice in it,
// and the run after it finds or does what is left.
func TestTheConnectionFailsAtMessagesOfModules(t *testing.T) {
	t.Parallel()
	need.Programs(t, "sshd", "git", "openssl", "tar")
	plain := sshd.Start(t)
	var tried tally
	t.Cleanup(func() {
		fmt.Println(&tried)
		if !t.Failed() && tried.faults.Load() < tried.modules.Load() {
			t.Errorf("only %d faults were made", tried.faults.Load())
		}
	})
	if os.Getenv(everyFault) == "" {
		tryAll(t, plain, shard{}, &tried, half(t))
		return
	}
	tried.tell(t)
	for number := range allShards {
		t.Run(fmt.Sprint("shard ", number), func(t *testing.T) {
			t.Parallel()
			tryAll(t, plain, shard{number, allShards}, &tried, func(int) bool { return true })
		})
	}
}

// shard is a part of all messages: each of so many has another part. The zero value stands
// for some messages of each module.
type shard struct{ number, of int }

// half chooses every second work by chance, and all with KINIT_ALL=1. KINIT_SAMPLE=0 or 1 repeats a choice.
func half(t *testing.T) func(i int) bool {
	if os.Getenv("KINIT_ALL") != "" {
		return func(int) bool { return true }
	}
	n := rand.IntN(2)
	if given, err := strconv.Atoi(os.Getenv("KINIT_SAMPLE")); err == nil {
		n = given % 2
	}
	t.Logf("a sample: every second module; KINIT_SAMPLE=%d repeats it, KINIT_ALL=1 tries all", n)
	return func(i int) bool { return i%2 == n }
}

// tryAll lets the connection fail at the shard's messages of the works that are chosen.
func tryAll(t *testing.T, plain *sshd.Server, part shard, tried *tally, chosen func(i int) bool) {
	all := works()
	for i, w := range all {
		if !chosen(i) {
			continue
		}
		if w.system == nil || w.system.daemons == nil {
			t.Run(w.module, func(t *testing.T) {
				t.Parallel()
				try(t, plain, i, w, part, tried)
			})
		}
	}
	for daemons, group := range groups(all) {
		t.Run("with "+daemons.uses[0], func(t *testing.T) {
			t.Parallel()
			daemons.start(t)
			for _, i := range group {
				if !chosen(i) {
					continue
				}
				t.Run(all[i].module, func(t *testing.T) { try(t, plain, i, all[i], part, tried) })
			}
		})
	}
}

// try lets the connection fail at messages of the i-th work.
func try(t *testing.T, plain *sshd.Server, i int, w work, part shard, tried *tally) {
	s := newFar(t, plain, w)
	if result := s.run(t, netfault.Plan{}); !s.done(result) {
		t.Fatalf("without a fault it is %s: %s", result.Status, result.Message)
	}
	s.mustHave(t, "without a fault")
	last, _ := s.proxy.Seen()
	first, step := someOf(w, i, last)
	if part.of > 0 {
		first, step = 1+part.number, part.of
	}
	if part.number == 0 {
		tried.modules.Add(1)
	}
	for at := first; at <= last; at += step {
		tried.messages.Add(1)
		for _, p := range plans(at, part.of > 0) {
			if s.fails(t, p) {
				tried.faults.Add(1)
			}
		}
	}
}

// someOf is the first message that counts of the i-th work, and how far the next one is.
func someOf(w work, i, last int) (first, step int) {
	switch {
	case w.system == nil:
		step = max(1, last/2)
		return 1 + i%step, step
	case w.system.daemons == nil:
		return 1 + i%max(1, last), max(1, last)
	}
	return last*3/4 - i%(last/2), max(1, last) // messages that connect are those of the others too
}

// plans are the faults at a message: each kind, or one of them where only some messages
// count. Of two messages that follow each other, one arrives and the other does not.
func plans(at int, each bool) []netfault.Plan {
	kinds := []netfault.Fault{netfault.Cut, netfault.Stall, netfault.HalfOpen}
	if !each {
		return []netfault.Plan{{Fault: kinds[at%6/2], At: at, After: at%2 == 1}}
	}
	var all []netfault.Plan
	for i, fault := range kinds {
		all = append(all, netfault.Plan{Fault: fault, At: at, After: (at+i)%2 == 1})
	}
	return all
}

// far is a playbook of one task on a host behind a proxy.
type far struct {
	job    *job
	plan   *plan.Plan
	made   *plan.Plan // of the tasks before it
	work   work
	proxy  *netfault.Proxy
	server *sshd.Server
	began  time.Time // when the last run with a plan of faults began
}

// newFar makes the playbook of a work. Its host is the server, if the work needs no system.
func newFar(t *testing.T, server *sshd.Server, w work) *far {
	t.Helper()
	j := newJob(t, "far")
	write(t, filepath.Join(j.dir, "script.sh"), "#!/bin/sh\necho ran >> "+strings.ReplaceAll(count, "DIR", j.dir)+"\n")
	s := &far{job: j, work: w, server: server}
	s.prepare(t)
	if w.system != nil {
		s.server = w.system.start(t)
	}
	s.proxy = netfault.New(t, s.server.Addr)
	address := s.serve(t)
	words := strings.NewReplacer("SERVER", address, "DOOR", address[strings.LastIndex(address, ":")+1:], "FREE", fmt.Sprint(need.Port(t)))
	s.made = j.build(owner + words.Replace(w.made))
	s.plan = j.build(owner + words.Replace(fmt.Sprintf("task %q \"x\" {\n host = \"far\"\n %s\n}\n", w.module, w.text)))
	return s
}

// prepare makes what tasks read.
func (s *far) prepare(t *testing.T) {
	t.Helper()
	script := `mkdir tree; echo page >tree/page; tar -cf tree.tar -C tree page
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.crt -subj /CN=authority -days 9
git init -q -b main tree; git -C tree add page
git -C tree -c user.name=a -c user.email=a@example.org commit -q -m one; git clone -q --bare tree r.git`
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = s.job.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// serve starts a server with a page, which counts what it is sent, and returns its address.
func (s *far) serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			_, _ = io.WriteString(w, "page\n")
			return
		}
		counter, err := os.OpenFile(filepath.Join(s.job.dir, "host", "count"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = io.WriteString(counter, "ran\n")
			_ = counter.Close()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// done reports whether a run without a fault went well.
func (s *far) done(result run.TaskResult) bool {
	return result.Status == event.Changed && !s.work.reads || result.Status == event.OK && s.work.reads
}

// run runs the playbook with a fault. What the host had is gone, but for what the tasks before
// it make.
func (s *far) run(t *testing.T, p netfault.Plan) run.TaskResult {
	t.Helper()
	folder := filepath.Join(s.job.dir, "host")
	for _, left := range []string{folder, filepath.Join(s.job.dir, "clusters")} {
		if err := os.RemoveAll(left); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, "tree"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "old"), "old\n")
	write(t, filepath.Join(folder, "tree", "page"), "page\n")
	if s.work.system != nil {
		s.work.system.reset(t, s.job.dir)
	}
	s.proxy.Set(netfault.Plan{})
	for _, made := range s.play(s.made) {
		if made.Status != event.Changed {
			t.Fatalf("%s is %s: %s", made.Address, made.Status, made.Message)
		}
	}
	s.proxy.Set(p)
	s.began = time.Now()
	return s.again()
}

// again runs the playbook on the host as it is.
func (s *far) again() run.TaskResult { return s.play(s.plan)[0] }

// play runs a playbook over a new connection, with times that are shorter than those that
// hold outside of tests.
func (s *far) play(p *plan.Plan) []run.TaskResult {
	address, port, _ := strings.Cut(s.proxy.Address, ":")
	keepAlive := 300 * time.Millisecond
	if os.Getenv(everyFault) != "" {
		keepAlive = 2 * time.Second // the shards keep the machine busy
	}
	settings := host.Settings{
		Name: "far", Address: address, User: s.server.User, IdentityFiles: []string{s.server.ClientKey}, NoAgent: true,
		HostKeys: []string{s.server.HostKey}, KeepAlive: keepAlive, ConnectTimeout: 10 * time.Second,
		Manifests: filepath.Join(s.job.dir, "clusters"), OS: module.Linux,
	}
	_, _ = fmt.Sscan(port, &settings.Port)
	pool := host.NewConnections(func(context.Context, string) (host.Settings, error) { return settings, nil }, s.job.redactor)
	defer pool.Close()
	events := &log{make(chan event.Event, 10_000)}
	return run.Run(s.job.ctx, p, &plan.Values{}, pool, run.Options{Forks: 1, Events: events, Redactor: s.job.redactor}).Tasks
}

// fails runs the playbook with a fault, and then without one. It tells whether the fault
// has happened.
func (s *far) fails(t *testing.T, p netfault.Plan) bool {
	t.Helper()
	defer s.proxy.Drop()
	what := fmt.Sprintf("%s at message %d, which arrives: %t", p.Fault, p.At, p.After)
	first := s.run(t, p)
	if took := time.Since(s.began); took > longest {
		t.Errorf("%s: it took %s", what, took)
	}
	_, struck := s.proxy.Seen()
	s.proxy.Set(netfault.Plan{})
	ran := strings.Count(s.content("count"), "ran\n")
	if ran > 1 {
		t.Errorf("%s: the program ran %d times", what, ran)
	}
	switch first.Status {
	case event.Changed, event.OK:
		if !s.done(first) {
			t.Errorf("%s: it is %s", what, first.Status)
		}
		s.mustHave(t, what)
	case event.Unreachable:
		if !strings.Contains(first.Message, "unreachable") {
			t.Errorf("%s: it is unreachable, and says: %s", what, first.Message)
		}
	default:
		t.Errorf("%s: it is %s: %s", what, first.Status, first.Message)
	}
	if second := s.again(); second.Status != event.Changed && second.Status != event.OK {
		t.Errorf("%s: the run after it is %s: %s", what, second.Status, second.Message)
	}
	s.mustHave(t, what+", and the run after it")
	if now := strings.Count(s.content("count"), "ran\n"); s.work.system != nil && now > 1 {
		t.Errorf("%s: a program that is needed once ran %d times in both runs", what, now)
	} else if late := first.Status == event.Unreachable && p.After && ran == 0; s.work.file == "count" && now != ran+1 && !(late && now == 2) {
		// Late: what the first run sent has arrived, and counts after that run has ended.
		t.Errorf("%s: the program ran %d times, and then %d times in one run", what, ran, now-ran)
	}
	if left, _ := filepath.Glob(filepath.Join(s.job.dir, "host", ".*.kinit-*")); first.Status == event.Changed && len(left) > 0 {
		t.Errorf("%s: temporary files are left: %q", what, left)
	}
	return struck
}

func (s *far) content(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.job.dir, "host", name)) // none has nothing
	return string(text)
}

// mustHave checks what the work leaves.
func (s *far) mustHave(t *testing.T, what string) {
	t.Helper()
	if s.work.system != nil {
		s.work.system.mustHold(t, what, s.job.dir)
	}
	if _, err := os.Lstat(filepath.Join(s.job.dir, "host", s.work.gone)); s.work.gone != "" && !os.IsNotExist(err) {
		t.Errorf("%s: %s is left, error %v", what, s.work.gone, err)
	}
	if s.work.file == "" {
		return
	}
	if _, err := os.Lstat(filepath.Join(s.job.dir, "host", s.work.file)); err != nil || !strings.Contains(s.content(s.work.file), s.work.has) {
		t.Errorf("%s: %s has %q, error %v", what, s.work.file, s.content(s.work.file), err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	executable.Write(t, name, text)
}
