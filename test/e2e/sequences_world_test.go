//go:build sequences

package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// world is the lab with its cluster, and what must not be lost.
type world struct {
	k        *kinit
	seed     uint64
	declared string            // the spec that the last run of a whole spec named
	foreign  map[string]string // what the foreign objects on each hypervisor are
	nodes    map[string]string // the container and the data of each node
	named    map[string]bool   // nodes that a command line or an administrator named
	objects  map[string]bool   // that the API has acknowledged, and nothing named
	backup   map[string]bool   // the objects of the last backup; nil without one
	ran      bool              // the last move was a run of a whole spec that succeeded
	doubtful bool              // a killed or refused command may have replaced the cluster's API
	folder   string            // of the backup and its key
	public   string
}

func newWorld(t *testing.T, k *kinit) *world {
	t.Helper()
	k.call(t, "lab", "down", "--name", labName, "--output", "json")
	k.must(t, "lab", "up", "--name", labName, "--hosts", hosts, "--drivers", "podman", "--var", "lab_subnet="+labSubnet, "--output", "json")
	w := &world{k: k, declared: smallSpec, foreign: map[string]string{}, nodes: map[string]string{}, named: map[string]bool{}, objects: map[string]bool{}}
	var err error
	if w.folder, err = os.MkdirTemp(filepath.Dir(k.bin), "world"); err != nil {
		t.Fatal(err)
	}
	w.public = keygen(t, k, filepath.Join(w.folder, "age.key"))
	k.must(t, w.args(move{verb: "run", spec: smallSpec})...)
	for host := range strings.SplitSeq(hosts, ",") {
		on(t, host, plantBeside+plantVolatile)
	}
	on(t, "nyctea", plantOverlay)
	w.lookForeign(t)
	return w
}

func (w *world) lookForeign(t *testing.T) {
	t.Helper()
	for host := range strings.SplitSeq(hosts, ",") {
		w.foreign[host] = beside(t, host)
	}
}

// args returns the command line of a move.
func (w *world) args(m move) []string {
	args := []string{m.verb, m.spec}
	switch m.verb {
	case "backup":
		args = append(args, "--out", w.file(), "--overwrite", "--recipient", w.public)
	case "restore":
		args = append(args, w.file(), "--identity", filepath.Join(w.folder, "age.key"))
	case "replace":
		args = append(args, m.node)
	case "certs":
		args = append(args, "--renew")
	}
	return slices.Concat(args, []string{"--hosts", hosts}, m.flags)
}

func (w *world) file() string { return filepath.Join(w.folder, "cluster.backup") }

// begin brings the cluster to the state from which each sequence starts.
func (w *world) begin(t *testing.T, seed uint64) {
	t.Helper()
	w.seed, w.backup = seed, nil
	if w.declared != smallSpec {
		w.declared, w.ran = smallSpec, false
		w.settle(t)
	}
	w.mark(t)
	for deadline := time.Now().Add(apiPatience); len(w.objects) == 0; time.Sleep(time.Second) {
		if w.write(t, 0); time.Now().After(deadline) {
			t.Fatal("the API of a healthy cluster takes no object")
		}
	}
}

// do does one move and learns what it named.
func (w *world) do(t *testing.T, m move) {
	t.Helper()
	w.ran = false
	switch m.verb {
	case "stop":
		w.onNode(t, m.node, "podman kill %s >/dev/null 2>&1 || true")
	case "lose":
		w.named[longName(m.node)] = true
		if m.node == "controller-01" {
			clear(w.objects)
			w.doubtful = true
		}
		w.onNode(t, m.node, "podman rm --force --volumes --time 0 %s >/dev/null 2>&1 || true")
	case "power":
		loseOfPower(t, m.node)
	default:
		w.reach(t, m, false)
	}
}

// onNode runs a script about the container of a node, wherever it is.
func (w *world) onNode(t *testing.T, node, script string) {
	t.Helper()
	for host := range strings.SplitSeq(hosts, ",") {
		on(t, host, fmt.Sprintf("! podman container exists %s || { "+script+"; }", longName(node), longName(node)))
	}
}

