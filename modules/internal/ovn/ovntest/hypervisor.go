package ovntest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/need"
	"kinit/modules/internal/ovn/raft"
	"kinit/modules/internal/roottest"
)

// Hypervisor is a machine with a root of its own, where Debian's ovsdb-server serves OVN's
// databases from /var/lib/ovn. It has no systemd: its systemctl starts and stops the
// server of the unit UnitOf names.
type Hypervisor struct {
	*roottest.Host
}

// UnitOf is the unit of a database's server.
func UnitOf(db raft.Database) string { return "test-" + db.Word + ".service" }

// systemctl VERB -- UNIT starts or stops the server of a database. A member listens where its file says.
const systemctl = `#!/bin/sh
set -eu
case $3 in
test-northbound.service) db=ovnnb_db ;;
test-southbound.service) db=ovnsb_db ;;
*) exit 1 ;;
esac
pid=$(cat "/run/ovn/$db.pid" 2>/dev/null || true)
case $1 in
start)
	[ -z "$pid" ] || [ ! -d "/proc/$pid" ] || exit 0
	mkdir -p /run/ovn
	exec ovsdb-server --detach --pidfile=/run/ovn/$db.pid --unixctl=/run/ovn/$db.ctl --remote=punix:/run/ovn/$db.sock -vconsole:off /var/lib/ovn/$db.db
	;;
stop)
	[ -n "$pid" ] && kill "$pid" || exit 0
	while [ -d "/proc/$pid" ] && ! grep -q "^State:.Z" "/proc/$pid/status"; do sleep 0.05; done
	rm -f "/run/ovn/$db.pid" "/run/ovn/$db.sock" "/run/ovn/$db.ctl"
	;;
esac
`

// StartHypervisor makes a machine with standalone databases, as the package of OVN leaves them. Their servers
// do not run.
func StartHypervisor(t testing.TB, owner string) *Hypervisor {
	t.Helper()
	need.Programs(t, "ovs", "ovsdb-server", "ovsdb-tool", "ovsdb-client", "ovn-appctl", "ovn-nbctl")
	h := &Hypervisor{Host: roottest.New(t, owner)}
	h.Ignore("/var/lib/kinit")
	h.Put(t, "/usr/local/sbin/systemctl", systemctl, module.Attr{Mode: 0o755})
	h.Shell(t, "mkdir -p /var/lib/ovn && rm -f /var/lib/ovn/* /var/lib/ovn/.*~lock~")
	for _, db := range raft.Databases() {
		h.Shell(t, `ovsdb-tool create "$1" "$2"`, db.File, db.Schema)
		t.Cleanup(func() {
			_, _ = h.Run(context.Background(), module.Command{Argv: []string{"systemctl", "stop", "--", UnitOf(db)}})
		})
	}
	return h
}

// Systemctl starts or stops the server of a database.
func (h *Hypervisor) Systemctl(t testing.TB, verb string, db raft.Database) {
	t.Helper()
	h.Shell(t, `systemctl "$1" -- "$2"`, verb, UnitOf(db))
}

// NB runs ovn-nbctl on the host's own server, whether it leads or not.
func (h *Hypervisor) NB(t testing.TB, args ...string) string {
	t.Helper()
	return strings.TrimSpace(h.Shell(t, `exec ovn-nbctl --timeout=20 --no-leader-only --db=unix:/run/ovn/ovnnb_db.sock "$@"`, args...))
}

// Socket is where a socket of the host is reached from outside of its root.
func (h *Hypervisor) Socket(ctx context.Context, path string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"cat", strings.TrimSuffix(path, ".sock") + ".pid"}})
	if err != nil {
		return "", errors.Join(errors.New("no server has the socket "+path), err)
	}
	return "/proc/" + strings.TrimSpace(out.Stdout) + "/root" + path, nil
}
