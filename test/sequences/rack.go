package sequences

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine/need"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/engine/transport/transporttest/sshd"
)

// aliasesFile is the name of the inventory that has each host under a second name too.
const aliasesFile = "aliases.hcl"

// Rack is the hosts of the sequences. They start once; Host.Reset makes them as they were.
type Rack struct {
	Hosts     []*Host
	Inventory string // of all hosts, by their names
	Aliases   string // the same hosts under a second name each: h1b
}

// Host is a machine with a root, a name, a machine id and a small file system of its own. kinit's
// folder and /srv are on the small one.
type Host struct {
	Name  string
	Root  string // its root as this process sees it
	Up    bool   // its SSH server runs
	t     testing.TB
	enter []string
	sshd  *sshd.Server
	base  []entry // what it has before each sequence
	first []entry // what is foreign to the sequence that runs
}

// build makes a host of a new root: $1 is its name, $2 its machine id, $3 its boot id.
//
//go:embed build.sh
var build string

// NewRack starts hosts h1, h2 and so on, which are the machines first, first + 1 and so on. Without root, overlays or sshd
// the test is skipped.
func NewRack(t testing.TB, first, count int) *Rack {
	t.Helper()
	need.Root(t, "overlay")
	need.Programs(t, "overlay", "unshare", "nsenter")
	r := &Rack{Inventory: filepath.Join(t.TempDir(), "inventory.hcl"), Aliases: filepath.Join(t.TempDir(), aliasesFile)}
	var names, aliases strings.Builder
	for i := range count {
		h := newHost(t, fmt.Sprintf("h%d", i+1), first+i)
		r.Hosts = append(r.Hosts, h)
		names.WriteString(h.declare(h.Name))
		aliases.WriteString(h.declare(h.Name) + h.declare(h.Name+"b"))
	}
	for path, text := range map[string]string{r.Inventory: names.String(), r.Aliases: aliases.String()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func newHost(t testing.TB, name string, number int) *Host {
	t.Helper()
	pid, err := ownroot.Start(t, t.TempDir(), os.TempDir())
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	h := &Host{Name: name, Root: "/proc/" + pid + "/root", t: t, enter: ownroot.Enter(pid), Up: true}
	h.Shell(build, h.Name, fmt.Sprintf("%032x", 0x5e90e9ce0000+number), fmt.Sprintf("5e90e9ce-0000-4000-8000-%012x", number))
	h.sshd = sshd.Within(t, h.enter)
	return h
}

// Shell runs a script on the host.
func (h *Host) Shell(script string, args ...string) {
	h.t.Helper()
	argv := append(slices.Clone(h.enter), append([]string{"sh", "-euc", script, "sh"}, args...)...)
	if out, err := exec.CommandContext(h.t.Context(), argv[0], argv[1:]...).CombinedOutput(); err != nil {
		h.t.Fatalf("%s: %v\n%s", h.Name, err, out)
	}
}

// declare returns the host's lines in an inventory.
func (h *Host) declare(name string) string {
	return fmt.Sprintf("host %q {\n  address = %q\n  port = %d\n  user = %q\n  identity_file = %q\n  known_hosts = %q\n}\n",
		name, h.sshd.Host, h.sshd.Port, h.sshd.User, h.sshd.ClientKey, h.sshd.KnownHosts)
}

// Stop ends the host's SSH server and all its connections.
func (h *Host) Stop() {
	if h.Up {
		h.sshd.Stop()
		h.Up = false
	}
}

// Start starts a stopped SSH server again.
func (h *Host) Start() {
	h.t.Helper()
	if h.Up {
		return
	}
	if err := h.sshd.Restart(h.t); err != nil {
		h.t.Fatalf("start the server of %s again: %v", h.Name, err)
	}
	h.Up = true
}

// Cut ends all SSH connections of the host. Its server goes on.
func (h *Host) Cut() {
	if h.Up {
		h.sshd.Cut()
	}
}

// ballast is the file that fills the small file system.
const ballast = "/small/ballast"

// Fill leaves no space on the host's small file system.
func (h *Host) Fill() {
	h.t.Helper()
	f, err := os.Create(h.Root + ballast)
	if err != nil {
		h.t.Fatal(err)
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	_ = f.Close() // the file system is full
}

// Drain undoes Fill.
func (h *Host) Drain() { _ = os.Remove(h.Root + ballast) }
