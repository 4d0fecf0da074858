package activefirewall

import (
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

// chains is what "nft --json list chains" prints of a host with ufw, firewalld, a table of
// kinit and two chains of its administrator.
const chains = `{"nftables": [{"metainfo": {"version": "1.0.6"}},
{"chain": {"family": "ip", "table": "filter", "name": "INPUT", "type": "filter", "hook": "input", "prio": 0, "policy": "drop"}},
{"chain": {"family": "ip6", "table": "filter", "name": "FORWARD", "type": "filter", "hook": "forward", "prio": 0, "policy": "drop"}},
{"chain": {"family": "ip", "table": "filter", "name": "ufw-user-input"}},
{"chain": {"family": "inet", "table": "firewalld", "name": "filter_INPUT", "type": "filter", "hook": "input", "prio": 10, "policy": "drop"}},
{"chain": {"family": "ip", "table": "kinit_k8s", "name": "forward", "type": "filter", "hook": "forward", "prio": 0, "policy": "drop"}},
{"chain": {"family": "inet", "table": "filter", "name": "input", "type": "filter", "hook": "input", "prio": 0, "policy": "drop"}},
{"chain": {"family": "inet", "table": "filter", "name": "output", "type": "filter", "hook": "output", "prio": 0, "policy": "drop"}},
{"chain": {"family": "inet", "table": "open", "name": "input", "type": "filter", "hook": "input", "prio": 0, "policy": "accept"}},
{"chain": {"family": "ip", "table": "mine", "name": "fwd", "type": "filter", "hook": "forward", "prio": 0, "policy": "drop"}}]}`

func TestTheActiveFirewallsAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said  string
		names []string
	}{
		{"", []string{}},
		{`{"nftables": [{"metainfo": {"version": "1.0.6"}}]}` + "\n", []string{}},
		{"firewalld\n", []string{"firewalld"}},
		{"ufw\n" + strings.ReplaceAll(chains, "\n", "") + "\n", []string{"ufw", "nftables"}},
	} {
		h := moduletest.NewFakeHost(t, "")
		h.On(Command().Argv...).Out(c.said)
		a, err := Of(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		moduletest.Same(t, "names", a.Names(), c.names)
	}
}

func TestChainsOfOtherProgramsAreLeftToThem(t *testing.T) {
	t.Parallel()
	got, err := closed(chains)
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "chains", got, []Chain{{"inet", "filter", "input", "input"}, {"ip", "mine", "fwd", "forward"}})
}

func TestAnAnswerThatIsNoListIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := parse("nonsense\n"); err == nil || !strings.HasPrefix(err.Error(), "read the list of nft chains: ") {
		t.Errorf("error %v", err)
	}
}
