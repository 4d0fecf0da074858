package ovnleave_test

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/ovntest"
	"kinit/modules/internal/ovn/raft"
	"kinit/modules/internal/roottest"
	"kinit/modules/ovn_leave"
	"kinit/modules/ovn_member"
	"kinit/modules/ovn_sweep"
)

// join makes a host a member of both databases, at an address of loopback: the ports are those of the test.
func join(t *testing.T, h *ovntest.Hypervisor, ip string, ports map[string]int, of string) {
	t.Helper()
	for _, db := range raft.Databases() {
		to := ""
		if of != "" {
			to = fmt.Sprintf("join = [\"tcp:%s:%d\"]", of, ports[db.Word])
		}
		moduletest.Settle(t, moduletest.Decode(t, ovnmember.Kind(), fmt.Sprintf("database = %q\naddress = \"tcp:%s:%d\"\nunit = %q\nelection = \"1s\"\n%s",
			db.Word, ip, ports[db.Word], ovntest.UnitOf(db), to)), h)
		h.Systemctl(t, "start", db)
		for led := false; !led; {
			s, err := raft.Read(t.Context(), h, db)
			if err != nil {
				t.Fatal(err)
			}
			led = s.Led()
		}
	}
}

// hosts are the ids of the servers in the files of hosts, as the arguments of a task.
func hosts(t *testing.T, members map[string]*ovntest.Hypervisor) *ovnleave.Task {
	t.Helper()
	task := moduletest.Decode(t, ovnleave.Kind(), "northbound = {}\nsouthbound = {}").(*ovnleave.Task)
	task.Northbound, task.Southbound = map[string]string{}, map[string]string{}
	for ip, h := range members {
		for _, db := range raft.Databases() {
			s, err := raft.Read(t.Context(), h, db)
			if err != nil {
				t.Fatal(err)
			}
			map[string]map[string]string{"northbound": task.Northbound, "southbound": task.Southbound}[db.Word][ip] = s.Server
		}
	}
	return task
}

func addresses(t *testing.T, task *ovnleave.Task, h module.Host) string {
	t.Helper()
	var all []string
	for _, word := range []string{"northbound", "southbound"} {
		for _, one := range moduletest.Outputs(t, task, h)[word].GetAttr("addresses").AsValueSlice() {
			all = append(all, one.AsString())
		}
	}
	return strings.Join(all, " ")
}

