package nfttable_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/nft_table"
)

// machine answers as nft and systemd do, as far as the module asks.
type machine struct {
	table           string
	enabled, active bool
}

func (m *machine) answer(fs *moduletest.MemFiles) func(moduletest.Call) (moduletest.Reply, bool) {
	const canonical = "table inet kinit_k8s {\n\tcomment \"kinit.owner=k8s\"\n\tchain a {\n\t}\n}\n"
	return func(c moduletest.Call) (moduletest.Reply, bool) {
		changed := moduletest.Reply{Changes: true}
		switch line := c.Line(); {
		case line == "nft --json list tables" && m.table == "":
			return moduletest.Reply{Stdout: `{"nftables": [{"metainfo": {"version": "1.0.6"}}]}`}, true
		case line == "nft --json list tables":
			return moduletest.Reply{Stdout: `{"nftables": [{"table": {"family": "inet", "name": "kinit_k8s"}}]}`}, true
		case line == "nft --stateless list table inet kinit_k8s":
			return moduletest.Reply{Stdout: m.table}, true
		case strings.HasPrefix(line, "unshare --net "):
			return moduletest.Reply{Stdout: canonical}, true
		case line == "nft -f -":
			m.table = canonical
			return changed, true
		case line == "nft delete table inet kinit_k8s":
			m.table = ""
			return changed, true
		case strings.HasPrefix(line, "systemctl show "):
			return moduletest.Reply{Stdout: m.show(fs)}, true
		case line == "systemctl daemon-reload":
			return changed, true
		case line == "systemctl enable --now -- kinit-nft-inet-kinit_k8s.service":
			m.enabled, m.active = true, true
			return changed, true
		case line == "systemctl disable --now -- kinit-nft-inet-kinit_k8s.service":
			m.enabled, m.active = false, false
			return changed, true
		}
		return moduletest.Reply{}, false
	}
}

func (m *machine) show(fs *moduletest.MemFiles) string {
	text := map[bool][3]string{true: {"loaded", "enabled", "active"}, false: {"not-found", "disabled", "inactive"}}
	_, there := fs.Text("/etc/systemd/system/kinit-nft-inet-kinit_k8s.service")
	return "LoadState=" + text[there][0] + "\nUnitFileState=" + text[m.enabled][1] + "\nActiveState=" + text[m.active][2] + "\n"
}

func persistent(change func(*nfttable.Task)) module.Task {
	return moduletest.Make(nfttable.Kind(), func(made *nfttable.Task) {
		made.Name, made.Content = "kinit_k8s", "chain a { }"
	}, change)
}

func TestPersistentTableHasAFileAndAUnit(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	m := &machine{}
	h.Handle(m.answer(h.FS))
	moduletest.Settle(t, persistent(nil), h)
	file, _ := h.FS.Text("/etc/kinit/nft/inet-kinit_k8s.nft")
	wantFile := `# inet kinit_k8s, made by kinit; loaded at boot by kinit-nft-inet-kinit_k8s.service.
table inet kinit_k8s
delete table inet kinit_k8s
table inet kinit_k8s {
	comment "kinit.owner=k8s"
chain a { }
}
`
	if diff := cmp.Diff(wantFile, file); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	unit, _ := h.FS.Text("/etc/systemd/system/kinit-nft-inet-kinit_k8s.service")
	for _, line := range []string{
		"ExecStart=nft -f /etc/kinit/nft/inet-kinit_k8s.nft", "ExecStop=-nft delete table inet kinit_k8s", "WantedBy=multi-user.target",
	} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit has no line %q:\n%s", line, unit)
		}
	}
	moduletest.Marks(t, h,
		module.Mark{Kind: "nft_table", ID: "inet kinit_k8s"},
		module.Mark{Kind: "directory", ID: "/etc/kinit"}, module.Mark{Kind: "directory", ID: "/etc/kinit/nft"},
		module.Mark{Kind: "file", ID: "/etc/kinit/nft/inet-kinit_k8s.nft"}, module.Mark{Kind: "unit", ID: "kinit-nft-inet-kinit_k8s.service"})
}

func TestContractOfPersistentTable(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	m := &machine{}
	h.Handle(m.answer(h.FS))
	moduletest.Run(t, moduletest.Case{
		Host: h, New: func() module.Task { return persistent(nil) },
		Absent: func() module.Task { return persistent(func(t *nfttable.Task) { t.State = "absent" }) },
	})
}

func TestTableThatAFlushTookAwayComesBack(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	m := &machine{}
	h.Handle(m.answer(h.FS))
	moduletest.Settle(t, persistent(nil), h)
	m.table, m.active = "", false
	steps := moduletest.Steps(t, persistent(nil), h)
	if len(steps) != 2 || !strings.HasPrefix(steps[0].String(), "create nft table inet kinit_k8s\n") ||
		steps[1].String() != "load nft table inet kinit_k8s at boot by kinit-nft-inet-kinit_k8s.service" {
		t.Fatalf("steps %v", steps)
	}
	moduletest.Settle(t, persistent(nil), h)
}

// A table that another owner of the name has loaded stays, though this one has a mark of it.
func TestATableOfANamesakeIsNotReplaced(t *testing.T) {
	t.Parallel()
	for owner, want := range map[string]string{
		"k8s.OTHER": "another k8s", "k8s": "another k8s", "lab.MINE": "lab",
	} {
		h := moduletest.NewFakeHost(t, "k8s")
		h.SetInstance("MINE")
		m := &machine{table: "table inet kinit_k8s {\n\tcomment \"kinit.owner=" + owner + "\"\n\tchain a {\n\t}\n}\n"}
		h.Handle(m.answer(h.FS))
		if err := h.Own(t.Context(), module.Mark{Kind: "nft_table", ID: "inet kinit_k8s"}); err != nil {
			t.Fatal(err)
		}
		_, err := persistent(nil).Plan(t.Context(), h)
		if want := "nft table inet kinit_k8s exists and is not owned by cluster k8s but by " + want + ": remove it or use another name"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*nfttable.Task){
		`family is "ipv4", want one of inet, ip, ip6, arp, bridge, netdev`:       func(t *nfttable.Task) { t.Family = "ipv4" },
		`name is "a b", expected a letter and then letters, digits, "_" and "-"`: func(t *nfttable.Task) { t.Name = "a b" },
		`content is empty, expected the chains of the table`:                     func(t *nfttable.Task) { t.Content = "\n" },
	} {
		moduletest.Refused(t, persistent(change), want)
	}
}
