package module

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tent is a task whose arguments have the tags of Check.
type tent struct {
	Owner string   `hcl:"owner" nonempty:"want a name"`
	Pegs  []string `hcl:"pegs,optional" nonempty:"want one at least"`
	Place string   `hcl:"place" path:"clean"`
	Tents []string `hcl:"tents,optional" path:"clean"`
	Map   string   `hcl:"map,optional" path:"absolute"`
	Log   string   `hcl:"log,optional" default:"/log" path:"absolute"`
	Stay  Duration `hcl:"stay,optional" default:"8h" like:"12h"`
	Presence
}

func (*tent) Plan(context.Context, Host) ([]Step, error) { return nil, nil }

func TestTagsFindMistakes(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*tent){
		"":                                      func(*tent) {},
		"owner is empty, want a name":           func(x *tent) { x.Owner, x.State = "", "absent" },
		"pegs is empty, want one at least":      func(x *tent) { x.Pegs = []string{} },
		"place is empty, want an absolute path": func(x *tent) { x.Place = "" },
		`place is "a", want an absolute path`:   func(x *tent) { x.Place = "a" },
		`map is "a", expected an absolute path`: func(x *tent) { x.Map = "a" },
		`place is "~tilda/../a", want it without empty, "." or ".." parts`: func(x *tent) { x.Place = "~tilda/../a" },
		`place is "~-tilda", want an absolute path`:                        func(x *tent) { x.Place = "~-tilda" },
		`tents is "b", want an absolute path`:                              func(x *tent) { x.Tents = []string{"~tilda/a", "/a", "b"} },
		`log is "", expected an absolute path`:                             func(x *tent) { x.Log = "" },
		`stay is "", want a duration such as "12h"`:                        func(x *tent) { x.Stay = "" },
		`stay is "0s", want a duration such as "12h"`:                      func(x *tent) { x.Stay = "0s" },
		`stay is "soon", want a duration such as "12h"`:                    func(x *tent) { x.Stay = "soon" },
	} {
		task := SetDefaults(&tent{Owner: "Tilda", Pegs: []string{"a"}, Place: "/meadow"})
		change(task)
		if err := Check(task); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("Check: %v, want %q", err, want)
		}
	}
	away := SetDefaults(&tent{Owner: "Tilda", Place: "/meadow"})
	away.State = "absent"
	if err := Check(away); err != nil {
		t.Errorf("Check of an absent one: %v", err)
	}
	if got := away.Stay.Time(); got != 8*time.Hour {
		t.Errorf("the duration is %s, want 8h", got)
	}
}

func TestHomePathsAreReplaced(t *testing.T) {
	t.Parallel()
	task := &tent{Owner: "~tilda", Place: "~", Map: "~tilda/map", Log: "/~tilda", Tents: []string{"~k8s.x-1/a/b", "/b"}}
	for _, path := range HomePaths(task) {
		path.Put("/home/" + path.User)
	}
	want := &tent{Owner: "~tilda", Place: "/home", Map: "/home/tilda/map", Log: "/~tilda", Tents: []string{"/home/k8s.x-1/a/b", "/b"}}
	if diff := cmp.Diff(want, task, cmp.AllowUnexported(tent{})); diff != "" {
		t.Errorf("the task (-want +got):\n%s", diff)
	}
}

func TestCheckPath(t *testing.T) {
	t.Parallel()
	if err := CheckPath("dest", "/etc/motd"); err != nil {
		t.Error(err)
	}
	for _, value := range []string{"", "etc", "/", "/etc/", "/etc/../x", "//x"} {
		if err := CheckPath("dest", value); err == nil {
			t.Errorf("CheckPath(%q) found nothing wrong", value)
		}
	}
}

func TestExited(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("run it: %w", &ExitError{Code: 3})
	if !Exited(err) || !Exited(err, 1, 3) || Exited(err, 1) || Exited(errors.New("lost")) || Exited(nil) {
		t.Errorf("Exited is wrong about code 3")
	}
}
