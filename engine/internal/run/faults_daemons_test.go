package run_test

import (
	"os"
	"slices"
	"testing"

	"kinit/engine/need"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/engine/transport/transporttest/sshd"
)

// daemons are what modules speak with, one module after the other. They have a root, processes
// and a network of their own.
type daemons struct {
	need  string   // their word in KINIT_REQUIRE
	uses  []string // their programs
	setup string   // starts them; what "inside" is before is in the network of their own
	end   string   // ends what would outlive their processes

	enter  []string
	server *sshd.Server
}

// inside runs each command of an SSH session in the network of the daemons. The server itself
// is in the machine's, where the test reaches it.
const inside = `ForceCommand case $SSH_ORIGINAL_COMMAND in internal-sftp) for p in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh; ` +
	`do [ ! -x $p/sftp-server ] || exec $p/sftp-server; done;; esac; exec nsenter --net=/proc/1/ns/net sh -c "$SSH_ORIGINAL_COMMAND"`

// start makes the root with the daemons and an SSH server in it.
func (d *daemons) start(t *testing.T) {
	t.Helper()
	need.Root(t, "overlay")
	need.Programs(t, "overlay", "nsenter", "ip")
	need.Programs(t, d.need, d.uses...)
	pid, err := ownroot.Apart(t, t.TempDir(), os.TempDir())
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	root := ownroot.Enter(pid)
	inRoot := append(slices.Clone(root), "--pid")
	if out, err := shell(inRoot, "inside() { nsenter --net=/proc/1/ns/net \"$@\"; }; inside ip link set lo up\n"+d.setup); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.enter = append(slices.Clone(inRoot), "--net")
	t.Cleanup(func() {
		if out, err := shell(d.enter, d.end); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	// The server's own process is the test's, which ends it.
	d.server = sshd.Within(t, append(slices.Clone(inRoot), "--no-fork"), inside)
}

// groups are the works that share daemons, by their places.
func groups(all []work) map[*daemons][]int {
	shared := map[*daemons][]int{}
	for i, w := range all {
		if w.system != nil && w.system.daemons != nil {
			shared[w.system.daemons] = append(shared[w.system.daemons], i)
		}
	}
	return shared
}
