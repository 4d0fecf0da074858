package firewall_test

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/firewall"
	"kinit/modules/internal/roottest"
	"kinit/modules/sweep"
)

// brand is a firewall with its real programs, in a network of a test's own.
type brand struct {
	name, start string
	programs    []string
	// rules prints all that the firewall lets in and through.
	rules string
	stop  string
	// contract are the arguments that it is asked for again and again; firewalld is slow.
	contract []string
}

const nftTable = `table inet filter {
	chain input {
		type filter hook input priority filter; policy drop;
		ct state established accept
	}

	chain forward {
		type filter hook forward priority filter; policy drop;
	}
}
`

func brands() []brand {
	return []brand{
		{
			name: "ufw", programs: []string{"ufw", "iptables"},
			start: "ufw --force enable; ufw allow 22/tcp",
			rules: "LC_ALL=C ufw show added | tail -n +2",
			stop:  "ufw disable", contract: []string{geneve, outside},
		},
		{
			name: "firewalld", programs: []string{"firewalld", "firewall-cmd", "dbus-daemon"},
			start: `mkdir -p /run/dbus; dbus-daemon --system --fork --nopidfile
firewalld --nofork --nopid >/run/firewalld.log 2>&1 &
n=0; until firewall-cmd --state >/dev/null 2>&1; do n=$((n + 1)); [ $n -lt 300 ] || { cat /run/firewalld.log; exit 1; }; sleep 0.1; done
firewall-cmd -q --permanent --zone=public --add-rich-rule='rule port port="22" protocol="tcp" accept'; firewall-cmd -q --reload`,
			// A policy without rules is left to the next reload.
			rules: `for where in "" --permanent; do
	firewall-cmd $where --zone=public --list-rich-rules | sort
	for policy in $(firewall-cmd $where --get-policies); do
		case $policy in kinit-*) zones="$(firewall-cmd $where --policy=$policy --list-ingress-zones) to $(firewall-cmd $where --policy=$policy --list-egress-zones)"
			firewall-cmd $where --policy=$policy --list-rich-rules | sed "/./s/^/$zones: /;/^$/d" | sort;; esac
	done | sort
done`,
			stop: "kill $(pidof -x firewalld); while pidof -x firewalld >/dev/null; do sleep 0.1; done", contract: []string{outside},
		},
		{
			name: "nftables", programs: []string{"nft", "systemctl"},
			start: "cat >/etc/nftables.conf <<'END'\n" + nftTable + "END\nnft -f /etc/nftables.conf",
			rules: "nft --stateless list ruleset",
			stop:  "nft flush ruleset", contract: []string{geneve, outside},
		},
	}
}

// host is a machine with an active firewall.
func (b brand) host(t *testing.T, owner string) *roottest.Host {
	t.Helper()
	h := roottest.Apart(t, owner, append([]string{"ip"}, b.programs...)...)
	h.Shell(t, "ip link set lo up; rm -rf /var/lib/kinit; "+b.start+" >/dev/null")
	// Programs in Python write what they have compiled.
	h.Ignore("/usr/lib/python3", "/run")
	return h
}

func each(t *testing.T, run func(t *testing.T, b brand)) {
	for _, b := range brands() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			run(t, b)
		})
	}
}

func task(t *testing.T, args string) *firewall.Task {
	t.Helper()
	return moduletest.Decode(t, firewall.Kind(), args).(*firewall.Task)
}

const (
	geneve  = "protocol = \"udp\"\nports = [\"6081\"]\nsource = \"10.0.0.0/24\"\ninterface = \"eth0\"\n"
	nodes   = "protocol = \"tcp\"\nports = [\"443\", \"30000-32767\", \"80\"]\n"
	outside = "direction = \"forward\"\nsource = \"172.16.0.0/24\"\ninterface = \"br-ex\"\n"
	inside  = "direction = \"forward\"\ndestination = \"10.88.0.0/16\"\nprotocol = \"tcp\"\nports = [\"6443\"]\nout_interface = \"podman0\"\n"
	absent  = "state = \"absent\"\n"
)

func TestContractWithRealFirewalls(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b brand) {
		for _, args := range b.contract {
			h := b.host(t, "demo")
			before := h.Shell(t, b.rules)
			moduletest.Run(t, moduletest.Case{
				Host:   h,
				New:    func() module.Task { return task(t, args) },
				Absent: func() module.Task { return task(t, args+absent) },
			})
			moduletest.Marks(t, h)
			moduletest.Same(t, "rules", h.Shell(t, b.rules), before)
		}
	})
}

