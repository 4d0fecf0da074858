package run_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"kinit/engine/need"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/engine/transport/transporttest/sshd"
)

// system is what a module works on that changes a machine: a root of the test's own, in
// which an SSH server runs. DIR in its scripts is the folder of the job.
type system struct {
	programs string   // scripts that stand in for programs, by functions that write them
	daemons  *daemons // what it speaks with, if that is more than programs
	before   string   // takes away what the module makes, before each run
	holds    string   // fails unless there is what the module makes, once

	enter []string
}

// systemWorks are the modules that are tried on a root of their own. Programs that would
// reach further, into the kernel, systemd or repositories, are stood in for; they count
// how often they change something.
func systemWorks() []work {
	const unit = "content = \"[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\n\""
	return []work{
		{module: "user", text: `name = "kinit-faults"`, system: &system{
			before: "userdel -f -r kinit-faults 2>/dev/null || :", holds: `test "$(grep -c ^kinit-faults: /etc/passwd)" = 1; test -d /home/kinit-faults`}},
		{module: "group", text: `name = "kinit-faults"`, system: &system{
			before: "groupdel kinit-faults 2>/dev/null || :", holds: `test "$(grep -c ^kinit-faults: /etc/group)" = 1`}},
		{module: "hostname", text: `name = "kinit-faults"`, system: &system{
			before: "hostname before; echo before >/etc/hostname", holds: `test "$(uname -n)" = kinit-faults; test "$(cat /etc/hostname)" = kinit-faults`}},
		{module: "hosts_entry", text: "address = \"192.0.2.21\"\n names = [\"kinit-faults\"]", system: &system{
			before: "echo 127.0.0.1 localhost >/etc/hosts", holds: `test "$(grep -c '^192.0.2.21.kinit-faults' /etc/hosts)" = 1`}},
		{module: "mount", text: "path = \"/srv/kinit-faults\"\n source = \"tmpfs\"\n fstype = \"tmpfs\"", system: &system{
			before: "while umount /srv/kinit-faults 2>/dev/null; do :; done; : >/etc/fstab",
			holds:  `test "$(grep -c ' /srv/kinit-faults ' /proc/self/mountinfo)" = 1; test "$(grep -c /srv/kinit-faults /etc/fstab)" = 1`}},
		{module: "sysctl", text: "name = \"kernel.domainname\"\n value = \"kinit-faults\"", system: &system{
			before: "echo before >/proc/sys/kernel/domainname; rm -f /etc/sysctl.d/*kinit*",
			holds:  `test "$(cat /proc/sys/kernel/domainname)" = kinit-faults; grep -q kernel.domainname /etc/sysctl.d/*kinit*`}},
		{module: "kernel_module", text: `name = "kinit_faults"`, system: &system{
			programs: modprobe, before: "mountpoint -q /sys/module || mount -t tmpfs none /sys/module; rm -rf /sys/module/* /etc/modules-load.d/*",
			holds: "test -d /sys/module/kinit_faults; test -e /etc/modules-load.d/kinit-kinit_faults.conf"}},
		{module: "cron", text: "name = \"kinit-faults\"\n schedule = \"@daily\"\n job = \"true\"", system: &system{
			before: "rm -f /etc/cron.d/*kinit*", holds: "cat /etc/cron.d/*kinit* | grep -q '@daily'"}},
		{module: "netns", text: `name = "kinit-faults"`, system: &system{
			before: "ip netns del kinit-faults 2>/dev/null || :", holds: `test "$(ip netns list | grep -c kinit-faults)" = 1; ip -n kinit-faults link show lo | grep -q UP`}},
		{module: "nft_table", text: "name = \"kinit_faults\"\n content = \"chain c { }\"\n persist = false", system: &system{
			programs: nft, before: "ip netns exec kept nft.real flush ruleset", holds: `test "$(ip netns exec kept nft.real list ruleset | grep -c kinit_faults)" = 1`}},
		{module: "firewall", text: "protocol = \"tcp\"\n ports = [\"80\"]\n required = true", system: &system{
			programs: nft + "\n" + systemctl,
			before: "rm -rf /etc/kinit /etc/systemd/system/kinit-firewall-*; mkdir -p DIR/host/kinit-firewall-10dd483255.service; ip netns exec kept nft.real 'flush ruleset; " +
				"add table inet filter; add chain inet filter input { type filter hook input priority 0; policy drop; }'",
			holds: `test "$(ip netns exec kept nft.real list ruleset | grep -c 'tcp dport 80 accept comment')" = 1; test -e DIR/host/kinit-firewall-10dd483255.service/enabled; ls /etc/kinit/firewall/*.sh`}},
		{module: "service", text: "name = \"kinit-faults\"\n enabled = true\n state = \"started\"", system: &system{
			programs: systemctl, before: "mkdir -p DIR/host/kinit-faults.service", holds: "test -e DIR/host/kinit-faults.service/enabled; test -e DIR/host/kinit-faults.service/active"}},
		{module: "systemd_unit", text: "name = \"kinit-faults\"\n enabled = true\n state = \"started\"\n " + unit, system: &system{
			programs: systemctl, before: "rm -f /etc/systemd/system/kinit-faults*; mkdir -p DIR/host/kinit-faults.service",
			holds: "test -e DIR/host/kinit-faults.service/active; test -e /etc/systemd/system/kinit-faults.service"}},
		{module: "timer", text: "name = \"kinit-faults\"\n command = [\"/bin/true\"]\n on_boot = \"1min\"", system: &system{
			programs: systemctl, before: "rm -f /etc/systemd/system/kinit-faults*; mkdir -p DIR/host/kinit-faults.timer",
			holds: "test -e DIR/host/kinit-faults.timer/active; test -e /etc/systemd/system/kinit-faults.timer; test -e /etc/systemd/system/kinit-faults.service"}},
		{module: "alternatives", text: "name = \"kinit-faults\"\n path = \"/usr/bin/head\"\n link = \"/usr/bin/kinit-faults\"", system: &system{
			before: "update-alternatives --quiet --remove-all kinit-faults 2>/dev/null || :", holds: `test "$(readlink -f /usr/bin/kinit-faults)" = /usr/bin/head`}},
		{module: "selinux", text: `mode = "permissive"`, system: &system{
			programs: getenforce, before: "mkdir -p DIR/host /etc/selinux; echo Enforcing >DIR/host/mode; echo SELINUX=enforcing >/etc/selinux/config",
			holds: "test \"$(cat /etc/selinux/config)\" = SELINUX=permissive; test \"$(cat DIR/host/mode)\" = Permissive"}},
		{module: "selinux_boolean", text: `name = "kinit_faults"`, system: &system{
			programs: semanage, before: "mkdir -p DIR/host; echo off >DIR/host/boolean", holds: `test "$(cat DIR/host/boolean)" = on`}},
		{module: "selinux_port", text: "type = \"ssh_port_t\"\n ports = [\"2222\"]", system: &system{
			programs: semanage, before: "mkdir -p DIR/host; : >DIR/host/ports", holds: `test "$(cat DIR/host/ports)" = "ssh_port_t tcp 2222"`}},
		{module: "package", text: `names = ["kinit-faults"]`, system: &system{
			programs: apt, before: ":", holds: "test -e DIR/host/installed"}},
		{module: "apt_repository", text: "name = \"kinit-faults\"\n uris = [\"https://example.org/deb\"]\n suites = [\"./\"]\n signed_by = \"/etc/hosts\"", system: &system{
			programs: apt, before: "rm -f /etc/apt/sources.list.d/*kinit*", holds: "ls /etc/apt/sources.list.d | grep -q kinit-faults"}},
		{module: "zypper_repository", text: "name = \"kinit-faults\"\n url = \"https://example.org/rpm\"\n gpgcheck = false", system: &system{
			programs: "printf '#!/bin/sh\\n' >/usr/local/bin/zypper; chmod +x /usr/local/bin/zypper", before: "rm -f /etc/zypp/repos.d/*kinit*", holds: "ls /etc/zypp/repos.d | grep -q kinit-faults"}},
		{module: "dnf_repository", text: "name = \"kinit-faults\"\n base_urls = [\"https://example.org/rpm\"]\n gpgcheck = false", system: &system{
			programs: dnf, before: "rm -f /etc/yum.repos.d/*kinit*", holds: "ls /etc/yum.repos.d | grep -q kinit-faults"}},
	}
}

