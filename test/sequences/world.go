package sequences

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed mini
var mini embed.FS

// Call is one start of the program.
type Call struct {
	Args    []string
	Dir     string // the working directory
	Home    string // the user's home, where the state of a controller is
	Clock   time.Duration
	OnEvent func(n int) // called at each event of the run, with its number; may block
	Kill    int         // a process of its own is killed at this event; 0 for none
}

// Result is how the program ended.
type Result struct {
	Code  int
	Out   string
	Err   string
	Tasks int // how many tasks of runs were done
}

// Program starts kinit.
type Program func(c Call) Result

// Violation is what a sequence must not do.
type Violation struct {
	At   int // the command, or the number of commands for what comes after the last one
	Rule string
	Text string
	Log  string
}

// node is a node as its users see it.
type node struct {
	host, name string
	inode      uint64
	data       string
}

var numbered = regexp.MustCompile(`-(web|db)-[0-9]+$`)

func (n node) cluster() string { return numbered.ReplaceAllString(n.name, "") }

// world is the hosts of a sequence, and what is known of them.
type world struct {
	hosts    []*Host
	rack     *Rack
	program  Program
	dir      string // the working directory
	homes    [2]string
	random   *rand.Rand
	nodes    map[string]node // by host and name
	knows    [2]bool         // whether a controller may work on the cluster
	declared *Command
	struck   *Command          // a command that was killed; what it had asked a host to do may end until the next command has ended
	follows  bool              // the advice of each refusal is followed
	several  bool              // there was another cluster of the sequence's own
	lines    map[string]string // what the clusters have in shared files, by host and cluster
	serial   int
	log      strings.Builder
}

// folders are where the nodes of the clusters are.
var folders = []string{"/var/lib/kinit/nodes", "/var/lib/kinit/trees"}

// Run runs the commands of a sequence on the hosts of a rack, which it resets before. It returns nil if all is well.
func Run(s Sequence, rack *Rack, dir string, program Program) (*Violation, string, error) {
	w := &world{hosts: rack.Hosts, rack: rack, program: program, dir: dir, random: rand.New(rand.NewPCG(s.Seed, 1)), nodes: map[string]node{}, lines: map[string]string{}, follows: s.Follow}
	if err := w.prepare(); err != nil {
		return nil, "", err
	}
	for i, c := range s.Commands {
		if v, err := w.step(c); v != nil || err != nil {
			return w.at(v, i), w.log.String(), err
		}
	}
	v, err := w.settle()
	return w.at(v, len(s.Commands)), w.log.String(), err
}

func (w *world) at(v *Violation, i int) *Violation {
	if v != nil {
		v.At, v.Log = i, w.log.String()
	}
	return v
}

