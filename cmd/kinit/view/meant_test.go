package view

import (
	"bytes"
	"testing"
	"time"

	"kinit/engine/event"
)

func TestARunWithoutNamesSaysWhichHostsItChanges(t *testing.T) {
	t.Parallel()
	plan := &event.Plan{
		Hosts: []event.Host{{Name: "web1"}, {Name: "web2"}, {Name: "spare"}},
		Tasks: []event.Task{{Host: "web2"}, {Host: "web1"}, {Host: "guest"}, {Host: "web2"}},
	}
	for unnamed, want := range map[bool]string{
		true:  "changes web1, web2: hosts of the inventory, since --hosts names none\n",
		false: "",
	} {
		var out bytes.Buffer
		v := newText(Options{Out: Screen{Writer: &out}, Err: Screen{Writer: &out}, Mode: Run, Unnamed: unnamed, Now: time.Now})
		v.Emit(event.Event{Kind: event.RunPlanned, Plan: plan})
		if out.String() != want {
			t.Errorf("it says %q, want %q", out.String(), want)
		}
	}
}
