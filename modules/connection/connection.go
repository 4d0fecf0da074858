// Package connection is the module "connection": it waits until a host is reachable, and reconnects
// to it.
package connection

import (
	"context"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/poll"
)

// Task waits until the host can be reached and logs the run in. Other tasks on a host fail if it
// cannot be reached at once; those that come after this one begin when it can.
//
// With reset, tasks that begin afterwards use a new connection, with the groups that the user has by
// then and the settings of a server that was restarted. Tasks that are at work keep the old one. On
// the machine that kinit runs on, the groups are those that kinit was started with.
//
// In a playbook with an owner kinit takes the locks of all hosts before the first task, so hosts
// that are not there yet are host blocks of the playbook.
//
// Errors:
//   - the host cannot be reached within the time; the error has the last cause
//   - the host has another key than expected: there is no waiting for that
type Task struct {
	// Within is how long to wait, such as "10m", on a host of ordinary speed.
	Within module.Duration `hcl:"within,optional" default:"5m" like:"10m"`
	// Reset makes a new connection for the tasks that come after this one.
	Reset bool `hcl:"reset,optional"`
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "connection", Reads: true, OS: []module.OS{module.Linux, module.Windows}})
}

// Connection returns how the engine connects for this task.
func (t *Task) Connection() module.Connection {
	return module.Connection{Within: t.Within.Time(), Reset: t.Reset}
}

// lookTime is the longest time for one look at the host.
const lookTime = 20 * time.Second

// Plan looks at the host over its connection, which may have been lost.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	look := poll.Tolerant(lookTime, func(ctx context.Context) (bool, string, error) {
		root := "/"
		if h.OS() == module.Windows {
			root = "C:/"
		}
		_, err := h.Files().Stat(ctx, root)
		return err == nil, "", err
	})
	done, _, err := look(ctx)
	if err != nil || done {
		return nil, err
	}
	return []module.Step{module.NewWait("wait for a connection", func(ctx context.Context, h module.Host) error {
		return poll.Until(ctx, h, poll.Wait{For: "a connection", Within: t.Within.Time()}, look)
	})}, nil
}