// The scripts that write programs. Each change that is needed only once is counted.
const (
	modprobe = `cat >/usr/local/bin/modprobe <<'END'
#!/bin/sh
case $1 in --show-depends) echo insmod /lib/modules/kinit_faults.ko; exit;; esac
mkdir /sys/module/kinit_faults; echo live >/sys/module/kinit_faults/initstate; echo ran >>DIR/host/count
END
chmod +x /usr/local/bin/modprobe`

	getenforce = `printf '#!/bin/sh\ncat DIR/host/mode\n' >/usr/local/bin/getenforce; cat >/usr/local/bin/setenforce <<'END'
#!/bin/sh
[ "$1" = 1 ] && echo Enforcing >DIR/host/mode || echo Permissive >DIR/host/mode; echo ran >>DIR/host/count
END
chmod +x /usr/local/bin/getenforce /usr/local/bin/setenforce`

	semanage = `cat >/usr/local/bin/semanage <<'END'
#!/bin/sh
cd DIR/host || exit
case "$*" in
"boolean --list --noheading") value=$(cat boolean); echo "kinit_faults  ($value , $value)  Allow faults";;
"boolean --modify --on kinit_faults") echo on >boolean; echo ran >>count;;
"port --list --noheading"*) cat ports;;
"port --add --type ssh_port_t --proto tcp 2222") echo ssh_port_t tcp 2222 >>ports; echo ran >>count;;
*) exit 2;;
esac
END
chmod +x /usr/local/bin/semanage`

	// Those that are not in a network namespace of their own are in that of the test.
	nft = `ip netns add kept; cp "$(command -v nft)" /usr/local/bin/nft.real; readlink /proc/self/ns/net >/outside
cat >/usr/local/bin/nft <<'END'
#!/bin/sh
if [ "$(readlink /proc/self/ns/net)" = "$(cat /outside)" ]; then exec ip netns exec kept nft.real "$@"; fi
exec nft.real "$@"
END
chmod +x /usr/local/bin/nft`

	systemctl = `mkdir -p /etc/systemd/system; cat >/usr/local/bin/systemctl <<'END'
#!/bin/sh
cd DIR/host || exit
verb=$1; now=; for unit; do [ "$unit" = --now ] && now=1; done
case $verb in
show)
	is() { [ -e "$unit/$1" ] && echo "$2" || echo "$3"; }
	echo "LoadState=$([ -d "$unit" ] && echo loaded || echo not-found)"; echo "ActiveState=$(is active active inactive)"
	echo "UnitFileState=$(is enabled enabled disabled)"; echo NeedDaemonReload=no;;
daemon-reload) ;;
enable) : >"$unit/enabled"; [ -z "$now" ] || : >"$unit/active";;
start|restart) : >"$unit/active"; echo ran >>count;;
*) echo "there is no verb $verb" >&2; exit 1;;
esac
END
chmod +x /usr/local/bin/systemctl`

	apt = `cat >/usr/local/bin/apt-get <<'END'
#!/bin/sh
case "$*" in *" install "*) : >DIR/host/installed; echo ran >>DIR/host/count;; esac
END
cat >/usr/local/bin/dpkg-query <<'END'
#!/bin/sh
[ -e DIR/host/installed ] || exit 1
printf 'kinit-faults\tii \t1.0\n'
END
chmod +x /usr/local/bin/apt-get /usr/local/bin/dpkg-query`

	dnf = `mkdir -p /etc/yum.repos.d; printf '#!/bin/sh\nexit 0\n' >/usr/local/bin/dnf; chmod +x /usr/local/bin/dnf`
)