// call runs a command of kinit, and learns what it named and what came of it.
func (w *world) call(t *testing.T, m move) result {
	t.Helper()
	if m.verb == "restore" && w.backup == nil {
		progress(t, "no backup was finished")
		return result{}
	}
	whole := m.verb == "run" && !slices.ContainsFunc(m.flags, func(f string) bool { return f == "--only" || f == "--limit" || f == "--stop-after" })
	if whole {
		w.declared = m.spec
	}
	w.names(m)
	before := maps.Clone(w.objects)
	r := w.run(t, m)
	w.ran = whole && r.code == 0
	switch {
	case m.verb == "backup" && r.code == 0:
		w.backup = before
	case m.verb == "restore" && r.code == 0:
		w.objects, w.doubtful = maps.Clone(w.backup), false
	case m.verb == "restore" && slices.Contains(m.flags, "--yes-destroy"):
		maps.DeleteFunc(w.objects, func(name string, _ bool) bool { return !w.backup[name] })
		w.doubtful = true
	case m.verb == "replace" && slices.Contains(m.flags, "--yes-destroy") && strings.HasSuffix(m.node, "controller-01"):
		clear(w.objects) // the only controller: its etcd was named
		w.doubtful = true
	case whole && r.code == 0:
		w.doubtful = false
	}
	return r
}

func (w *world) run(t *testing.T, m move) result {
	t.Helper()
	if m.killAt == 0 {
		return w.k.call(t, w.args(m)...)
	}
	n := m.killAt
	r, struck := w.k.perhaps(t, func(event) bool { n--; return n == 0 }, kill, w.args(m)...)
	progress(t, "killed %t, exit %d", struck, r.code)
	return r
}

// names learns which nodes a command line names.
func (w *world) names(m move) {
	if m.verb == "replace" {
		w.named[longName(m.node)] = true
	}
	for i, flag := range m.flags {
		if flag == "--remove" || flag == "--yes-destroy" {
			for name := range strings.SplitSeq(m.flags[i+1], ",") {
				w.named[longName(name)] = true
			}
		}
	}
}

func longName(node string) string { return "k8s-podman-" + strings.TrimPrefix(node, "k8s-podman-") }

// reached is how often advice is followed until the command must succeed.
const reached = 6

// reach runs a command, and follows the advice of refusals literally until it succeeds. A refusal of
// something that need not be possible may have no advice.
func (w *world) reach(t *testing.T, m move, must bool) {
	t.Helper()
	want := m
	for range reached {
		r := w.call(t, m)
		if m.must {
			r.succeeds(t, w.args(m))
		}
		if m.killAt > 0 || r.code == 0 && m.verb == want.verb {
			return
		}
		w.check(t)
		if r.code == 0 { // the advice was another command; the first one follows
			m = want
			continue
		}
		progress(t, "refused:\n%s", tail(r.stdout+r.stderr, 30))
		next, advised := w.advice(m, r.stdout+r.stderr)
		if !advised {
			if must {
				t.Fatalf("%s ends with code %d and without advice:\n%s", m, r.code, tail(r.stdout+r.stderr, 60))
			}
			return
		}
		if !must && next.verb != m.verb {
			return // the settling at the end does it
		}
		if next.verb == want.verb {
			want = next
		}
		m = next
	}
	t.Fatalf("%s does not succeed, though advice was followed %d times", want, reached)
}

var (
	removeAdvice  = regexp.MustCompile(`give (--remove) ([a-z0-9,-]+)`)
	destroyAdvice = regexp.MustCompile(`(--yes-destroy) ([a-z0-9,-]+)`)
	replaceAdvice = regexp.MustCompile(`kinit replace SPEC ([a-z0-9-]+) (--yes-destroy) ([a-z0-9-]+)`)
)

// advice returns the command that a refusal proposes.
func (w *world) advice(m move, text string) (move, bool) {
	next := m
	next.flags = slices.Clone(m.flags)
	if found := replaceAdvice.FindStringSubmatch(text); found != nil {
		return move{verb: "replace", spec: m.spec, node: found[1], flags: found[2:]}, true
	}
	if strings.Contains(text, "Run kinit restore with that backup again") {
		return move{verb: "restore", spec: m.spec}, true
	}
	if found := removeAdvice.FindStringSubmatch(text); found != nil {
		next.flags = append(next.flags, found[1:]...)
		return next, true
	}
	for _, found := range destroyAdvice.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(next.flags, found[2]) {
			next.flags = append(next.flags, found[1:]...)
		}
	}
	return next, len(next.flags) > len(m.flags)
}