func TestRulesOfRealFirewalls(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"ufw": `ufw allow 22/tcp
ufw allow in on eth0 from 10.0.0.0/24 to any port 6081 proto udp comment 'made by kinit'
ufw allow 80,443,30000:32767/tcp comment 'made by kinit'
ufw route allow in on br-ex from 172.16.0.0/24 comment 'made by kinit'
ufw route allow out on podman0 to 10.88.0.0/16 port 6443 proto tcp comment 'made by kinit'
`,
		"firewalld": strings.Repeat(`rule family="ipv4" source address="10.0.0.0/24" port port="6081" protocol="udp" accept
rule port port="22" protocol="tcp" accept
rule port port="30000-32767" protocol="tcp" accept
rule port port="443" protocol="tcp" accept
rule port port="80" protocol="tcp" accept
ANY to public: rule family="ipv4" destination address="10.88.0.0/16" port port="6443" protocol="tcp" accept
public to ANY: rule family="ipv4" source address="172.16.0.0/24" accept
`, 2),
		"nftables": `table inet filter {
	chain input {
		type filter hook input priority filter; policy drop;
		tcp dport { 80, 443, 30000-32767 } accept comment "kinit 93b039fe1f"
		iifname "eth0" ip saddr 10.0.0.0/24 udp dport 6081 accept comment "kinit 3187d030a7"
		ct state established accept
	}

	chain forward {
		type filter hook forward priority filter; policy drop;
		oifname "podman0" ip daddr 10.88.0.0/16 tcp dport 6443 accept comment "kinit 167a675d08"
		iifname "br-ex" ip saddr 172.16.0.0/24 accept comment "kinit afe1bea311"
	}
}
`,
	}
	each(t, func(t *testing.T, b brand) {
		h := b.host(t, "demo")
		before := h.Shell(t, b.rules)
		for _, args := range []string{geneve, nodes, outside, inside} {
			moduletest.Settle(t, task(t, args), h)
		}
		moduletest.Same(t, "rules", h.Shell(t, b.rules), want[b.name])
		moduletest.Settle(t, moduletest.Decode(t, sweep.Kind(firewall.Kind().Marks), "all = true"), h)
		moduletest.Same(t, "rules after clean-up", h.Shell(t, b.rules), before)
		moduletest.Same(t, "files after clean-up", h.Shell(t, "ls -d /etc/kinit /etc/systemd/system/kinit-* /etc/systemd/system/*/kinit-* 2>/dev/null || true"), "")
		moduletest.Marks(t, h)
	})
}

// A rule of the administrator's needs no second one, and is no cluster's to remove.
func TestRulesThatWereThereStay(t *testing.T) {
	t.Parallel()
	for _, b := range brands()[:2] {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			h := b.host(t, "demo")
			before := h.Shell(t, b.rules)
			const ssh = "protocol = \"tcp\"\nports = [\"22\"]\n"
			moduletest.Same(t, "steps", len(roottest.Planned(t, h, task(t, ssh))), 0)
			moduletest.Marks(t, h)
			moduletest.Same(t, "steps to remove it", len(roottest.Planned(t, h, task(t, ssh+absent))), 0)
			more := "protocol = \"tcp\"\nports = [\"22\", \"23\"]\n"
			moduletest.Settle(t, task(t, more), h)
			moduletest.Settle(t, task(t, more+absent), h)
			moduletest.Same(t, "rules", h.Shell(t, b.rules), before)
		})
	}
}

// A firewall that does not run any more still has its configuration.
func TestRulesOfAStoppedFirewallAreRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b brand) {
		h := b.host(t, "demo")
		before := h.Shell(t, b.rules)
		for _, args := range []string{geneve, outside} {
			moduletest.Settle(t, task(t, args), h)
		}
		h.Shell(t, b.stop)
		moduletest.Same(t, "steps without an active firewall", len(roottest.Planned(t, h, task(t, nodes))), 0)
		moduletest.Settle(t, moduletest.Decode(t, sweep.Kind(firewall.Kind().Marks), "all = true"), h)
		h.Shell(t, b.start)
		moduletest.Same(t, "rules", h.Shell(t, b.rules), before)
		moduletest.Marks(t, h)
	})
}

func TestARuleThatAnotherClusterHasTooStays(t *testing.T) {
	t.Parallel()
	b := brands()[0]
	h := b.host(t, "demo")
	moduletest.Settle(t, task(t, nodes), h)
	rules := h.Shell(t, b.rules)
	const id = "ufw: accept tcp port 80,443,30000-32767"
	h.Put(t, "/var/lib/kinit/clusters/other/owned/firewall_rule/a.json", `{"kind": "firewall_rule", "id": "`+id+`"}`, module.Attr{})
	moduletest.Settle(t, task(t, nodes+absent), h)
	moduletest.Same(t, "rules", h.Shell(t, b.rules), rules)
	moduletest.Marks(t, h)
}