// start makes the root with an SSH server in it, or takes that of the daemons.
func (s *system) start(t *testing.T) *sshd.Server {
	t.Helper()
	if s.daemons != nil {
		s.enter = s.daemons.enter
		return s.daemons.server
	}
	need.Root(t, "overlay")
	need.Programs(t, "overlay", "unshare", "nsenter", "ip", "nft", "useradd")
	pid, err := ownroot.Start(t, t.TempDir(), os.TempDir())
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	s.enter = ownroot.Enter(pid)
	return sshd.Within(t, s.enter)
}

// reset makes the system as it was, with its programs.
func (s *system) reset(t *testing.T, dir string) {
	t.Helper()
	if out, err := s.shell(s.programs+"\n"+s.before, dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.programs = ""
}

// mustHold checks what the module makes.
func (s *system) mustHold(t *testing.T, what, dir string) {
	t.Helper()
	if out, err := s.shell(s.holds, dir); err != nil {
		t.Errorf("%s: %s: %v: %s", what, s.holds, err, out)
	}
}

func (s *system) shell(script, dir string) (string, error) {
	return shell(s.enter, strings.ReplaceAll(script, "DIR", dir))
}

// shell runs a script with each command in what is printed.
func shell(enter []string, script string) (string, error) {
	argv := append(slices.Clone(enter), "sh", "-exc", script)
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	return string(out), err
}