// check compares foreign objects, nodes and, if the API answers, its objects with what they were.
func (w *world) check(t *testing.T) {
	t.Helper()
	for host, was := range w.foreign {
		if diff := cmp.Diff(was, beside(t, host)); diff != "" {
			t.Fatalf("foreign objects on %s have changed (-was +is):\n%s", host, diff)
		}
	}
	now := w.lookNodes(t)
	for name, was := range w.nodes {
		if is := now[name]; is != was {
			if !w.named[name] {
				t.Fatalf("nothing named the node %s, which was %q and is %q", name, was, is)
			}
			delete(w.nodes, name)
			delete(w.named, name)
		}
	}
	if w.doubtful {
		return
	}
	if there, answers := w.ask(t, "get", "configmaps", "--namespace", "default", "--output", "name"); answers {
		w.has(t, there)
	}
}

func (w *world) has(t *testing.T, there string) {
	t.Helper()
	for name := range w.objects {
		if !strings.Contains(there, "configmap/"+name+"\n") {
			t.Fatalf("the object %s was acknowledged, and it is gone; the API has\n%s", name, there)
		}
	}
}

// lookNodes returns the container of each node, and the data that mark has put into it, also if it does not run.
func (w *world) lookNodes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for host := range strings.SplitSeq(hosts, ",") {
		for line := range strings.Lines(on(t, host, nodeData)) {
			if name, data, is := strings.Cut(strings.TrimSpace(line), " "); is {
				all[name] += host + " " + data
			}
		}
	}
	return all
}

const nodeData = `
for n in $(podman ps --all --format '{{.Names}}' --filter name=^k8s-podman-c); do
	var=$(podman inspect --format '{{range .Mounts}}{{if eq .Destination "/var"}}{{.Source}}{{end}}{{end}}' $n)
	echo "$n $(podman inspect --format '{{.Id}}' $n) $(cat $var/lib/sequence 2>&1)"
done
`

// mark puts data into each node, and remembers it.
func (w *world) mark(t *testing.T) {
	t.Helper()
	for host := range strings.SplitSeq(hosts, ",") {
		on(t, host, fmt.Sprintf(`for n in $(podman ps --format '{{.Names}}' --filter name=^k8s-podman-c); do podman exec $n sh -c 'echo data-%d >/var/lib/sequence'; done`, w.seed))
	}
	w.nodes = w.lookNodes(t)
	clear(w.named)
}

// answerTime is how long the API may take to answer while the cluster may be broken.
const answerTime = time.Minute

// ask asks the API once.
func (w *world) ask(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answerTime)
	defer cancel()
	r := w.k.command(ctx, slices.Concat([]string{"kubeconfig", w.declared, "--hosts", hosts})...)
	text, err := r.Output()
	if err != nil {
		return "", false
	}
	a := &api{kubectl: kubectl(t), kubeconfig: filepath.Join(w.folder, "kubeconfig")}
	if err := os.WriteFile(a.kubeconfig, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := a.command(ctx, args...).Output()
	return string(out), err == nil
}

// write makes an object, which must not be lost once the API has acknowledged it.
func (w *world) write(t *testing.T, n int) {
	t.Helper()
	if w.doubtful {
		return
	}
	name := fmt.Sprintf("seed-%d-%d", w.seed, n)
	if _, answers := w.ask(t, "create", "configmap", name, "--namespace", "default"); answers {
		w.objects[name] = true
	}
}

// settle checks that the cluster reaches its declared state, has its objects, and that a second run changes nothing.
func (w *world) settle(t *testing.T) {
	t.Helper()
	declared := move{verb: "run", spec: w.declared}
	if !w.ran {
		w.reach(t, declared, true)
		w.check(t)
	}
	api := newAPI(t, w.k, []string{w.declared, "--hosts", hosts})
	nodes := []string{longName("compute-01"), longName("controller-01")}
	if w.declared == largeSpec {
		nodes = append(nodes, longName("compute-02"))
	}
	api.await(t, nodes...)
	w.has(t, api.get(t, "configmaps", "--namespace", "default", "--output", "name"))
	if now := slices.Sorted(maps.Keys(w.lookNodes(t))); !slices.Equal(now, slices.Sorted(slices.Values(nodes))) {
		t.Fatalf("the nodes are %v, want %v", now, nodes)
	}
	unchanged(t, w.k, w.args(declared))
	w.check(t)
	w.mark(t)
	progress(t, "the cluster is as declared with %s and %d objects", w.declared, len(w.objects))
}
