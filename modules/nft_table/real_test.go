package nfttable_test

import (
	"context"
	"crypto/rand"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/nft_table"
)

// nat is the content of a table as the overlay's gateway has it.
const nat = `chain postrouting {
	type nat hook postrouting priority srcnat; policy accept;
	ip saddr 172.16.0.0/24 oifname != "br-ex" counter masquerade
}`

// netnsHost is the local machine, with commands in a network namespace of the
// test's own.
type netnsHost struct {
	*moduletest.Local
	name string
}

func (h netnsHost) Run(ctx context.Context, c module.Command) (module.Output, error) {
	c.Argv = append([]string{"ip", "netns", "exec", h.name}, c.Argv...)
	return h.Local.Run(ctx, c)
}

func (h netnsHost) nft(t *testing.T, args ...string) string {
	t.Helper()
	out, err := h.Run(t.Context(), module.Command{Argv: append([]string{"nft"}, args...)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Stdout
}

// Snapshot is the namespace's whole rule set.
func (h netnsHost) Snapshot() string {
	out, err := h.Run(context.Background(), module.Command{Argv: []string{"nft", "--stateless", "list", "ruleset"}})
	if err != nil {
		return err.Error()
	}
	return out.Stdout + h.Local.Snapshot()
}

// newHost skips where nft or network namespaces are missing, which is a failure
// with "nft" in KINIT_REQUIRE.
func newHost(t *testing.T, owner string) netnsHost {
	t.Helper()
	h := netnsHost{Local: moduletest.LocalHost(t, owner), name: "kinit-" + strings.ToLower(rand.Text()[:8])}
	need.Programs(t, "nft", "nft", "ip")
	need.Root(t, "nft")
	if out, err := exec.Command("ip", "netns", "add", h.name).CombinedOutput(); err != nil {
		need.Missing(t, "nft", "ip netns add: "+string(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("ip", "netns", "delete", h.name).CombinedOutput(); err != nil {
			t.Errorf("delete namespace: %s", out)
		}
	})
	return h
}

// task has no unit, as a namespace has no systemd.
func task(change func(*nfttable.Task)) *nfttable.Task {
	return moduletest.Make(nfttable.Kind(), func(made *nfttable.Task) {
		made.Name, made.Content, made.Persist = "kinit_k8s", nat, false
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "k8s"} {
		moduletest.Run(t, moduletest.Case{
			Host:   newHost(t, owner),
			New:    func() module.Task { return task(nil) },
			Absent: func() module.Task { return task(func(t *nfttable.Task) { t.State = "absent" }) },
		})
	}
}

func TestTableIsReplacedWhenItsRulesChanged(t *testing.T) {
	t.Parallel()
	h := newHost(t, "k8s")
	moduletest.Settle(t, task(nil), h)
	want := `table inet kinit_k8s {
	comment "kinit.owner=k8s"
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
		ip saddr 172.16.0.0/24 oifname != "br-ex" counter masquerade
	}
}
`
	if got := h.nft(t, "--stateless", "list", "table", "inet", "kinit_k8s"); got != want {
		t.Errorf("table:\n%s\nwant:\n%s", got, want)
	}
	h.nft(t, "add", "rule", "inet", "kinit_k8s", "postrouting", "accept")
	steps := moduletest.Steps(t, task(nil), h)
	if len(steps) != 1 || !strings.HasPrefix(steps[0].String(), "replace nft table inet kinit_k8s\n") ||
		!strings.Contains(steps[0].String(), "\n-\t\taccept\n") {
		t.Fatalf("steps %v, want a replacement that shows the rule", steps)
	}
	moduletest.Settle(t, task(nil), h)
	moduletest.Settle(t, task(func(t *nfttable.Task) { t.Content = strings.ReplaceAll(nat, "172.16.0.0/24", "172.16.1.0/24") }), h)
	if got := h.nft(t, "list", "table", "inet", "kinit_k8s"); !strings.Contains(got, "172.16.1.0/24") {
		t.Errorf("table:\n%s", got)
	}
}

func TestForeignTablesStay(t *testing.T) {
	t.Parallel()
	h := newHost(t, "k8s")
	h.nft(t, "add table inet kinit_k8s; add table ip kinit_k8s")
	want := "nft table inet kinit_k8s exists and is not owned by cluster k8s: remove it or use another name"
	for _, state := range []string{"present", "absent"} {
		_, err := task(func(t *nfttable.Task) { t.State = state }).Plan(t.Context(), h)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", state, err, want)
		}
	}
	other := task(func(t *nfttable.Task) { t.Name = "own" })
	moduletest.Settle(t, other, h)
	moduletest.Settle(t, task(func(t *nfttable.Task) { t.Name, t.State = "own", "absent" }), h)
	if got := h.nft(t, "list", "tables"); got != "table inet kinit_k8s\ntable ip kinit_k8s\n" {
		t.Errorf("tables %q", got)
	}
}

func TestWrongContentIsAnErrorBeforeAnythingChanges(t *testing.T) {
	t.Parallel()
	h := newHost(t, "k8s")
	for content, want := range map[string]string{
		"chain a { nonsense }":               "check the content of nft table inet kinit_k8s: command ended with code 1: ",
		"}\ntable inet second { chain a { }": "the content of nft table inet kinit_k8s makes other tables too: its braces do not match",
	} {
		_, err := task(func(t *nfttable.Task) { t.Content = content }).Plan(t.Context(), h)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if got := h.nft(t, "list", "tables"); got != "" {
		t.Errorf("tables %q, want none", got)
	}
}
