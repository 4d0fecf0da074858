package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/engine/transport/transporttest/netfault"
	"kinit/engine/transport/transporttest/sshd"
)

// soakTime is the variable of the environment with the time that the soak test takes.
const soakTime = "KINIT_SOAK"

// A sample takes so long and has so many rounds at least. In a round each job is run once.
const (
	sampleTime = 20 * time.Second
	leastSoak  = 9
)

// soakHosts is how many hosts there are over SSH. Each has a job; one more works here.
const soakHosts = 2

// TestServingJobsForLongUsesNoMoreAndMore lets "kinit ci serve" run jobs on real SSH servers
// while connections, hosts, disks, specs and HTTP servers fail by chance, and asserts that
// what it uses between the jobs stays the same.
func TestServingJobsForLongUsesNoMoreAndMore(t *testing.T) {
	t.Parallel()
	length := sampleTime
	if given := os.Getenv(soakTime); given != "" {
		var err error
		if length, err = time.ParseDuration(given); err != nil {
			t.Fatal(err)
		}
	}
	s := newSoak(t)
	began := time.Now()
	var used []usage
	for len(used) < leastSoak || time.Since(began) < length {
		s.misfortune()
		used = append(used, s.round())
	}
	s.end()
	s.flat(used)
	fmt.Printf("%d rounds of %d jobs with %d faults of %d kinds in %s: %d MiB resident at most\n",
		len(used), soakHosts+1, s.made(), len(s.faults), time.Since(began).Round(time.Second), used[len(used)-1].Peak>>20)
}

// soak is a server of jobs at work, and what its jobs work on.
type soak struct {
	t       *testing.T
	dir     string
	chance  *rand.Rand
	servers []*sshd.Server
	proxies []*netfault.Proxy
	away    []bool
	hangs   string // the URL of a server that takes requests, and says nothing
	faults  map[string]int

	server *exec.Cmd
	said   bytes.Buffer
	usages *json.Decoder
	goOn   io.WriteCloser
}

func newSoak(t *testing.T) *soak {
	s := &soak{t: t, dir: t.TempDir(), chance: rand.New(rand.NewPCG(13, 6)), faults: map[string]int{}, away: make([]bool, soakHosts)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s.hangs = "http://" + listener.Addr().String() + "/"
	jobs := "results = \"results\"\nsite = \"site\"\nkeep {\n runs = 4\n}\n" + soakJob("here", "localhost")
	var inventory strings.Builder
	for i := range soakHosts {
		server := sshd.Start(t)
		proxy := netfault.New(t, server.Addr)
		s.servers, s.proxies = append(s.servers, server), append(s.proxies, proxy)
		name := fmt.Sprintf("far%d", i)
		_, port, _ := net.SplitHostPort(proxy.Address)
		fmt.Fprintf(&inventory, "host %q {\n address = \"127.0.0.1\"\n port = %s\n user = %q\n identity_file = %q\n host_keys = [%q]\n connect_timeout = \"2s\"\n}\n",
			name, port, server.User, server.ClientKey, strings.TrimSpace(server.HostKey))
		jobs += soakJob(name, name)
		s.write(name+".hcl", s.playbook(name, ""))
	}
	s.write("here.hcl", s.playbook("here", ""))
	s.write("ci.hcl", jobs)
	s.write("hosts.hcl", inventory.String())
	s.start()
	return s
}

func soakJob(name, host string) string {
	return fmt.Sprintf("job %q {\n spec = \"%s.hcl\"\n hosts = [%q]\n inventories = [\"hosts.hcl\"]\n schedule = \"* * * * *\"\n timeout = \"20s\"\n cleanup_timeout = \"20s\"\n}\n", name, name, host)
}

// playbook makes things, looks at them and removes them, and has one more task.
func (s *soak) playbook(name, more string) string {
	text := `
stage "cleanup" {}
stage "build" { after = ["cleanup"] }
stage "verify" { after = ["build"] }

task "command" "gone" {
  hosts   = run.hosts
  stage   = "cleanup"
  when    = run.stop_after == "cleanup"
  argv    = ["rm", "-rf", "DIR/made"]
  removes = "DIR/made"
  timeout = "3s"
}
task "directory" "made" {
  hosts   = run.hosts
  stage   = "build"
  path    = "DIR/made"
  timeout = "3s"
}
task "copy" "page" {
  hosts      = run.hosts
  stage      = "build"
  dest       = "DIR/made/page"
  content    = join("\n", [for i in range(SIZE) : "a line of a page, number ${i}"])
  timeout    = "3s"
  depends_on = [task.directory.made]
}
task "command" "talks" {
  hosts     = run.hosts
  stage     = "build"
  argv      = ["sh", "-c", "yes 'a line of a program' | head -n 20000"]
  read_only = true
  timeout   = "3s"
}
task "command" "look" {
  hosts     = run.hosts
  stage     = "verify"
  argv      = ["test", "-s", "DIR/made/page"]
  read_only = true
  timeout   = "3s"
}
output "leftovers" { value = 0 }
` + more
	text = strings.ReplaceAll(text, "SIZE", fmt.Sprint(10+s.chance.IntN(900)))
	return strings.ReplaceAll(text, "DIR", filepath.Join(s.dir, "hosts", name))
}

// misfortune chooses what goes wrong in the next round on each host. What went wrong before
// is well again.
func (s *soak) misfortune() {
	for i, proxy := range s.proxies {
		proxy.Slow(0)
		proxy.Set(netfault.Plan{})
		if s.away[i] {
			if err := s.servers[i].Restart(s.t); err != nil {
				s.t.Fatal(err)
			}
			s.away[i] = false
		}
		name := fmt.Sprintf("far%d", i)
		s.write(name+".hcl", s.playbook(name, ""))
		at := netfault.Plan{At: 1 + s.chance.IntN(60), After: s.chance.IntN(2) == 0}
		kind := s.kinds()[s.chance.IntN(len(s.kinds()))]
		s.faults[kind]++
		switch kind {
		case "none":
		case "cut":
			at.Fault = netfault.Cut
			proxy.Set(at)
		case "stall":
			at.Fault = netfault.Stall
			proxy.Set(at)
		case "half open":
			at.Fault = netfault.HalfOpen
			proxy.Set(at)
		case "slow":
			proxy.Slow(5 * time.Millisecond)
		case "host away":
			s.servers[i].Stop()
			s.away[i] = true
		case "disk full":
			s.write(name+".hcl", s.playbook(name, soakTask("command", `argv = ["sh", "-c", "echo > /dev/full"]`)))
		case "task fails":
			s.write(name+".hcl", s.playbook(name, soakTask("command", `argv = ["sh", "-c", "yes no | head -c 3000000; exit 3"]`)))
		case "server hangs":
			s.write(name+".hcl", s.playbook(name, soakTask("http_request", "url = \""+s.hangs+"\"\n read_only = true")))
		case "task hangs":
			s.write(name+".hcl", s.playbook(name, soakTask("command", `argv = ["sleep", "600"]`)))
		case "broken spec":
			s.write(name+".hcl", s.playbook(name, "task \"copy\" {"))
		}
	}
}

// kinds are the faults. Those that cost the time of a timeout each are rare.
func (s *soak) kinds() []string {
	quick := []string{"none", "cut", "slow", "host away", "disk full", "task fails", "broken spec"}
	return append(append(slices.Clone(quick), quick...), "stall", "half open", "server hangs", "task hangs")
}

func soakTask(module, text string) string {
	return fmt.Sprintf("task %q \"more\" {\n hosts = run.hosts\n stage = \"build\"\n timeout = \"1s\"\n %s\n}\n", module, text)
}

func (s *soak) made() int {
	n := 0
	for kind, times := range s.faults {
		if kind != "none" {
			n += times
		}
	}
	return n
}

// start starts the program. Its first usage is that before any job.
func (s *soak) start() {
	fromIt, itsOut, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	itsIn, toIt, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.usages, s.goOn = json.NewDecoder(fromIt), toIt
	s.server = exec.Command(soakProgram, "ci", "serve", "ci.hcl")
	s.server.Dir = s.dir
	s.server.Env = append(os.Environ(), "HOME="+s.dir, "SSH_AUTH_SOCK=", fmt.Sprintf("%s=%d", soakJobs, soakHosts+1), soakStacks+"="+filepath.Join(s.dir, "stacks"))
	s.server.Stdout, s.server.Stderr = &s.said, &s.said
	s.server.ExtraFiles = []*os.File{itsOut, itsIn}
	if err := s.server.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = s.server.Process.Kill()
		_ = toIt.Close()
		_ = fromIt.Close()
	})
	_ = itsOut.Close()
	_ = itsIn.Close()
	s.next()
}

