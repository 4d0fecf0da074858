// Package nfttable is the module nft_table: a table of nftables that kinit makes, now and
// after a boot.
package nfttable

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/nft"
	"kinit/modules/internal/ownership"
)

// Task is an nftables table with all its content. It is replaced in one transaction
// if the kernel's table has other rules, for any reason.
//
// The content must load in an empty network namespace: match interfaces by name
// (iifname, oifname), not by index, and use no flowtable. Elements that rules add
// to a set count as a difference.
//
// The table is stored in /etc/kinit/nft, and a separate systemd unit,
// kinit-nft-FAMILY-NAME.service, loads it at boot.
//
// Errors:
//   - nft finds a mistake in the content; the error has its message
//   - the content makes other tables too
//   - a table with that name exists that kinit did not make, or another cluster made
type Task struct {
	// Family is the table's family.
	Family string `hcl:"family,optional" enum:"inet,ip,ip6,arp,bridge,netdev" default:"inet"`
	// Name is the table's name: letters, digits, "_" and "-", a letter first.
	Name string `hcl:"name"`
	// Content is the text between the table's braces: chains, sets, maps.
	Content string `hcl:"content,optional"`
	// Persist loads the table at boot.
	Persist bool `hcl:"persist,optional" default:"true"`
	module.Presence
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "nft_table", Elsewhere: "win_firewall", Marks: []module.MarkKind{
		module.NewMarkKind(nft.TableMark, "nft table", undoTable, module.MarkTraits{}),
	}})
}

// tableName matches the name of a table, which is also the one of a file and a unit.
var tableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// Validate checks the arguments. The content is checked by nft in Plan.
func (t *Task) Validate() error {
	switch {
	case !tableName.MatchString(t.Name):
		return fmt.Errorf("name is %q, expected a letter and then letters, digits, \"_\" and \"-\"", t.Name)
	case !t.Absent() && strings.TrimSpace(t.Content) == "":
		return errors.New("content is empty, expected the chains of the table")
	}
	return nil
}

func (t *Task) title() string { return "nft table " + t.Family + " " + t.Name }

func (t *Task) file() string { return "/etc/kinit/nft/" + t.Family + "-" + t.Name + ".nft" }

// unit returns the name of the systemd unit that loads it.
func (t *Task) unit() string { return "kinit-nft-" + t.Family + "-" + t.Name + ".service" }

func (t *Task) unitFile() string { return "/etc/systemd/system/" + t.unit() }

// mark is the table's mark; the kernel keeps a comment too.
func (t *Task) mark() module.Mark {
	return module.Mark{Kind: nft.TableMark, ID: t.Family + " " + t.Name}
}

// comment returns the comment of the kernel's table with its owner.
func comment(owner string) string {
	if owner == "" {
		return "made by kinit"
	}
	return nft.OwnerComment + owner
}

// ruleset returns the text that replaces the table in one transaction: the first line
// makes the second succeed if the table does not exist yet.
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

// unitText returns the unit. A restart of the distribution's nftables service removes
// all tables, so this unit restarts with it.
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

func undoTable(ctx context.Context, h module.Host, mark module.Mark) error {
	family, name, found := strings.Cut(mark.ID, " ")
	if !found {
		return errors.New("the mark does not name a family and a table")
	}
	exists, err := nft.Exists(ctx, h, family, name)
	if err != nil || !exists {
		return err
	}
	table, err := nft.Run(ctx, h, "", "--stateless", "list", "table", family, name)
	if err != nil {
		return err
	}
	if owner := nft.Owner(table); owner != "" && owner != ownership.Signature(h) {
		h.Report(event.Progress{Text: fmt.Sprintf("nft table %s is left alone: %s made it", mark.ID, ownership.Who(owner, ownership.Signature(h)))})
		return nil
	}
	_, err = nft.Run(ctx, h, "", "delete", "table", family, name)
	return err
}