func TestHostsThatAreGoneAreTakenOut(t *testing.T) {
	t.Parallel()
	ports := map[string]int{"northbound": need.Port(t), "southbound": need.Port(t)}
	a, b, c := ovntest.StartHypervisor(t, "demo"), ovntest.StartHypervisor(t, "demo"), ovntest.StartHypervisor(t, "demo")
	join(t, a, "127.0.0.1", ports, "")
	join(t, b, "127.0.0.2", ports, "127.0.0.1")
	join(t, c, "127.0.0.3", ports, "127.0.0.1")
	three := hosts(t, map[string]*ovntest.Hypervisor{"127.0.0.1": a, "127.0.0.2": b, "127.0.0.3": c})
	moduletest.Same(t, "steps", roottest.Planned(t, b, three), []string{"note the members of OVN's databases: 127.0.0.1, 127.0.0.2, 127.0.0.3"})
	moduletest.Settle(t, three, b)
	moduletest.Same(t, "members", addresses(t, three, b), "127.0.0.1 127.0.0.2 127.0.0.3 127.0.0.1 127.0.0.2 127.0.0.3")

	// Another cluster of kinit wants the first; this one had it and has it no more.
	a.NB(t, "set", "NB_Global", ".", `external_ids:kinit-members-other="127.0.0.1,127.0.0.2"`)
	for _, db := range raft.Databases() {
		a.Systemctl(t, "stop", db)
	}
	two := hosts(t, map[string]*ovntest.Hypervisor{"127.0.0.2": b, "127.0.0.3": c})
	moduletest.Same(t, "steps while another cluster wants it", roottest.Planned(t, b, two), []string{"note the members of OVN's databases: 127.0.0.2, 127.0.0.3"})
	b.NB(t, "remove", "NB_Global", ".", "external_ids", "kinit-members-other")

	server := func(ip string) (ids []string) {
		for _, db := range raft.Databases() {
			s, err := raft.Read(t.Context(), b, db)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range s.Servers {
				if one.IP() == ip {
					ids = append(ids, one.ID)
				}
			}
		}
		return ids
	}
	ids := server("127.0.0.1")
	moduletest.Same(t, "steps", roottest.Planned(t, b, two), []string{
		fmt.Sprintf("take tcp:127.0.0.1:%d (%s) out of OVN's northbound database", ports["northbound"], ids[0]),
		fmt.Sprintf("take tcp:127.0.0.1:%d (%s) out of OVN's southbound database", ports["southbound"], ids[1]),
		"note the members of OVN's databases: 127.0.0.2, 127.0.0.3",
	})
	moduletest.Settle(t, two, b)
	moduletest.Same(t, "members", addresses(t, two, b), "127.0.0.2 127.0.0.3 127.0.0.2 127.0.0.3")

	// A host that has lost its files is taken out as the server that it was, and joins as another.
	lost := server("127.0.0.3")
	two.Northbound["127.0.0.3"], two.Southbound["127.0.0.3"] = "", ""
	moduletest.Same(t, "steps", roottest.Planned(t, b, two), []string{
		fmt.Sprintf("take tcp:127.0.0.3:%d (%s) out of OVN's northbound database", ports["northbound"], lost[0]),
		fmt.Sprintf("take tcp:127.0.0.3:%d (%s) out of OVN's southbound database", ports["southbound"], lost[1]),
	})
	moduletest.Settle(t, two, b)
	moduletest.Same(t, "members", addresses(t, two, b), "127.0.0.2 127.0.0.2")

	// The end of the cluster forgets what it wanted.
	sweep := moduletest.Decode(t, ovnsweep.Kind(), "all = true")
	moduletest.Same(t, "sweep", roottest.Planned(t, b, sweep), []string{"forget the members of OVN's databases"})
	moduletest.Settle(t, sweep, b)
	moduletest.Same(t, "external_ids", b.NB(t, "get", "NB_Global", ".", "external_ids"), "{}")
}

func TestTheRecordIsEachClustersOwn(t *testing.T) {
	t.Parallel()
	global := nb.Global{UUID: "g", ExternalIDs: map[string]string{"kinit-members-a": "192.0.2.1,192.0.2.2", "kinit-members-b": "192.0.2.3", "else": "x"}}
	own, others := ovn.Wanted(global, "a")
	moduletest.Same(t, "own and others", [][]string{own, others}, [][]string{{"192.0.2.1", "192.0.2.2"}, {"192.0.2.3"}})
	moduletest.Same(t, "the same again", ovn.Want(nb.Rows{Globals: []nb.Global{global}}, "a", []string{"192.0.2.2", "192.0.2.1"}).Empty(), true)
	moduletest.Same(t, "without an owner", ovn.Want(nb.Rows{Globals: []nb.Global{global}}, "", []string{"192.0.2.9"}).Empty(), true)
}

func TestStandaloneDatabaseIsNamed(t *testing.T) {
	t.Parallel()
	h := ovntest.StartHypervisor(t, "demo")
	for _, db := range raft.Databases() {
		h.Systemctl(t, "start", db)
	}
	task := hosts(t, map[string]*ovntest.Hypervisor{"127.0.0.1": h})
	moduletest.Same(t, "plan", roottest.Planned(t, h, task), []string{"error: the northbound database on localhost is no member of a cluster of databases"})
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		"northbound = {}\nsouthbound = {}":                                        "northbound is empty, want at least the host itself",
		"northbound = { x = \"\" }\nsouthbound = { x = \"\" }":                    `northbound: "x" is no address, want one such as "192.0.2.1"`,
		"northbound = { \"192.0.2.1\" = \"\" }\nsouthbound = {}":                  "northbound and southbound have different hosts; a host has both databases",
		"northbound = { \"192.0.2.1\" = \"\" }\nsouthbound = {}\nwait = \"soon\"": `wait is "soon", want a duration such as "1m"`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, ovnleave.Kind(), arguments), want)
	}
}
