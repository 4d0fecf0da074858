package domain

import (
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	now, old := &virt.Stamp{Hash: "wanted"}, &virt.Stamp{Hash: "old"}
	for name, c := range map[string]struct {
		state   string
		restart bool
		domain  virt.Domain
		want    []string
	}{
		"running as wanted": {state: "running", domain: virt.Domain{State: virt.Running, Stamp: now, Live: now}},
		"paused after an I/O error": {state: "running", domain: virt.Domain{State: virt.Paused, Stamp: now, Live: now},
			want: []string{"resume domain n"}},
		"paused and outdated": {state: "running", restart: true, domain: virt.Domain{State: virt.Paused, Stamp: old, Live: old},
			want: []string{"redefine domain n", "restart domain n"}},
		"stopped and outdated": {state: "running", domain: virt.Domain{State: virt.Stopped, Stamp: old},
			want: []string{"redefine domain n", "start domain n"}},
		"outdated only while it runs": {state: "running", domain: virt.Domain{State: virt.Running, Stamp: now, Live: old}},
		"starts with the host unasked": {state: "stopped", domain: virt.Domain{State: virt.Stopped, Stamp: now, Autostart: true},
			want: []string{"set autostart of domain n to false"}},
		"paused that should stop": {state: "stopped", domain: virt.Domain{State: virt.Paused, Stamp: now, Live: now},
			want: []string{"shut down domain n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := &Task{Name: "n", State: c.state, Restart: c.restart}
			steps, err := task.decide(state{exists: true, hash: "wanted", domain: c.domain})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, step := range steps {
				got = append(got, step.String())
			}
			moduletest.Same(t, "steps", got, c.want)
		})
	}
}
