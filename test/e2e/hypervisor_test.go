package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"sort"
	"strings"
	"testing"
	"time"
)

// container is the one that is a hypervisor of the lab.
func container(host string) string { return "kinit-" + labName + "-" + host }

// on runs a script on a hypervisor of the lab and returns what it printed.
func on(t *testing.T, host, script string) string {
	t.Helper()
	return inside(t, container(host), host, script)
}

// inside runs a script in a container that is a host, and returns what it printed.
func inside(t *testing.T, container, host, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "podman", "exec", container, "sh", "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("on %s: %v\n%s\n%s", host, err, script, out)
	}
	return string(out)
}

// lookAtGuests prints what the guests of a hypervisor do: their state, where their processors are,
// how busy they are, and the end of their consoles.
const lookAtGuests = `
uptime
for domain in $(virsh -c qemu:///system list --all --name); do
  echo "$domain: $(virsh -c qemu:///system domstate "$domain")"
  virsh -c qemu:///system qemu-monitor-command "$domain" --hmp 'info registers -a' 2>/dev/null | grep -E '^(CPU#|RIP|EIP)'
  tail -n 6 /var/log/libvirt/qemu/"$domain"-serial.log
done
top -b -n 1 -w 100 | sed -n '7,11p'
`

// guestsNow returns what the guests of the lab do, as far as it can be seen.
func guestsNow(t testing.TB) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
	defer cancel()
	var said strings.Builder
	for host := range strings.SplitSeq(hosts, ",") {
		out, err := exec.CommandContext(ctx, "podman", "exec", container(host), "sh", "-c", lookAtGuests).CombinedOutput()
		fmt.Fprintf(&said, "on %s:\n%s", host, out)
		if err != nil {
			fmt.Fprintln(&said, err)
		}
	}
	return said.String()
}

// inventory lists everything on a hypervisor that a deployment could leave behind,
// by kind. Databases of OVN are looked at where they are served.
const inventory = `
virsh -c qemu:///system list --all --name | sed '/^$/d; s/^/domain /'
virsh -c qemu:///system net-list --all --name | sed '/^$/d; s/^/network /'
find /var/lib/libvirt/images -mindepth 1 | sed 's/^/file /'
find /var/log/libvirt/qemu -name '*-serial.log*' | sed 's/^/file /'
ovs-vsctl list-br | sed 's/^/bridge /'
for bridge in $(ovs-vsctl list-br); do ovs-vsctl list-ports $bridge | sed "s/^/port $bridge /"; done
ovs-vsctl --bare get Open_vSwitch . external_ids | tr ',' '\n' | tr -d '{} ' | sed 's/^/setting /'
if [ -S /run/ovn/ovnnb_db.sock ]; then
  for table in Logical_Switch Logical_Switch_Port Logical_Router DHCP_Options HA_Chassis_Group; do
    ovn-nbctl --bare --columns=name list $table 2>/dev/null | sed "/^$/d; s/^/ovn $table /"
  done
fi
podman ps --all --format 'container {{.Names}}'
podman pod ps --format 'pod {{.Name}}'
podman volume ls --format 'volume {{.Name}}'
podman network ls --format 'podman-network {{.Name}}'
podman images --format 'image {{.Repository}}:{{.Tag}}'
nft list tables | sed 's/^/nft /'
ip -4 route show | sed 's/^/route /'
ip netns list | sed 's/ .*//; s/^/netns /'
ip -o link show | sed 's/^[0-9]*: \([^:@]*\).*/link \1/'
find /etc/systemd/system /etc/sysctl.d /etc/kinit /var/lib/kinit -mindepth 1 2>/dev/null | sed 's/^/file /'
systemctl list-unit-files --state=enabled --no-legend --plain | sed 's/ .*//; s/^/enabled /'
sysctl net.ipv4.ip_forward | sed 's/^/sysctl /'
`

// snapshot is the inventory as a set of lines.
func snapshot(t *testing.T, host string) map[string]bool {
	t.Helper()
	set := map[string]bool{}
	for line := range strings.Lines(on(t, host, inventory)) {
		if line = strings.TrimSpace(line); line != "" {
			set[line] = true
		}
	}
	return set
}

// asBefore compares both hypervisors with what was on them.
func asBefore(t *testing.T, before map[string]map[string]bool) {
	t.Helper()
	// Images of nodes are declared kept. So are the tables that podman's own network
	// makes, as long as somebody else has a container: at the end of the cluster's life
	// that was so until a moment ago.
	kept := []string{"file /var/lib/libvirt/images/kinit-", "image localhost/kinit-node:", "image docker.io/library/debian", "nft table ip filter", "nft table ip nat"}
	for host, was := range before {
		var left, lost []string
		for deadline := time.Now().Add(settleTime); time.Now().Before(deadline); time.Sleep(time.Second) {
			is := snapshot(t, host)
			if left, lost = minus(is, was, kept...), minus(was, is); len(left)+len(lost) == 0 {
				break
			}
		}
		if len(left) > 0 {
			t.Errorf("left on %s:\n%s", host, strings.Join(left, "\n"))
		}
		if len(lost) > 0 {
			t.Errorf("missing on %s:\n%s", host, strings.Join(lost, "\n"))
		}
	}
}

// settleTime is how long the kernel and systemd may take to finish what they were told.
const settleTime = 30 * time.Second

// minus lists what is in a and not in b, without what matches one of the allowed
// beginnings.
func minus(a, b map[string]bool, allowed ...string) []string {
	var left []string
	for line := range a {
		if !b[line] && !begins(line, allowed) {
			left = append(left, line)
		}
	}
	sort.Strings(left)
	return left
}

func begins(line string, beginnings []string) bool {
	for _, beginning := range beginnings {
		if strings.HasPrefix(line, beginning) {
			return true
		}
	}
	return false
}
