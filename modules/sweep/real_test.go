package sweep_test

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/authorized_key"
	"kinit/modules/cron"
	"kinit/modules/group"
	"kinit/modules/hostname"
	"kinit/modules/hosts_entry"
	"kinit/modules/internal/packages/packagestest"
	"kinit/modules/internal/roottest"
	"kinit/modules/known_host"
	"kinit/modules/mount"
	"kinit/modules/package"
	"kinit/modules/sweep"
	"kinit/modules/user"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7bd1qw6jW7NSB42aJL8gAfaJhpB00JiVP+3MuFdGRG"

// work is one task of each module whose marks need more than a removed file.
func work(t *testing.T) []module.Task {
	t.Helper()
	decode := func(kind module.Kind, args string) module.Task { return moduletest.Decode(t, kind, args) }
	return []module.Task{
		decode(group.Kind(), `name = "kinit-test-g"`),
		decode(user.Kind(), "name = \"kinit-test-u\"\ngroups = [\"kinit-test-g\"]"),
		decode(user.Kind(), "name = \"games\"\ngroups = [\"audio\"]"),
		decode(authorizedkey.Kind(), "user = \"kinit-test-u\"\nkey = \""+publicKey+"\""),
		decode(knownhost.Kind(), "name = \"git.example\"\nhashed = true\nkey = \""+publicKey+"\""),
		decode(hostname.Kind(), `name = "kinit-test"`),
		decode(hostsentry.Kind(), "address = \"192.0.2.1\"\nnames = [\"db.example\"]"),
		decode(mount.Kind(), "path = \"/srv/data\"\nsource = \"none\"\nfstype = \"tmpfs\""),
		decode(cron.Kind(), "name = \"a\"\nschedule = \"@daily\"\njob = \"true\"\ncrontab = true\nuser = \"games\""),
		decode(cron.Kind(), "name = \"b\"\nschedule = \"@daily\"\njob = \"true\""),
		decode(ospkg.Kind(), "names = [\"kinit-test-a\"]\nheld = true"),
	}
}

// facts is all that the work changes.
func facts(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return h.Shell(t, `uname -n; cat /etc/passwd /etc/group /etc/hosts /etc/fstab; cat /etc/hostname /etc/ssh/ssh_known_hosts 2>&1 || true
ls /srv /etc/cron.d; findmnt /srv/data || true; crontab -u games -l 2>&1 || true; apt-mark showhold; dpkg-query -W kinit-test-a 2>&1 || true`)
}

func TestWhatTheModulesOfAHostMakeIsUndone(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "useradd", "crontab", "dpkg-deb")
	packagestest.Apt(t, h, "kinit-test-a", "1.0-1")
	h.Shell(t, "rm -rf /var/lib/kinit; echo '192.0.2.9 db.example' >>/etc/hosts; echo kinit-old >/proc/sys/kernel/hostname; rm -f /etc/ssh/ssh_known_hosts; mkdir -p /etc/cron.d")
	before := facts(t, h)
	for _, one := range work(t) {
		moduletest.Settle(t, one, h)
	}
	if facts(t, h) == before {
		t.Fatal("the work has changed nothing")
	}
	moduletest.Settle(t, task(func(t *sweep.Task) { t.All, t.Purge = true, true }), h)
	moduletest.Same(t, "facts", facts(t, h), before)
	moduletest.Marks(t, h)
}