// prepare resets the hosts and makes the controllers, which know nothing yet.
func (w *world) prepare() error {
	for _, h := range w.hosts {
		if err := h.Reset(); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(w.dir); err != nil {
		return err
	}
	if err := os.CopyFS(w.dir, mini); err != nil {
		return err
	}
	specs, err := filepath.Glob(filepath.Join(w.dir, "mini", "*.spec.hcl"))
	if err != nil {
		return err
	}
	for _, from := range specs {
		to := filepath.Join(w.dir, strings.TrimSuffix(filepath.Base(from), ".spec.hcl")+".hcl")
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	for i := range w.homes {
		w.homes[i] = filepath.Join(w.dir, fmt.Sprintf("home%d", i))
		if err := os.MkdirAll(w.homes[i], 0o700); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(w.dir, "passphrase"), []byte("a passphrase of a test\n"), 0o600)
}

// step does a command and checks what it must not do.
func (w *world) step(c Command) (*Violation, error) {
	switch c.Verb {
	case "down":
		w.host(c.On).Stop()
		return nil, nil
	case "up":
		w.host(c.On).Start()
		return nil, nil
	case "edit":
		return nil, w.edit(w.host(c.On))
	}
	result := w.do(c)
	if v, err := w.check(c); v != nil || err != nil {
		return v, err
	}
	if w.declared == nil && c.Whole() && c.Fault == "" && result.Code != 0 {
		return &Violation{Rule: "first", Text: fmt.Sprintf("the first run ends with code %d", result.Code)}, nil
	}
	w.learn(c, result)
	if c.Fault == "kill" {
		w.struck = &c
	}
	if v := w.cleaned(c, result); v != nil {
		return v, nil
	}
	if result.Code != 0 && result.Tasks == 0 {
		return w.follow(c, result)
	}
	return nil, nil
}

// edit is what the administrator of a host does: another foreign line in a shared file, and another foreign file.
func (w *world) edit(h *Host) error {
	w.serial++
	for i, e := range h.first {
		if e.path != "/etc/hosts" && e.path != "/etc/shared.conf" && e.path != "/srv/foreign/file" {
			continue
		}
		line := fmt.Sprintf("192.0.2.%d edited-%d\n", w.serial, w.serial)
		h.first[i].content += line
		file, err := os.OpenFile(h.Root+e.path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := file.WriteString(line); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	// All names of the file have changed.
	now, err := h.entries()
	if err != nil {
		return err
	}
	m := byPath(now)
	for i, e := range h.first {
		if strings.HasPrefix(e.path, "/srv/foreign/") {
			h.first[i] = m[e.path]
		}
	}
	return nil
}

// learn notes what the command has declared.
func (w *world) learn(c Command, result Result) {
	me := 0
	if c.Other {
		me = 1
	}
	if result.Tasks > 0 && c.Cluster() != "shop" {
		w.several = true
	}
	if result.Tasks > 0 && c.Verb != "plan" && c.Verb != "status" {
		w.knows[me] = true
	}
	if c.Verb == "run" && c.StopAfter != "cleanup" && result.Tasks > 0 && (result.Code == 0 || c.Whole()) {
		d := c.Declared()
		if c.Whole() || w.declared == nil {
			w.declared = &d
		}
	}
}

func (w *world) host(name string) *Host {
	name = strings.TrimSuffix(name, "b")
	for _, h := range w.hosts {
		if h.Name == name {
			return h
		}
	}
	return w.hosts[0]
}

// do runs the command, with its fault, and that which runs at the same time.
func (w *world) do(c Command) Result {
	call := Call{Args: c.Args(w.rack.Inventory, w.rack.Aliases), Dir: w.dir, Home: w.homes[0], Clock: c.Clock}
	if c.Other {
		call.Home = w.homes[1]
	}
	if c.Verb == "ci" {
		w.writeJobs(c)
	}
	switch c.Fault {
	case "kill":
		call.Kill = c.At
	case "cut":
		call.OnEvent = func(n int) {
			if n == c.At {
				w.host(c.On).Cut()
			}
		}
	case "full":
		call.OnEvent = func(n int) {
			if n == c.At {
				w.host(c.On).Fill()
			}
		}
		defer w.host(c.On).Drain()
	}
	var second chan Result
	if c.With != nil {
		second = make(chan Result, 1)
		with := *c.With
		go func() {
			second <- w.program(Call{Args: with.Args(w.rack.Inventory, w.rack.Aliases), Dir: w.dir, Home: call.Home})
		}()
	}
	result := w.program(call)
	w.note(call, result)
	if second != nil {
		also := <-second
		w.note(Call{Args: append([]string{"(at the same time)"}, c.With.Args(w.rack.Inventory, w.rack.Aliases)...)}, also)
		result.Tasks += also.Tasks
	}
	return result
}

// note adds a command and its result to the log of the sequence.
func (w *world) note(c Call, r Result) {
	args := strings.ReplaceAll(strings.Join(c.Args, " "), filepath.Dir(w.rack.Inventory)+"/", "")
	fmt.Fprintf(&w.log, "$ kinit %s\n%s%sexit code %d after %d tasks\n", args, tail(r.Out, 14), r.Err, r.Code, r.Tasks)
}

func tail(text string, most int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) > most {
		lines = append([]string{"…\n"}, lines[len(lines)-most:]...)
	}
	return strings.Join(lines, "")
}

// check compares the hosts with what they had before the command.
func (w *world) check(c Command) (*Violation, error) {
	for _, h := range w.hosts {
		now, err := h.entries()
		if err != nil {
			return nil, err
		}
		m := byPath(now)
		if v := foreign(h, m); v != nil {
			return v, nil
		}
		if v := w.data(c, h, m); v != nil {
			return v, nil
		}
		if v := w.neighbours(c, h, m); v != nil {
			return v, nil
		}
		if err := w.meet(h, m); err != nil {
			return nil, err
		}
	}
	w.struck = nil
	return nil, nil
}

// data looks for nodes that have gone without being named.
func (w *world) data(c Command, h *Host, now map[string]entry) *Violation {
	for key, n := range w.nodes {
		if n.host != h.Name {
			continue
		}
		text := ""
		folder, there := find(now, n.name)
		switch data := now[path.Join(folder.path, "data")]; {
		case !there:
			text = "has disappeared"
		case folder.stat.Ino != n.inode:
			text = "is another one now"
		case data.content != n.data:
			text = fmt.Sprintf("has lost its data: %q is %q", n.data, data.content)
		}
		if text == "" {
			continue
		}
		delete(w.nodes, key)
		if !w.named(c, n) && (w.struck == nil || !w.named(*w.struck, n)) {
			return &Violation{Rule: "data", Text: fmt.Sprintf("the node %s on %s %s, and no flag named it", n.name, n.host, text)}
		}
	}
	return nil
}

// find returns the folder of a node.
func find(now map[string]entry, name string) (entry, bool) {
	for _, f := range folders {
		if e, ok := now[path.Join(f, name)]; ok {
			return e, true
		}
	}
	return entry{}, false
}

// meet lets users put data into nodes that are new.
func (w *world) meet(h *Host, now map[string]entry) error {
	for p, e := range now {
		name := path.Base(p)
		key := h.Name + "/" + name
		if _, known := w.nodes[key]; known || !slices.Contains(folders, path.Dir(p)) || strings.HasPrefix(name, "other-") {
			continue
		}
		w.serial++
		n := node{host: h.Name, name: name, inode: e.stat.Ino, data: fmt.Sprintf("data %d of the users of %s\n", w.serial, name)}
		if err := os.WriteFile(h.Root+p+"/data", []byte(n.data), 0o600); err != nil {
			return err
		}
		w.nodes[key] = n
	}
	return nil
}

// named reports whether a command may remove a node, since its line says so.
func (w *world) named(c Command, n node) bool {
	if c.With != nil && w.named(*c.With, n) {
		return true
	}
	adopts := slices.Contains(c.Flags, "--adopt")
	me := 0
	if c.Other {
		me = 1
	}
	if n.cluster() != c.Cluster() || !w.knows[me] && !adopts || c.Verb == "plan" || c.Verb == "status" {
		return false
	}
	short := strings.TrimPrefix(n.name, n.cluster()+"-")
	for i, flag := range c.Flags {
		switch flag {
		case "--recreate":
			return true
		case "--remove":
			// A sweep lists what it would remove with its path.
			for _, name := range strings.Split(c.Flags[i+1], ",") {
				name, host, _ := strings.Cut(path.Base(name), "@")
				if (name == short || name == n.name) && (host == "" || strings.TrimSuffix(host, "b") == n.host) {
					return true
				}
			}
		}
	}
	switch {
	case c.StopAfter == "cleanup":
		return true
	case c.Verb == "replace":
		return short == c.Node
	case c.Verb == "evacuate" && n.host == c.Node:
		return true
	}
	return c.loses(n.host)
}

// writeJobs writes the file of jobs for "ci run".
func (w *world) writeJobs(c Command) {
	web := ""
	if c.Web > 0 {
		web = fmt.Sprintf("  set = [\"pool.web.count=%d\"]\n", c.Web)
	}
	text := fmt.Sprintf("results = \"results\"\njob \"shop\" {\n  spec = \"%s.hcl\"\n  hosts = %s\n  inventories = [%q]\n%s}\n",
		c.spec(), strings.ReplaceAll(fmt.Sprintf("%q", c.Hosts), `" "`, `", "`), w.rack.Inventory, web)
	_ = os.WriteFile(filepath.Join(w.dir, "jobs.hcl"), []byte(text), 0o600) // the command fails then
}
