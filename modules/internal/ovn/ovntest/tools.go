package ovntest

import (
	"encoding/csv"
	"slices"
	"strings"

	"kinit/modules/internal/ovn"
)

// NB runs ovn-nbctl.
func (s *Servers) NB(args ...string) string {
	s.t.Helper()
	return s.Output("ovn-nbctl", append([]string{"--db=unix:" + s.Socket(ovn.Northbound())}, args...)...)
}

// SB runs ovn-sbctl.
func (s *Servers) SB(args ...string) string {
	s.t.Helper()
	return s.Output("ovn-sbctl", append([]string{"--db=unix:" + s.Socket(ovn.Southbound())}, args...)...)
}

// VS runs ovs-vsctl.
func (s *Servers) VS(args ...string) string {
	s.t.Helper()
	return s.Output("ovs-vsctl", append([]string{"--timeout=10", "--db=unix:" + s.Socket(ovn.Switch())}, args...)...)
}

// Rows lists columns of a table, one row a line with the columns between bars,
// sorted. The tool of that database reads them.
func (s *Servers) Rows(db ovn.Database, table, columns string) []string {
	s.t.Helper()
	run := map[string]func(...string) string{"OVN_Northbound": s.NB, "OVN_Southbound": s.SB}[db.Name]
	if run == nil {
		run = s.VS
	}
	out := run("--format=csv", "--data=bare", "--no-headings", "--columns="+columns, "list", table)
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		s.t.Fatalf("%s of %s: %v\n%s", columns, table, err, out)
	}
	var lines []string
	for _, r := range records {
		lines = append(lines, strings.Join(r, "|"))
	}
	slices.Sort(lines)
	return lines
}

// Dump is everything in a database but counters and what the daemons report, to
// compare before and after.
func (s *Servers) Dump(db ovn.Database) string {
	s.t.Helper()
	return s.Output("ovsdb-client", "--format=csv", "dump", "unix:"+s.Socket(db), db.Name)
}