// next is what the program uses when no job is at work again.
func (s *soak) next() usage {
	var u usage
	if err := s.usages.Decode(&u); err != nil {
		_ = s.server.Wait()
		s.t.Fatalf("it has ended: %v\n%s", err, s.said.String())
	}
	return u
}

func (s *soak) round() usage {
	if _, err := io.WriteString(s.goOn, "\n"); err != nil {
		s.t.Fatal(err)
	}
	return s.next()
}

// end tells the program to end, and looks at what is left of it.
func (s *soak) end() {
	if err := s.server.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	_ = s.goOn.Close()
	if err := s.server.Wait(); err != nil {
		s.t.Errorf("it ends with %v:\n%s", err, s.said.String())
	}
	runs, err := filepath.Glob(filepath.Join(s.dir, "results", "*-periodic-*", "*"))
	if err != nil || len(runs) < soakHosts+1 || len(runs) > 5*(soakHosts+1) {
		s.t.Errorf("%d results are kept, error %v:\n%s", len(runs), err, s.said.String())
	}
}

// flat asserts that the last third of the rounds, after some to warm up, uses no more than
// the first.
func (s *soak) flat(used []usage) {
	used = used[len(used)/4:]
	third := len(used) / 3
	for _, what := range []struct {
		name   string
		of     func(usage) int64
		ratio  float64
		beyond int64
	}{
		{"bytes of the heap", func(u usage) int64 { return u.Heap }, 1.3, 4 << 20},
		{"bytes resident", func(u usage) int64 { return u.Resident }, 1.3, 16 << 20},
		{"goroutines", func(u usage) int64 { return u.Goroutines }, 1, 3},
		{"descriptors", func(u usage) int64 { return u.Descriptors }, 1, 3},
		{"processes", func(u usage) int64 { return u.Children }, 1, 0},
	} {
		var all []int64
		for _, u := range used {
			all = append(all, what.of(u))
		}
		first, last := middle(all[:third]), middle(all[len(all)-third:])
		if float64(last) > float64(first)*what.ratio+float64(what.beyond) {
			stacks, _ := os.ReadFile(filepath.Join(s.dir, "stacks"))
			s.t.Errorf("%s: %d in the first third, %d in the last: %d\n%s", what.name, first, last, all, stacks)
		}
	}
	if last := used[len(used)-1]; last.Peak > 256<<20 {
		s.t.Errorf("%d MiB were resident at most", last.Peak>>20)
	}
}

// middle is the median.
func middle(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// write makes a file beside the file of jobs, in one go.
func (s *soak) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.t.Fatal(err)
	}
}
