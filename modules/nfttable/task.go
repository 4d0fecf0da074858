// Package nfttable is the module nft_table: a table of nftables that is kinit's
// own, now and after a boot.
package nfttable

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/nft"
)

// Task is an nftables table with all that is in it. It is replaced in one transaction
// when the kernel's has other rules, whoever changed them.
//
// The content must load in an empty network namespace: match interfaces by name
// (iifname, oifname), not by index, and use no flowtable. Elements that rules add
// to a set count as a difference.
//
// A table is kept in /etc/kinit/nft and loaded at boot by a systemd unit of its
// own, kinit-nft-FAMILY-NAME.service.
//
// Errors:
//   - nft finds a mistake in the content; its message is told
//   - the content makes other tables too
//   - a table of that name is there and was not made by kinit, or by another cluster
type Task struct {
	// Family is the table's family: "inet" (the default), "ip", "ip6", "arp", "bridge" or "netdev".
	Family string `hcl:"family,optional"`
	// Name is the table's name: letters, digits, "_" and "-", a letter first.
	Name string `hcl:"name"`
	// Content is what stands between the table's braces: chains, sets, maps.
	Content string `hcl:"content,optional"`
	// Persist loads the table at boot. Default true.
	Persist bool `hcl:"persist,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional"`
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "nft_table", Elsewhere: "win_firewall", New: func() module.Task {
		return &Task{Family: "inet", Persist: true, State: "present"}
	}}
}

// Validate checks the arguments. The content is checked by nft in Plan.
func (t *Task) Validate() error {
	families := []string{"inet", "ip", "ip6", "arp", "bridge", "netdev"}
	switch {
	case !slices.Contains(families, t.Family):
		return fmt.Errorf("family is %q, expected one of %s", t.Family, strings.Join(families, ", "))
	case !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`).MatchString(t.Name):
		return fmt.Errorf("name is %q, expected a letter and then letters, digits, \"_\" and \"-\"", t.Name)
	case t.State != "present" && t.State != "absent":
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
	case t.State == "present" && strings.TrimSpace(t.Content) == "":
		return errors.New("content is empty, expected the chains of the table")
	}
	return nil
}

// title is the table as people name it.
func (t *Task) title() string { return "nft table " + t.Family + " " + t.Name }

// file is where the table is kept.
func (t *Task) file() string { return "/etc/kinit/nft/" + t.Family + "-" + t.Name + ".nft" }

// unit is the systemd unit that loads it.
func (t *Task) unit() string { return "kinit-nft-" + t.Family + "-" + t.Name + ".service" }

func (t *Task) unitFile() string { return "/etc/systemd/system/" + t.unit() }

// mark is the table's mark; the kernel keeps a comment too.
func (t *Task) mark() module.Mark {
	return module.Mark{Kind: nft.TableMark, ID: t.Family + " " + t.Name}
}

// comment is what the kernel's table says of its owner.
func comment(owner string) string {
	if owner == "" {
		return "made by kinit"
	}
	return nft.OwnerComment + owner
}

// ruleset is the text that replaces the table in one transaction: the first line
// makes the second succeed when there is no table yet.
func (t *Task) ruleset(owner string) string {
	content := strings.TrimRight(t.Content, "\n")
	return fmt.Sprintf(`# %[1]s %[2]s, made by kinit; loaded at boot by %[5]s.
table %[1]s %[2]s
delete table %[1]s %[2]s
table %[1]s %[2]s {
	comment "%[3]s"
%[4]s
}
`, t.Family, t.Name, comment(owner), content, t.unit())
}

// unitText is the unit. A restart of the distribution's nftables service takes
// all tables away, so that this one follows it.
func (t *Task) unitText() string {
	return fmt.Sprintf(`[Unit]
Description=nftables table %[1]s %[2]s of kinit
After=nftables.service
PartOf=nftables.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=nft -f %[3]s
ExecReload=nft -f %[3]s
ExecStop=-nft delete table %[1]s %[2]s

[Install]
WantedBy=multi-user.target
`, t.Family, t.Name, t.file())
}

var _ module.Validator = (*Task)(nil)
