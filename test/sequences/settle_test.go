package sequences

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandLinesAreReadFromAdvice(t *testing.T) {
	t.Parallel()
	text := "For a second cluster beside it:\n    kinit run shop.hcl --hosts h1,h2 --var extras='[\"line\", \"cron\"]' \\\n        --set pool.web.count=3 \\\n        --set cluster.name=shop-2\nTo rebuild the cluster:\n    kinit run shop.hcl --recreate\n"
	found := commandAdvice.FindAllString(text, -1)
	if len(found) != 2 {
		t.Fatalf("found %q", found)
	}
	c := Advised(shellWords(found[0]))
	if c.Name != "shop-2" || c.Web != 3 || !slices.Equal(c.Hosts, []string{"h1", "h2"}) || !slices.Equal(c.Extras, []string{"line", "cron"}) || c.Cluster() != "shop-2" {
		t.Errorf("the first command is %v", c)
	}
	want := []string{"run", "shop.hcl", "--hosts", "h1,h2", "--var", `extras=["line", "cron"]`, "--set", "pool.web.count=3", "--set", "cluster.name=shop-2"}
	if !slices.Equal(c.Line, want) {
		t.Errorf("the line is %q", c.Line)
	}
	if c := Advised(shellWords(found[1])); !slices.Equal(c.Flags, []string{"--recreate"}) {
		t.Errorf("the second command is %v", c)
	}
}

func TestAdviceAddsToTheCommandLineThatWasAdvised(t *testing.T) {
	t.Parallel()
	was := Advised(strings.Fields("kinit run shop.hcl --hosts h1,h2 --remove web-01,web-02"))
	c := was
	c.Hosts, c.Lost, c.Flags = []string{"h1"}, "h2", append(slices.Clone(was.Flags), "--adopt")
	c.rewrite(was)
	if got, want := strings.Join(c.Line, " "), "run shop.hcl --hosts h1 --remove web-01,web-02 --lost h2 --adopt"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
	if got, want := strings.Join(leaveOut(c.Line, "remove", "web-01"), " "), "run shop.hcl --hosts h1 --remove web-02 --lost h2 --adopt"; got != want {
		t.Errorf("without one name the line is %q, want %q", got, want)
	}
	if got, want := strings.Join(leaveOut([]string{"--remove", "web-01"}, "remove", "web-01"), " "), ""; got != want {
		t.Errorf("without the only name the line is %q, want %q", got, want)
	}
}

func TestAdviceOfRefusalsIsRecognized(t *testing.T) {
	t.Parallel()
	hosts := []*Host{{Name: "h1"}, {Name: "h2", Up: true}, {Name: "h3", Up: true}}
	base := Command{Verb: "run", Hosts: []string{"h1", "h2"}}
	for text, want := range map[string]string{
		"The cluster \"shop\" has on h3: shop-web-02. The run does not have that host: name it by --hosts too. If it does not come back, give --lost h3: its nodes are recreated empty on other hosts.":                                                                                     "--hosts h1,h2,h3",
		"The cluster \"shop\" has on h1: shop-web-02. That host does not answer: refused. Check its address and port in the inventory first. If it does not come back, make sure that it is off, or its nodes run twice, and give --lost h1: its nodes are recreated empty on other hosts.": "--hosts h1,h2 --lost h1",
		"The names \"h1\" and \"h2\" lead to the same machine: the boot is the same. Nothing was changed. The cluster knows it as h2: leave out \"h1\", in --hosts and in the pools.":                                                                                                       "--hosts h2",
		"The names \"h2\" and \"h3\" lead to the same machine: the boot is the same. Nothing was changed. The cluster knows it as h2: leave out \"h3\", in --hosts and in the pools, and give --lost h3, as":                                                                                "--hosts h1,h2 --lost h3",
		"The names \"h1\" and \"h2\" lead to the same machine: the boot is the same. Nothing was changed. Keep one of the names, in --hosts and in the pools.":                                                                                                                              "--hosts h2",
		"Say which one stays: to keep the one on h2, give --set node.web-01.hypervisor=h2 --remove web-01@h1; to keep the one on h1, give --set node.web-01.hypervisor=h1 --remove web-01@h2. Clean-up removes the other with its data.":                                                    "--hosts h1,h2 --set node.web-01.hypervisor=h2 --remove web-01@h1",
		"The cluster \"shop\" exists on h3, and this run has h1 and h2. Nothing was changed. To work on it, name its hypervisors: --hosts h3, or --hosts h3,h1,h2 to use h1 and h2 for it too.":                                                                                             "--hosts h3",
		"Nothing was changed. To work on it from here too, give --adopt; to have one of your own beside it, choose another name":                                                                                                                                                            "--hosts h1,h2 --adopt",
	} {
		w := &world{hosts: hosts}
		ways := w.advice(base, Result{Code: 1, Err: text})
		if len(ways) != 1 {
			t.Errorf("%q has the ways %v, want one", text, ways)
			continue
		}
		if got := strings.Join(ways[0].Args("i", "i"), " "); got != "run shop.hcl -i i "+want {
			t.Errorf("%q leads to %q, want %q", text, got, want)
		}
	}
	evacuate := Command{Verb: "evacuate", Hosts: []string{"h1"}, Node: "h1"}
	proposed := (&world{hosts: hosts}).advice(evacuate, Result{Code: 1, Err: "To rebuild the cluster:\n    kinit run shop.hcl --hosts h1 \\\n        --recreate\n"})
	if len(proposed) != 1 || strings.Join(proposed[0].Args("i", "i"), " ") != "run shop.hcl --hosts h1 --recreate" {
		t.Errorf("a command that is proposed whole leads to %v", proposed)
	}
	w := &world{hosts: hosts}
	base.Flags = []string{"--remove", "web-07"}
	ways := w.advice(base, Result{Code: 3, Err: "--remove names \"web-07\", and nothing that the run may remove has this name. There are shop-web-01. If it was removed before, leave the name out."})
	if len(ways) != 1 || len(ways[0].Flags) != 0 {
		t.Errorf("an unknown name leads to %v", ways)
	}
}
