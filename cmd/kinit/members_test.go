package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
)

func TestMembersLeaveByRunsOfTheSpec(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args  []string
		fails bool
		want  []string
	}{
		"replace": {[]string{"replace", "site.hcl", "web-01", "--hosts", "a", "--yes-destroy", "web-01,web-02"}, false,
			[]string{"leave [web-01] evacuate [] destroy [web-01 web-02] hosts [a]", "leave [] evacuate [] destroy [web-01 web-02] hosts [a]"}},
		"replace, and the node does not leave": {[]string{"replace", "site.hcl", "web-01", "--hosts", "a"}, true, []string{"leave [web-01] evacuate [] destroy [] hosts [a]"}},
		"evacuate":                             {[]string{"evacuate", "site.hcl", "b", "--hosts", "a,b"}, false, []string{"leave [] evacuate [b] destroy [] hosts [a b]"}},
		"run without a lost host, and again": {[]string{"run", "site.hcl", "--hosts", "a,b", "--lost", "b"}, false,
			[]string{"leave [] evacuate [] destroy [] hosts [a b] lost [b]", "leave [] evacuate [] destroy [] hosts [a b] lost [b]"}},
		"run without a lost host, and it fails":   {[]string{"run", "site.hcl", "--lost", "b"}, true, []string{"leave [] evacuate [] destroy [] hosts [] lost [b]"}},
		"a part of a run without a lost host":     {[]string{"run", "site.hcl", "--lost", "b", "--stop-after", "places"}, false, []string{"leave [] evacuate [] destroy [] hosts [] lost [b]"}},
		"tasks with a tag without a lost host":    {[]string{"run", "site.hcl", "--lost", "b", "--tags", "places"}, false, []string{"leave [] evacuate [] destroy [] hosts [] lost [b]"}},
		"a run without a tag and a lost host":     {[]string{"run", "site.hcl", "--lost", "b", "--skip-tags", "places"}, false, []string{"leave [] evacuate [] destroy [] hosts [] lost [b]"}},
		"what a run without a lost host would do": {[]string{"run", "site.hcl", "--lost", "b", "--check"}, false, []string{"leave [] evacuate [] destroy [] hosts [] lost [b]"}},
		"run": {[]string{"run", "site.hcl", "--yes-destroy", "web-01"}, false, []string{"leave [] evacuate [] destroy [web-01] hosts []"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, test.args...)
			var runs []string
			p.during = func(_ context.Context, o engine.Options) {
				runs = append(runs, fmt.Sprintf("leave %v evacuate %v destroy %v hosts %v", o.Leave, o.Evacuate, o.YesDestroy, o.Hosts))
				if second := len(runs) == 2; o.Continues != second {
					t.Errorf("run %d: continues %v", len(runs), o.Continues)
				}
				if len(o.Lost) > 0 {
					runs[len(runs)-1] += fmt.Sprintf(" lost %v", o.Lost)
				}
			}
			p.report.Returning = []string{"web-01"} // if the run takes it out
			p.report.Invalid = test.fails
			code := p.run()
			if failed := code != exit.OK; failed != test.fails {
				t.Errorf("exit code %d: %s", code, p.err.String())
			}
			if diff := cmp.Diff(test.want, runs); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMembersNeedASpecAndANode(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"replace", "site.hcl"}, {"replace", "site.hcl", "a", "b"}, {"evacuate", "site.hcl"}} {
		p := newProgram(t, args...)
		want := map[string]string{"replace": "it takes a SPEC and a NODE", "evacuate": "it takes a SPEC and a HYPERVISOR"}[args[0]]
		if code := p.run(); code != exit.Usage || !strings.Contains(p.err.String(), want) || p.called != "" {
			t.Errorf("%v: exit code %d: %s", args, code, p.err.String())
		}
	}
}

func TestCommandsForClustersThatExistAreTogether(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "help")
	if code := p.run(); code != exit.OK {
		t.Fatal(code)
	}
	_, text, _ := strings.Cut(p.out.String(), "A cluster's life:\n")
	text, _, _ = strings.Cut(text, "\n\n")
	var names []string
	for line := range strings.Lines(text) {
		names = append(names, strings.Fields(line)[0])
	}
	if want := []string{"run", "plan", "status", "certs", "replace", "evacuate", "backup", "restore", "kubeconfig", "ssh", "console"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestTheReportsOfBothRunsAreKept(t *testing.T) {
	t.Parallel()
	replace, lost := []string{"replace", "site.hcl", "web-01", "--hosts", "a"}, []string{"run", "site.hcl", "--lost", "b"}
	both, one := []string{"out.html", "out.leave.html", "out.leave.xml", "out.xml"}, []string{"out.html", "out.xml"}
	for name, test := range map[string]struct {
		args      []string
		returning []string
		fails     int // the run that fails; 0 if none does
		want      []string
	}{
		"a node is replaced":                     {replace, nil, 0, both},
		"a node is replaced and does not leave":  {replace, nil, 1, one},
		"a lost host's node leaves":              {lost, []string{"web-01"}, 0, both},
		"a lost host's node does not leave":      {lost, []string{"web-01"}, 1, one},
		"a lost host's node is not recreated":    {lost, []string{"web-01"}, 2, both},
		"a lost host has no node":                {lost, nil, 0, one},
		"a lost host's node would leave":         {append(slices.Clone(lost), "--check"), []string{"web-01"}, 0, one},
		"a run without lost hosts":               {[]string{"run", "site.hcl"}, []string{"web-01"}, 0, one},
		"a part of a run, without the lost host": {append(slices.Clone(lost), "--stop-after", "places"), []string{"web-01"}, 0, one},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, append(slices.Clone(test.args), "--junit", "out.xml", "--report", "out.html")...)
			p.report.Returning = test.returning
			runs := 0
			p.during = func(context.Context, engine.Options) {
				runs++
				p.report.Invalid = runs == test.fails
			}
			p.run()
			files, err := filepath.Glob(filepath.Join(p.Cwd, "out.*"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range files {
				files[i] = filepath.Base(files[i])
			}
			if diff := cmp.Diff(test.want, files); diff != "" {
				t.Errorf("files (-want +got):\n%s\n%s", diff, p.err.String())
			}
		})
	}
}