func TestUFWRuleThatDeniesIsAnError(t *testing.T) {
	t.Parallel()
	h := brands()[0].host(t, "demo")
	h.Shell(t, "ufw deny in on eth0 proto udp from 10.0.0.0/24 to any port 6081")
	want := `error: ufw has a rule with the action deny for the same packets as "accept udp port 6081 from 10.0.0.0/24 in by eth0": ` +
		`remove it by "ufw delete deny in on eth0 proto udp from 10.0.0.0/24 to any port 6081" if they should be accepted`
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, geneve)), []string{want})
	h.Shell(t, "ufw delete deny in on eth0 proto udp from 10.0.0.0/24 to any port 6081")
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, geneve)), []string{"add the rule of ufw: accept udp port 6081 from 10.0.0.0/24 in by eth0"})
}

// A run that is killed between the two families leaves the first one.
func TestUFWRuleForOneFamilyAloneIsCompleted(t *testing.T) {
	t.Parallel()
	b := brands()[0]
	h := b.host(t, "demo")
	moduletest.Settle(t, task(t, nodes), h)
	h.Shell(t, "sed -i '/tuple.*tcp 80,443/d' /etc/ufw/user6.rules")
	moduletest.Settle(t, task(t, nodes), h)
	moduletest.Same(t, "rules for IPv6", h.Shell(t, "grep -c 'tuple.*tcp 80,443' /etc/ufw/user6.rules"), "1\n")
}

// podman gives its networks to a zone of the running firewalld alone.
func TestSourcesOfZonesOutliveTheReloadOfFirewalld(t *testing.T) {
	t.Parallel()
	h := brands()[1].host(t, "demo")
	h.Shell(t, "firewall-cmd --zone=trusted --add-source=10.88.0.0/16")
	moduletest.Settle(t, task(t, outside), h)
	moduletest.Same(t, "sources", h.Shell(t, "firewall-cmd --zone=trusted --list-sources"), "10.88.0.0/16\n")
}

func TestTheZoneOfAnInterfaceIsTakenAndAWholeZoneIsRefused(t *testing.T) {
	t.Parallel()
	h := brands()[1].host(t, "demo")
	h.Shell(t, "firewall-cmd --zone=internal --add-interface=eth0")
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, geneve)), []string{"add the rule of firewalld: accept udp port 6081 from 10.0.0.0/24 zone internal"})
	want := "error: firewalld would accept everything that comes in by the zone internal, as it has zones in place of interfaces: give a protocol, source or destination"
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, `interface = "eth0"`)), []string{want})
	got := roottest.Planned(t, h, task(t, geneve+"zone = \"none\""))
	if len(got) != 1 || !strings.Contains(got[0], "INVALID_ZONE: none") {
		t.Errorf("steps %q, want firewalld's error", got)
	}
}

// The unit's script inserts rules again into chains that were reloaded.
func TestNFTablesRulesComeBackAtBoot(t *testing.T) {
	t.Parallel()
	b := brands()[2]
	h := b.host(t, "demo")
	for _, args := range []string{geneve, outside} {
		moduletest.Settle(t, task(t, args), h)
	}
	rules := h.Shell(t, b.rules)
	h.Shell(t, "nft flush ruleset; nft -f /etc/nftables.conf")
	units := h.Shell(t, "cd /etc/systemd/system/multi-user.target.wants; ls kinit-firewall-*.service; sed -n 's/^ExecStart=//p' kinit-firewall-*.service >/run/boot; sh -e /run/boot; sh -e /run/boot")
	moduletest.Same(t, "units", strings.Count(units, "\n"), 2)
	moduletest.Same(t, "rules", h.Shell(t, b.rules), rules)
}

func TestHostWithoutAnActiveFirewall(t *testing.T) {
	t.Parallel()
	h := roottest.Apart(t, "demo", "ip")
	moduletest.Same(t, "steps", len(roottest.Planned(t, h, task(t, geneve))), 0)
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, geneve+"required = true")),
		[]string{"error: no firewall is active: start firewalld, ufw or nftables.service, or set required = false"})
	values := moduletest.Outputs(t, task(t, geneve), h)
	moduletest.Same(t, "firewalls", values["firewalls"].LengthInt(), 0)
	moduletest.Same(t, "rule", values["rule"].AsString(), "accept udp port 6081 from 10.0.0.0/24 in by eth0")
}
